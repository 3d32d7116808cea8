#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "text/words/language.h"
#include "text/words/terms.h"

namespace kith::text {
namespace {

struct Relatives {
  Language language;
  std::string_view tags;  // ISO 639, each between blanks
};

// CLD2 tells those of other scripts well.
constexpr Relatives relatives[] = {
    {Language::catalan, " oc oci an arg ast pro "},
    {Language::danish, " fo fao is isl "},
    {Language::dutch, " af afr fy fry frr stq li lim nds vls zea gos "},
    {Language::english, " sco pcm ia ina ie jam kri tpi bi bis pis enm "},
    {Language::finnish, " fkv fit krl olo vep et est ekk izh vot "},
    {Language::french, " oc oci frp pcd wa wln nrm gcr ht "},
    {Language::german, " lb ltz gsw bar ksh pfl pdc nds swg wae "},
    {Language::indonesian, " ms msa zsm zlm abs pmy max jv jav su sun min bjn ace ban mad bug "},
    {Language::irish, " gd gla gv glv sga "},
    {Language::italian,
     " co cos lij fur eml egl rgn vec lmo pms nap scn sc srd mxi lld rm roh la lat "},
    {Language::lithuanian, " lv lav ltg sgs "},
    {Language::norwegian, " fo fao is isl "},
    {Language::portuguese, " gl glg mwl ast kea pap pov "},
    {Language::romanian, " rup ruo ruq la lat "},
    {Language::serbian, " hr hrv bs bos sl slv mk mkd bg bul cnr sh hbs "},
    {Language::spanish, " ast lad gl glg an arg ext mwl oc oci pap cbk ch "},
    {Language::swedish, " fo fao is isl ovd "},
    {Language::turkish, " az aze azj azb crh tk tuk gag tt tat kk uz ky ba kaa kum "},
};

constexpr uint32_t any_language = ~uint32_t{0};

// Frequent words, in lower case, that the languages of `taken_for` lack.
struct Markers {
  uint32_t taken_for;  // language_bit()
  std::string_view words;
};

constexpr Markers markers[] = {
    // Afrikaans, Frisian, Low German
    {language_bit(Language::dutch),
     "nie hulle hierdie vir hy baie elkeen moenie jy julle ek regte sal"},
    {language_bit(Language::dutch),
     "fan rjocht hawwe syn troch foar hja sûnder tsjin minske nimmen wêze dizze dêr hat"},
    {language_bit(Language::dutch) | language_bit(Language::german),
     "vun hett orrer warrn düsse nich sünd schall keen mutt wat een"},
    // Luxembourgish, Swiss German
    {language_bit(Language::german) | language_bit(Language::dutch),
     "déi vun fir ech wéi nët huet och sech gëtt ass eng däerf dës keen"},
    {language_bit(Language::german), "isch nöd nid ned uf hät gsi vo mier händ"},
    // Scots, Nigerian Pidgin
    {language_bit(Language::english),
     "hes richt tae awbody nae ilka frae aw thir sic wes ony wark"},
    {language_bit(Language::english), "dey wey di wetin una goment everi nobodi"},
    // Asturian, Galician, Ladino, Interlingua
    {language_bit(Language::spanish),
     "ye nun toa toles tolos naide tien llei dalgún coles xente na'l comu home"},
    {language_bit(Language::spanish) | language_bit(Language::portuguese),
     "unha unhas dunha nunha súa súas cousas ningunha teñen seus lle"},
    {language_bit(Language::spanish), "kon komo kada podra kual ke kualker kavzo"},
    {language_bit(Language::english) | language_bit(Language::spanish) |
         language_bit(Language::italian),
     "cata essera omne habe sin su e le debe social iste"},
    // Occitan
    {language_bit(Language::catalan) | language_bit(Language::french) |
         language_bit(Language::spanish) | language_bit(Language::italian),
     "drech drech òme degun siá pòt èsser umanas totas aquò fòrça çò ambe"},
    // Corsican, Friulian, Ligurian, Emilian, Venetian, Sicilian, Neapolitan, Piedmontese,
    // Sardinian, Mozarabic
    {language_bit(Language::italian), "chì hà ellu hè nimu sò cù omu contru pà issu dirittu u"},
    {language_bit(Language::italian),
     "derit jessi dirits derits ducj cence une lis nissun ancje tant"},
    {language_bit(Language::italian), "drito ògni segge poriâ sensa ciù òmmo inti pe quæ d'ògni"},
    {language_bit(Language::italian), "dirét dla prì èsa tot tót èser dal"},
    {language_bit(Language::italian), "xe ghe sensa onji ła łe el onjun derito ga"},
    {language_bit(Language::italian), "nta sunnu picchì chiù dirittu nuddu tutti lu"},
    {language_bit(Language::italian), "cchiù ogne pe nisciuno deritto"},
    {language_bit(Language::italian), "ël ëd dij për sò as"},
    {language_bit(Language::italian) | language_bit(Language::romanian) |
         language_bit(Language::spanish),
     "sos sas onzi cun dae issoro tenet deretu"},
    {language_bit(Language::italian) | language_bit(Language::spanish),
     "commo totos aquele sieu les las et dretos"},
    // Crimean Tatar, Azerbaijani, Turkmen, Gagauz
    {language_bit(Language::turkish), "içün olğan onıñ aqqına aqları olaraq yoq em er kes"},
    {language_bit(Language::turkish), "və hər üçün ilə edilə şəxs öz"},
    {language_bit(Language::turkish), "ýa öňünde bilen üçin ähli onuň hem öz"},
    {language_bit(Language::turkish), "herbir lääzım cümlä ölä olmaa onnar deyni diil hakı"},
    // Malay, Ambonese and Papuan Malay, Javanese, Sundanese, Minangkabau, Banjarese
    {language_bit(Language::indonesian),
     "kerana bahawa hendaklah ialah iaitu ianya sahaja tiada mahupun ugama masing"},
    {language_bit(Language::indonesian), "deng samua dapa pung biking kasi kasih musti ana tra pu"},
    {language_bit(Language::indonesian), "ing lan saka ora kang marang utawa"},
    {language_bit(Language::indonesian), "jeung teu anu keur ti nu pikeun"},
    {language_bit(Language::indonesian), "nan nang urang untuak satiap jo wan gasan"},
    // Kven
    {language_bit(Language::finnish), "oon mikkä tähen tehhä heän kans pittää ette tavala"},
    // Latin, Esperanto
    {any_language,
     "qui omnis quarum ipsius vel quod sed quae atque aut esse enim hoc etiam autem quam nec eius "
     "nam dum sunt suae est cum"},
    {any_language, "kaj estas ĉiu aŭ kiuj ĝi ĉiuj rajton"},
};

// From a word to the lines of `markers` that have it: bit i is line i.
class MarkerTable {
 public:
  static const MarkerTable& instance() {
    static const MarkerTable table;
    return table;
  }

  uint64_t lines_of(std::string_view word) const {
    if (!may_begin_[beginning_of(word)]) return 0;  // most words
    const auto found = lines_.find(word);
    return found == lines_.end() ? 0 : found->second;
  }

 private:
  MarkerTable() {
    for (size_t line = 0; line < std::size(markers); ++line) {
      std::string_view words = markers[line].words;
      while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        lines_[word] |= uint64_t{1} << line;
        may_begin_[beginning_of(word)] = true;
        words.remove_prefix(std::min(words.size(), word.size() + 1));
      }
    }
  }

  // The first two bytes of a word and how long it is, in 12 bits.
  static size_t beginning_of(std::string_view word) {
    const auto byte = [&](size_t i) {
      return i < word.size() ? size_t{static_cast<uint8_t>(word[i])} : 0;
    };
    return (byte(0) & 31) << 7 | (byte(1) & 15) << 3 | (word.size() & 7);
  }

  std::array<bool, 1 << 12> may_begin_ = {};
  std::unordered_map<std::string_view, uint64_t> lines_;
};

}  // namespace

bool is_relative(std::string_view tag, Language language) {
  constexpr size_t longest = 3;
  if (tag.empty() || tag.size() > longest) return false;
  std::array<char, longest + 2> wanted = {' '};
  std::ranges::transform(tag, wanted.begin() + 1, ascii_lower);
  wanted[tag.size() + 1] = ' ';
  const auto found = std::ranges::find(relatives, language, &Relatives::language);
  return found != std::ranges::end(relatives) &&
         found->tags.find(std::string_view(wanted.data(), tag.size() + 2)) !=
             std::string_view::npos;
}

// A marker that is a stop word of the language counts for nothing.
void RelativeCounter::add(std::string_view word) {
  static_assert(std::size(markers) <= max_relatives);
  ++words_;
  const uint64_t lines = MarkerTable::instance().lines_of(word);
  if (lines == 0 || (languages_of_stop_word(word) & language_bit(language_)) != 0) return;
  for (size_t line = 0; line < std::size(markers); ++line) {
    markers_[line] +=
        static_cast<uint32_t>(lines >> line & 1) &
        static_cast<uint32_t>((markers[line].taken_for & language_bit(language_)) != 0);
  }
}

bool RelativeCounter::is_relative() const {
  const uint32_t most = *std::ranges::max_element(markers_);
  return most >= 2 && most * 25 >= words_;
}

namespace {

// Words, and beginnings of words, which end in a hyphen.
constexpr std::string_view serbian_words =
    "gde negde nigde ovde onde svugde uvek pre posle umesto deo ceo cela celo celu celog dve obe "
    "dvema sme smeju hteo htela hteli voleo voleli živeo živela živeli želeo želeli videti videli "
    "vreme svet sveta svetu svetom mesto mesta mestu mestom mestima reč reči rečima rečnik- deca "
    "dece deci decu decom dete deteta detinj- reka reke reku lepo lepa lepe lepi telo tela telu "
    "mleko sneg vek veka veku cena cene cenu cenama primer primera primeru primeri sreda sredu "
    "sledeć- posled- predsed- promen- primen- zamen- razmen- izmen- smer- reše- reši- rešav- "
    "uspeh- "
    "uspeš- ocen- procen- verovat- veruj- sever- svedo- svetl- svetsk- pesm- pesn- mesec- mesečn- "
    "uticaj- savet- zahtev- nedelj- ponedelj- nemačk- umetn- razumet- bezbed- obezbe- "
    "ko neko niko šta takođe tokom uopšte juče opšt- hiljad- istorij- evrop- avgust- sajt- "
    "korišćen- hleb- vazduh- pozoriš- srpsk- srbij-";

constexpr std::string_view relatives_words =
    // Croatian, Bosnian, Montenegrin: the old yat is ije or je, and in dio
    "dio cio udio dijela- dijelo- dijeli- dijelu dijete djetet- djetinj- djec- djel- djev- djed- "
    "prije prijedlo- prijelaz- prijevo- prijeno- poslije uvijek dvije obje dvjema gdje negdje "
    "nigdje ovdje ondje svugdje svagdje htio htje- vidje- živje- voljel- željel- smije "
    "vrijem- vrijed- vrijeđ- svijet- svjet- mjest- mjesec- mjeseč- mjer- mjenj- mijenj- cijel- "
    "cjel- cijen- vjer- vjet- rijek- riječ- rječ- rijetk- rjeđ- rješ- riješ- lijep- ljep- bijel- "
    "lijev- lijek- liječ- ljek- ljet- sljed- slijed- nasljed- posljed- primjer- primjen- promjen- "
    "promijen- izmjen- izmijen- zamjen- zamijen- razmjen- namjer- namjen- namijen- smjer- smješt- "
    "smjen- sjever- sjeć- osjeć- osjet- sjedn- sjedi sjedio sjedil- sjedišt- predsjed- svjedo- "
    "uvjet- podjel- odjel- sudjel- posjet- posjed- savjet- zvijezd- zvjezd- snijeg- snježn- "
    "mlijek- "
    "tijel- tijek- tijes- čovje- zahtjev- zahtije- obavije- povijes- izvješ- izvijes- razumje- "
    "razumije- umjet- umjesto nedjelj- ponedjelj- srijed- utjec- utječ- vijek- pjesm- pjesn- pjev- "
    "vijest- vješt- vijeć- uspje- uspije- ocjen- ocijen- procjen- procijen- uvjer- povjer- "
    "provjer- "
    "njemač- njemac- bezbjed- cvijet- cvjet- slijep- griješ- bježi- bijeg- susjed- pobjed- "
    "pobijed- svijes- sviješ- svjes- savješ- nasljeđ- donije- usmjer- usljed- protjer- miješ- "
    "obavješ- obezbje- obezbij- izbjeg- sjutra "
    // words of Croatian and Bosnian
    "tko netko nitko svatko također uopće jučer glede opć- tisuć- stoljeć- tjedan tjedn- europ- "
    "siječanj siječnja siječnju veljača veljače veljači ožujak ožujka ožujku travanj travnja "
    "travnju svibanj svibnja svibnju lipanj lipnja lipnju srpanj srpnja srpnju kolovoza kolovozu "
    "rujan rujna rujnu listopad listopada listopadu studeni studenog studenoga studenom prosinac "
    "prosinca prosincu zrakoplov- kazališ- gospodarstv- gospodarsk- odgoj- ponovno sveučiliš- "
    "tvrtk- nogomet- kruh- računal- "
    "sučelj- poveznic- točka točke točku točki točno točan točna obitelj- suradn- sustav- sudioni- "
    "skladatelj- ravnatelj- kolodvor- županij- veleposlan- priopć- glazb- korišten- historij- "
    "lahko "
    "mehko kahv- hrvat- bosansk- bošnja- crnogor- "
    // Slovene, and Macedonian in Latin letters
    "in ki tudi kot ker kjer če še že ter vsak vsi vsa vseh naj kaj zelo zaradi bodo jih kater- "
    "slovensk- vo gi deka toa sekoj koi bide makedonsk-";

enum class Side : uint8_t { serbian, relative };

// From a word or a beginning of words, with its hyphen, to who has it.
class MarkTable {
 public:
  static const MarkTable& instance() {
    static const MarkTable table;
    return table;
  }

  std::optional<Side> side_of(std::string_view word) const {
    if (const auto found = sides_.find(word); found != sides_.end()) return found->second;
    std::string beginning(word.substr(0, longest_));
    for (; beginning.size() >= shortest; beginning.pop_back()) {
      beginning += '-';
      const auto found = sides_.find(beginning);
      if (found != sides_.end()) return found->second;
      beginning.pop_back();
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t shortest = 3;

  MarkTable() {
    add(serbian_words, Side::serbian);
    add(relatives_words, Side::relative);
  }

  void add(std::string_view words, Side side) {
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(' '));
      sides_.emplace(word, side);
      longest_ = std::max(longest_, word.size());
      words.remove_prefix(std::min(words.size(), word.size() + 1));
    }
  }

  std::unordered_map<std::string_view, Side> sides_;
  size_t longest_ = 0;
};

}  // namespace

void SerbianCounter::add(std::string_view word) {
  const std::optional<Side> side = MarkTable::instance().side_of(word);
  of_serbian_ += static_cast<uint32_t>(side == Side::serbian);
  of_relatives_ += static_cast<uint32_t>(side == Side::relative);
}

// Serbian texts name Croatian months and Slovene towns, and others cite Serbian.
std::optional<bool> SerbianCounter::is_serbian() const {
  if (of_serbian_ == 0 && of_relatives_ == 0) return std::nullopt;
  return of_serbian_ > 0 && of_serbian_ >= 2 * of_relatives_;
}

}  // namespace kith::text
