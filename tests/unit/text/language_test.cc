#include "text/words/language.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace kith::text {
namespace {

constexpr std::string_view english_text =
    "The committee met on a cold morning to talk about the bridge, and although nobody had "
    "brought a plan, everyone agreed that the old one should be repaired before the winter.";
constexpr std::string_view german_text =
    "Der Ausschuss traf sich an einem kalten Morgen, um \u00fcber die Br\u00fccke zu sprechen, "
    "und obwohl niemand einen Plan mitgebracht hatte, waren sich alle einig, dass sie vor dem "
    "Winter repariert werden sollte.";
constexpr std::string_view french_text =
    "Le comit\u00e9 s'est r\u00e9uni un matin froid pour parler du pont, et bien que personne "
    "n'ait apport\u00e9 de plan, tous \u00e9taient d'accord pour le r\u00e9parer avant l'hiver.";
constexpr std::string_view russian_text =
    "\u041a\u043e\u043c\u0438\u0442\u0435\u0442 \u0441\u043e\u0431\u0440\u0430\u043b\u0441\u044f "
    "\u0445\u043e\u043b\u043e\u0434\u043d\u044b\u043c \u0443\u0442\u0440\u043e\u043c, "
    "\u0447\u0442\u043e\u0431\u044b \u043f\u043e\u0433\u043e\u0432\u043e\u0440\u0438\u0442\u044c "
    "\u043e \u043c\u043e\u0441\u0442\u0435, \u0438 \u0432\u0441\u0435 "
    "\u0441\u043e\u0433\u043b\u0430\u0441\u0438\u043b\u0438\u0441\u044c, \u0447\u0442\u043e "
    "\u0435\u0433\u043e \u043d\u0443\u0436\u043d\u043e "
    "\u043e\u0442\u0440\u0435\u043c\u043e\u043d\u0442\u0438\u0440\u043e\u0432\u0430\u0442\u044c "
    "\u0434\u043e \u0437\u0438\u043c\u044b, \u043f\u043e\u043a\u0430 \u043d\u0435 "
    "\u043f\u043e\u0437\u0434\u043d\u043e \u0438 \u043f\u043e\u043a\u0430 \u0435\u0441\u0442\u044c "
    "\u0434\u0435\u043d\u044c\u0433\u0438.";
constexpr std::string_view japanese_text =
    "\u59d4\u54e1\u4f1a\u306f\u5bd2\u3044\u671d\u306b\u96c6\u307e\u308a\u3001\u6a4b\u306b\u3064"
    "\u3044\u3066\u8a71\u3057\u5408\u3044\u307e\u3057\u305f\u3002\u51ac\u306e\u524d\u306b\u4fee"
    "\u7406\u3059\u3079\u304d\u3060\u3068\u5168\u54e1\u304c\u540c\u610f\u3057\u307e\u3057\u305f"
    "\u3002";
constexpr std::string_view polish_text =
    "Komitet zebra\u0142 si\u0119 w zimny poranek, aby porozmawia\u0107 o mo\u015bcie, i "
    "chocia\u017c "
    "nikt nie przyni\u00f3s\u0142 planu, wszyscy zgodzili si\u0119, \u017ce nale\u017cy go "
    "naprawi\u0107 przed zim\u0105, zanim b\u0119dzie za p\u00f3\u017ano.";

TEST(LanguageOfTag, ReadsTagsAndNames) {
  EXPECT_EQ(language_of_tag("en"), Language::english);
  EXPECT_EQ(language_of_tag("de-AT"), Language::german);
  EXPECT_EQ(language_of_tag("PT_br"), Language::portuguese);
  EXPECT_EQ(language_of_tag(" fr "), Language::french);
  EXPECT_EQ(language_of_tag("nb-NO"), Language::norwegian);
  EXPECT_EQ(language_of_tag("German"), Language::german);
  EXPECT_EQ(language_of_tag("zh-CN"), Language::chinese);
  EXPECT_EQ(language_of_tag("iw"), Language::hebrew);
  EXPECT_EQ(language_of_tag("polish"), Language::polish);
  EXPECT_EQ(language_of_tag("quz"), std::nullopt);
  EXPECT_EQ(language_of_tag("enx"), std::nullopt);
  EXPECT_EQ(language_of_tag(""), std::nullopt);
  EXPECT_EQ(language_of_tag("-"), std::nullopt);
}

TEST(LanguageName, IsReadBack) {
  for (int i = 0; i < static_cast<int>(Language::other); ++i) {
    const auto language = static_cast<Language>(i);
    EXPECT_EQ(language_of_tag(language_name(language)), language);
  }
  EXPECT_EQ(language_name(Language::other), "other");
  EXPECT_EQ(language_tag(Language::other), "other");
}

TEST(LanguageTag, IsReadBackAndStandsForOneLanguage) {
  std::set<std::string_view> tags;
  for (int i = 0; i < static_cast<int>(Language::other); ++i) {
    const auto language = static_cast<Language>(i);
    EXPECT_EQ(language_of_tag(language_tag(language)), language);
    EXPECT_TRUE(tags.insert(language_tag(language)).second) << language_tag(language);
  }
}

TEST(StemmerTag, IsOtherWithoutAStemmer) {
  EXPECT_TRUE(has_stemmer(Language::english));
  EXPECT_TRUE(has_stemmer(Language::yiddish));
  EXPECT_EQ(stemmer_tag(Language::german), "de");
  for (const auto language : {Language::afrikaans, Language::polish, Language::zulu}) {
    EXPECT_FALSE(has_stemmer(language));
    EXPECT_EQ(stemmer_tag(language), "other");
  }
  EXPECT_FALSE(has_stemmer(Language::other));
}

TEST(DetectLanguage, ReadsTheTextWhenThereIsNoAttribute) {
  EXPECT_EQ(detect_language("", english_text), Language::english);
  EXPECT_EQ(detect_language("", german_text), Language::german);
  EXPECT_EQ(detect_language("", french_text), Language::french);
  EXPECT_EQ(detect_language("", russian_text), Language::russian);
  EXPECT_EQ(detect_language("", japanese_text), Language::japanese);
  EXPECT_EQ(detect_language("", polish_text), Language::polish);
  EXPECT_EQ(detect_language("xx", german_text), Language::german);
}

TEST(DetectLanguage, BelievesAnAttributeThatMayBeTrue) {
  EXPECT_EQ(detect_language("de-DE", german_text), Language::german);
  EXPECT_EQ(detect_language("de", "PDF Download"), Language::german);
  EXPECT_EQ(detect_language("fr", ""), Language::french);
  EXPECT_EQ(detect_language("sv", "kernel printf malloc"), Language::swedish);
}

TEST(DetectLanguage, DoesNotBelieveAnAttributeThatTheTextContradicts) {
  EXPECT_EQ(detect_language("en", german_text), Language::german);
  EXPECT_EQ(detect_language("en", russian_text), Language::russian);
  EXPECT_EQ(detect_language("en-US", japanese_text), Language::japanese);
  EXPECT_EQ(detect_language("fr", english_text), Language::english);
  EXPECT_EQ(detect_language("ru", english_text), Language::english);
}

// No stop words tell them, or those of a relative do.
TEST(DetectLanguage, BelievesAnAttributeOfALanguageWithoutAStemmer) {
  EXPECT_EQ(detect_language("pl", polish_text), Language::polish);
  EXPECT_EQ(detect_language("quz", "tukuy runakuna paqarimunku"), Language::other);
  EXPECT_EQ(detect_language("ja", "kernel printf malloc"), Language::japanese);
  EXPECT_EQ(detect_language("cs", polish_text), Language::czech);
  const std::string ukrainian =
      "\u0412\u0441\u0456 \u043b\u044e\u0434\u0438 \u043d\u0430\u0440\u043e\u0434\u0436"
      "\u0443\u044e\u0442\u044c\u0441\u044f \u0432\u0456\u043b\u044c\u043d\u0438\u043c\u0438 "
      "\u0456 \u0440\u0456\u0432\u043d\u0438\u043c\u0438 \u0443 \u0441\u0432\u043e\u0457\u0439 "
      "\u0433\u0456\u0434\u043d\u043e\u0441\u0442\u0456 \u0442\u0430 \u043f\u0440\u0430\u0432"
      "\u0430\u0445. \u0412\u043e\u043d\u0438 \u043d\u0430\u0434\u0456\u043b\u0435\u043d\u0456 "
      "\u0440\u043e\u0437\u0443\u043c\u043e\u043c \u0456 \u0441\u043e\u0432\u0456\u0441\u0442"
      "\u044e \u0456 \u043f\u043e\u0432\u0438\u043d\u043d\u0456 \u0434\u0456\u044f\u0442\u0438 "
      "\u0443 \u0432\u0456\u0434\u043d\u043e\u0448\u0435\u043d\u043d\u0456 \u043e\u0434\u0438"
      "\u043d \u0434\u043e \u043e\u0434\u043d\u043e\u0433\u043e \u0432 \u0434\u0443\u0441\u0456 "
      "\u0431\u0440\u0430\u0442\u0435\u0440\u0441\u0442\u0432\u0430.";
  EXPECT_EQ(detect_language("uk", ukrainian), Language::ukrainian);
  EXPECT_EQ(detect_language("", ukrainian), Language::ukrainian);
}

TEST(DetectLanguage, DoesNotTakeALanguageForItsNeighbour) {
  const std::string afrikaans =
      "Hierdie is nie 'n Nederlandse teks nie maar dit is Afrikaans en ons praat dit in "
      "Suid-Afrika "
      "elke dag, want hulle het dit vir ons geleer";
  EXPECT_EQ(detect_language("", afrikaans), Language::other);
  EXPECT_EQ(detect_language("af", afrikaans), Language::afrikaans);
  const std::string scots =
      "The cheil gaed tae the kirk wi his wife an aw his bairns, for ilka Sabbath the folk frae aw "
      "the "
      "toun cam tae hear the wark o the meenister";
  EXPECT_EQ(detect_language("", scots), Language::other);
  EXPECT_EQ(detect_language("sco", scots), Language::other);
  EXPECT_EQ(detect_language("", "\u12a5\u1295\u12f2\u12eb\u1235\u1270\u12cb\u12cd\u1245\u127d"),
            Language::other);
}

TEST(DetectLanguage, TellsSerbianInLatinLettersFromItsRelatives) {
  const std::string_view serbian[] = {
      "Ovo je tekst koji je napisan latinicom i koji govori o gradu u kome živimo svi mi zajedno",
      "Vlada je danas usvojila predlog zakona, a novi propisi počinju da važe posle nove godine",
      "Deca su se igrala u parku dok su roditelji sedeli na klupi i razgovarali o letovanju",
      "Kupite kartu na vreme i uštedite novac, broj mesta je ograničen",
      "Na skupštini je razgovarano o novom putu i o tome kako da se pomogne ljudima koji žive u "
      "selima",
      // Serbian about its neighbours
      "Tokom leta su putovali u Hrvatsku, gde su posle mnogo vremena videli more i lepe gradove",
  };
  for (const std::string_view text : serbian) {
    EXPECT_EQ(detect_language("", text), Language::serbian) << text;
    EXPECT_EQ(detect_language("hr", text), Language::croatian) << text;
  }
  const std::string_view others[] = {
      "Ovo je tekst na hrvatskom jeziku koji govori o gradu u kojem živimo svi mi zajedno",
      "Ljudi su prije mnogo godina živjeli na ovom mjestu i vjerovali da je to cijeli svijet",
      "Tijekom prošlog tjedna u kazalištu su gledali predstavu koja je također prikazana u Splitu",
      "Radno vrijeme trgovine: ponedjeljak - petak od 8 do 20 sati, subota od 8 do 15 sati",
      "Nitko nije znao tko je došao u siječnju i zašto je otišao u kolovozu",
      "Sarajevo je glavni i najveći grad Bosne i Hercegovine i mjesto gdje se uvijek rado vraćamo",
      "To je besedilo v slovenskem jeziku, ki govori o mestu, v katerem živimo vsi skupaj",
      "Otroci so se igrali v parku, medtem ko so starši sedeli na klopi in se pogovarjali",
      "Ovoj tekst e na makedonski jazik i zboruva za gradot vo koj živeeme site zaedno",
      "Овој текст е на македонски јазик и зборува за градот во кој живееме сите заедно",
      "Toto je text v češtině, který mluví o městě, ve kterém všichni společně žijeme",
  };
  for (const std::string_view text : others) {
    EXPECT_FALSE(has_stemmer(detect_language("", text))) << text;
  }
  EXPECT_EQ(detect_language("", others[2]), Language::croatian);
  EXPECT_EQ(detect_language("", others[10]), Language::czech);
  EXPECT_EQ(detect_language("sr", others[1]), Language::serbian);
}

TEST(DetectLanguage, DoesNotBelieveItAgainstClearText) {
  EXPECT_EQ(detect_language("pl", english_text), Language::english);
  EXPECT_EQ(detect_language("uk", russian_text), Language::russian);
}

TEST(DetectLanguage, LatinLettersWithoutAnyStopWordAreNotEnglish) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "zbrt qwle xkcv mnpt vrtz plkj ";
  EXPECT_EQ(detect_language("", text), Language::other);
}

TEST(DetectLanguage, TakesAnyText) {
  EXPECT_EQ(detect_language("", ""), Language::english);
  EXPECT_EQ(detect_language("", "x = 1;"), Language::english);
  EXPECT_EQ(detect_language("", "\u4e16\u754c"), Language::other);
  (void)detect_language("en", "\xff\xfe\x80 \xc3");
  (void)detect_language("", std::string(100000, '\x80'));
  (void)detect_language("", std::string(5000, '\0'));
}

// CLD2 alone takes this for Norwegian.
TEST(DetectLanguage, TakesProgramTextWithSomeEnglishForEnglish) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text +=
        "inline const Scalar & coeffRef (Index row, Index col) const "
        "Derived & derived () for the EigenBase typedef DenseBase Derived StorageKind "
        "inline Index innerStride () const EIGEN_NOEXCEPT of Matrix and Stride ";
  }
  EXPECT_EQ(detect_language("", text), Language::english);
}

TEST(DetectLanguage, SamplesWholeCharactersOfLongTexts) {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, ' ');
    while (text.size() < 50000) text += russian_text;
    EXPECT_EQ(detect_language("", text), Language::russian);
    EXPECT_EQ(detect_language("en", text), Language::russian);
  }
}

}  // namespace
}  // namespace kith::text
