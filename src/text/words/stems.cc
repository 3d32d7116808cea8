#include "text/words/stems.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include <libstemmer.h>

#include "base/check.h"
#include "text/words/terms.h"

namespace kith::text {
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

enum class Side : uint8_t { serbian, relatives };

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
    add(relatives_words, Side::relatives);
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
  of_relatives_ += static_cast<uint32_t>(side == Side::relatives);
}

// Serbian texts name Croatian months and Slovene towns, and others cite Serbian.
std::optional<bool> SerbianCounter::is_serbian() const {
  if (of_serbian_ == 0 && of_relatives_ == 0) return std::nullopt;
  return of_serbian_ > 0 && of_serbian_ >= 2 * of_relatives_;
}

namespace {

struct Delete {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using SnowballStemmer = std::unique_ptr<sb_stemmer, Delete>;

// The paper stems English by Porter's algorithm; what Snowball calls "english" is another one.
std::string algorithm_of(Language language) {
  return language == Language::english ? "porter" : std::string(language_name(language));
}

}  // namespace

struct Stemmer::Impl {
  std::array<SnowballStemmer, stemmer_count> stemmers;
};

Stemmer::Stemmer() : impl_(std::make_unique<Impl>()) {}
Stemmer::~Stemmer() = default;
Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;

std::string_view Stemmer::stem(Language language, std::string_view word) {
  if (!has_stemmer(language)) return word;
  auto& stemmer = impl_->stemmers[static_cast<size_t>(language)];
  if (!stemmer) {
    stemmer.reset(sb_stemmer_new(algorithm_of(language).c_str(), "UTF_8"));
    KITH_CHECK(stemmer != nullptr);
  }
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  const int size = stem == nullptr ? 0 : sb_stemmer_length(stemmer.get());
  if (size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<size_t>(size)};
}

}  // namespace kith::text
