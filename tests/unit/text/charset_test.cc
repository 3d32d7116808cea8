// Any bytes to UTF-8: labels, prescan, validation, detection, decoding.
#include "text/charset/charset.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "text/words/letters.h"

namespace kith::text {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

struct Converted {
  std::string text;
  std::string charset;
};

bool operator==(const Converted& a, const Converted& b) {
  return a.text == b.text && a.charset == b.charset;
}
std::ostream& operator<<(std::ostream& out, const Converted& converted) {
  return out << converted.charset << ": " << converted.text;
}

Converted convert(std::string_view bytes, std::string_view http_charset = {}, bool is_html = true) {
  std::string buffer;
  const Utf8Text utf8 = to_utf8(bytes, http_charset, is_html, buffer);
  return {std::string(utf8.bytes), std::string(utf8.charset)};
}

std::string decoded(Encoding encoding, std::string_view bytes) {
  std::string out = "what was there";
  decode(encoding, bytes, out);
  return out;
}

// Text of one script in an encoding whose letters stand in the order of Unicode.
std::string encode(std::string_view utf8, char32_t first, std::string_view prefix, int first_byte) {
  std::string bytes;
  for (size_t at = 0; at < utf8.size();) {
    const CodePoint c = decode_utf8(utf8, at);
    if (c.value < 0x80) {
      bytes += static_cast<char>(c.value);
    } else {
      bytes += prefix;
      bytes += static_cast<char>(first_byte + static_cast<int>(c.value - first));
    }
    at += c.size;
  }
  return bytes;
}

constexpr std::string_view russian =
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по своему. "
    "Жена узнала, что муж был в связи с бывшею в их доме француженкою";
std::string as_windows_1251(std::string_view utf8) {
  return encode(utf8, U'А', "", 0xc0);
}

constexpr std::string_view hiragana =
    "これはひらがなだけでかいたぶんしょうです "
    "むかしむかしあるところにおじいさんとおばあさんがいました "
    "おじいさんはやまへしばかりにおばあさんはかわへせんたくにいきました";
std::string as_euc_jp(std::string_view utf8) {
  return encode(utf8, U'ぁ', "\xa4", 0xa1);
}
std::string as_shift_jis(std::string_view utf8) {
  return encode(utf8, U'ぁ', "\x82", 0x9f);
}

constexpr std::string_view german =
    "Die s\xfc\xdf"
    "en \xc4pfel fielen \xfc"
    "ber Nacht, und fr\xfch am Morgen h\xf6rten wir das "
    "Ger\xe4usch der gro\xdf"
    "en V\xf6gel vor dem Haus";

TEST(CharsetLabels, NamesOfTheWhatwg) {
  EXPECT_EQ(find_encoding("UTF-8"), Encoding::utf_8);
  EXPECT_EQ(find_encoding(" Latin1\n"), Encoding::windows_1252);
  EXPECT_EQ(find_encoding("ISO-8859-1"), Encoding::windows_1252);
  EXPECT_EQ(find_encoding("us-ascii"), Encoding::windows_1252);
  EXPECT_EQ(find_encoding("iso-8859-9"), Encoding::windows_1254);
  EXPECT_EQ(find_encoding("gb2312"), Encoding::gbk);
  EXPECT_EQ(find_encoding("x-sjis"), Encoding::shift_jis);
  EXPECT_EQ(find_encoding("ks_c_5601-1987"), Encoding::euc_kr);
  EXPECT_EQ(find_encoding("tis-620"), Encoding::windows_874);
  EXPECT_EQ(find_encoding("hz-gb-2312"), Encoding::replacement);
}

TEST(CharsetLabels, UnknownOnes) {
  EXPECT_EQ(find_encoding(""), std::nullopt);
  EXPECT_EQ(find_encoding("utf-7"), std::nullopt);
  EXPECT_EQ(find_encoding("utf 8"), std::nullopt);
  EXPECT_EQ(find_encoding(std::string(100000, 'x')), std::nullopt);
}

TEST(CharsetLabels, EveryEncodingDecodesAsciiAndItsName) {
  for (size_t i = 0; i < encoding_count; ++i) {
    const auto encoding = static_cast<Encoding>(i);
    const EncodingInfo& info = info_of(encoding);
    EXPECT_EQ(find_encoding(info.name), encoding) << info.name;
    if (info.kind == EncodingKind::utf_16 || info.kind == EncodingKind::replacement) continue;
    EXPECT_EQ(decoded(encoding, "<p>a~\\"), "<p>a~\\") << info.name;
    EXPECT_EQ(decoded(encoding, ""), "") << info.name;
  }
}

TEST(CharsetDecode, SingleBytes) {
  EXPECT_EQ(decoded(Encoding::windows_1252, "\x80\x81\x93\xe9\xff"),
            "\u20ac\u0081\u201c\u00e9\u00ff");
  EXPECT_EQ(decoded(Encoding::windows_1251, "\xcf\xf0\xe8\xe2\xe5\xf2"), "Привет");
  EXPECT_EQ(decoded(Encoding::koi8_r, "\xf0\xd2\xc9\xd7\xc5\xd4"), "Привет");
  EXPECT_EQ(decoded(Encoding::koi8_u, "\xae\xbe\xa4"), "\u045e\u040e\u0454");
  EXPECT_EQ(decoded(Encoding::ibm866, "\x8f\xe0\xa8\xa2\xa5\xe2"), "Привет");
  EXPECT_EQ(decoded(Encoding::iso_8859_2, "\xb1\xe6\xea"), "\u0105\u0107\u0119");
  EXPECT_EQ(decoded(Encoding::iso_8859_16, "\xaa\xba\xe3\xa4"), "\u0218\u0219\u0103\u20ac");
  EXPECT_EQ(decoded(Encoding::windows_1255, "\xf9\xca"), "\u05e9\u05ba");
  EXPECT_EQ(decoded(Encoding::windows_874, "\xa1\xd2\x80"), "\u0e01\u0e32\u20ac");
  EXPECT_EQ(decoded(Encoding::x_mac_cyrillic, "\x80\xa2\xff"), "\u0410\u0490\u20ac");
  EXPECT_EQ(decoded(Encoding::x_user_defined, "a\x80\xff"), "a\uf780\uf7ff");
  EXPECT_EQ(decoded(Encoding::iso_8859_6, "\xa1"), "\ufffd");
}

TEST(CharsetDecode, MultipleBytes) {
  EXPECT_EQ(decoded(Encoding::gbk, "\xc4\xe3\xba\xc3"), "你好");
  EXPECT_EQ(decoded(Encoding::gb18030, "\xc4\xe3\x94\x39\xda\x33"), "你\U0001f4a9");
  EXPECT_EQ(decoded(Encoding::big5, "\xa7\x41\xa6\x6e"), "你好");
  EXPECT_EQ(decoded(Encoding::shift_jis, "\x93\xfa\x96\x7b\xb1"), "日本ｱ");
  EXPECT_EQ(decoded(Encoding::euc_jp, "\xc6\xfc\xcb\xdc"), "日本");
  EXPECT_EQ(decoded(Encoding::iso_2022_jp, "\x1b$BF|K\\\x1b(Ba"), "日本a");
  EXPECT_EQ(decoded(Encoding::euc_kr, "\xc7\xd1\xb1\xdb"), "한글");
}

TEST(CharsetDecode, InvalidSequencesDoNotSwallowMarkup) {
  EXPECT_EQ(decoded(Encoding::shift_jis, "\x81<p>"), "\ufffd<p>");
  EXPECT_EQ(decoded(Encoding::euc_jp, "\xc6<p>"), "\ufffd<p>");
  EXPECT_EQ(decoded(Encoding::euc_kr, "\xc7<p>"), "\ufffd<p>");
}

TEST(CharsetDecode, LongerThanItsChunks) {
  const std::string bytes = as_euc_jp(hiragana);
  std::string long_bytes;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    long_bytes += bytes;
    expected += hiragana;
  }
  EXPECT_EQ(decoded(Encoding::euc_jp, long_bytes), expected);
}

// The replacements of Unicode 15, table 3-8 to 3-11.
TEST(CharsetDecode, RepairReplacesMaximalSubparts) {
  EXPECT_EQ(decoded(Encoding::utf_8,
                    "a\xc0\xaf"
                    "b\xe0\x80\xbf"),
            "a\ufffd\ufffdb\ufffd\ufffd\ufffd");
  EXPECT_EQ(decoded(Encoding::utf_8, "\xed\xa0\x80z"), "\ufffd\ufffd\ufffdz");
  EXPECT_EQ(decoded(Encoding::utf_8,
                    "\xf4\x91\x92\x93\xff"
                    "A"),
            "\ufffd\ufffd\ufffd\ufffd\ufffdA");
  EXPECT_EQ(decoded(Encoding::utf_8,
                    "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
                    "A"),
            "\ufffd\ufffd\ufffd\ufffdA");
  EXPECT_EQ(decoded(Encoding::utf_8, "\u00e9\xf0\x9f\x98"), "\u00e9\ufffd");
}

TEST(CharsetPrescan, Meta) {
  EXPECT_EQ(prescan_encoding("<html><meta charset=koi8-r>"), Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<META\nCHARSET = 'KOI8-R' >"), Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<meta/charset=\"koi8-r\"/>"), Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>"),
            Encoding::koi8_r);
  EXPECT_EQ(
      prescan_encoding("<meta content='text/html;charset = \"koi8-r\"' http-equiv=content-type>"),
      Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<meta content='charsetcharset=koi8-r;x' http-equiv=content-type>"),
            Encoding::koi8_r);
}

TEST(CharsetPrescan, NotMeta) {
  EXPECT_EQ(prescan_encoding(""), std::nullopt);
  EXPECT_EQ(prescan_encoding("<meta content='text/html; charset=koi8-r'>"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<metax charset=koi8-r>"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<!-- <meta charset=koi8-r> -->"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<a title='<meta charset=koi8-r>'>"), std::nullopt);
  EXPECT_EQ(prescan_encoding("</x <meta charset=koi8-r>"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<!x <meta charset=koi8-r"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<meta charset=koi8-r"), Encoding::koi8_r);
}

TEST(CharsetPrescan, GoesOnToTheNextMeta) {
  EXPECT_EQ(prescan_encoding("<meta name=x><meta charset=nonsense><meta charset=koi8-r>"),
            Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<!--><meta charset=koi8-r>"), Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<!doctype x><?y?><a b=c><meta charset=koi8-r charset=utf-8>"),
            Encoding::koi8_r);
}

TEST(CharsetPrescan, WhatAsciiCannotBe) {
  EXPECT_EQ(prescan_encoding("<meta charset=utf-16>"), Encoding::utf_8);
  EXPECT_EQ(prescan_encoding("<meta charset=x-user-defined>"), Encoding::windows_1252);
}

TEST(CharsetPrescan, XmlDeclaration) {
  EXPECT_EQ(prescan_encoding("<?xml version='1.0' encoding=\"koi8-r\"?><html>"), Encoding::koi8_r);
  EXPECT_EQ(prescan_encoding("<?xml encoding = 'koi8-r'?><meta charset=utf-8>"), Encoding::utf_8);
  EXPECT_EQ(prescan_encoding("<?xml version='1.0'?> encoding='koi8-r'"), std::nullopt);
  EXPECT_EQ(prescan_encoding(" <?xml encoding='koi8-r'?>"), std::nullopt);
  EXPECT_EQ(prescan_encoding("<\0?\0x\0"sv), Encoding::utf_16le);
  EXPECT_EQ(prescan_encoding("\0<\0?\0x"sv), Encoding::utf_16be);
}

TEST(ToUtf8, AsciiAndUtf8AreNotCopied) {
  for (const std::string_view bytes : {""sv, "plain"sv, "gr\u00fc\u00df"sv}) {
    std::string buffer;
    const Utf8Text utf8 = to_utf8(bytes, {}, true, buffer);
    EXPECT_EQ(utf8.bytes.data(), bytes.data());
    EXPECT_EQ(utf8.bytes.size(), bytes.size());
    EXPECT_EQ(utf8.charset, "UTF-8");
  }
}

TEST(ToUtf8, ByteOrderMarksWin) {
  EXPECT_EQ(convert("\xef\xbb\xbf"
                    "a\u00e9",
                    "koi8-r"),
            (Converted{"a\u00e9", "UTF-8"}));
  EXPECT_EQ(convert("\xef\xbb\xbf"
                    "a\xe9",
                    "koi8-r"),
            (Converted{"a\ufffd", "UTF-8"}));
  EXPECT_EQ(convert("\xff\xfe"
                    "a\0\xe9\0\x3d\xd8\0\xde"s),
            (Converted{"a\u00e9\U0001f600", "UTF-16LE"}));
  EXPECT_EQ(convert("\xfe\xff"
                    "\0a\0\xe9\xd8\x3d"s),
            (Converted{"a\u00e9\ufffd", "UTF-16BE"}));
  EXPECT_EQ(convert("\xff\xfe"), (Converted{"", "UTF-16LE"}));
}

TEST(ToUtf8, HttpLabelGoesBeforeMeta) {
  EXPECT_EQ(convert("<meta charset=koi8-r>\xcf", "windows-1251").charset, "windows-1251");
  EXPECT_EQ(convert("<meta charset=koi8-r>\xcf").charset, "KOI8-R");
  EXPECT_EQ(convert("<meta charset=koi8-r>\xcf", "nonsense").charset, "KOI8-R");
  EXPECT_NE(convert("<meta charset=koi8-r>\xcf", "", false).charset, "KOI8-R");
}

TEST(ToUtf8, ALabelFarFromTheBeginning) {
  const std::string page = "<!--" + std::string(5000, '-') + "--><meta charset=koi8-r>\xcf";
  EXPECT_EQ(convert(page).charset, "KOI8-R");
}

TEST(ToUtf8, ValidUtf8WinsOverALabelOfSingleBytes) {
  EXPECT_EQ(convert("caf\u00e9", "iso-8859-1"), (Converted{"caf\u00e9", "UTF-8"}));
  EXPECT_EQ(convert(russian, "koi8-r"), (Converted{std::string(russian), "UTF-8"}));
}

TEST(ToUtf8, ValidUtf8WinsOverALabelOfMultipleBytesWhenItIsLong) {
  EXPECT_EQ(convert("\xc1\xaa\xcd\xa8", "gbk"), (Converted{"联通", "GBK"}));
  EXPECT_EQ(convert(hiragana, "shift_jis"), (Converted{std::string(hiragana), "UTF-8"}));
  EXPECT_EQ(convert("plain", "gbk"), (Converted{"plain", "UTF-8"}));
}

TEST(ToUtf8, EncodingsThatLookLikeAscii) {
  EXPECT_EQ(convert("\x1b$BF|\x1b(B", "iso-2022-jp"), (Converted{"日", "ISO-2022-JP"}));
  EXPECT_EQ(convert("plain", "iso-2022-jp"), (Converted{"plain", "UTF-8"}));
  EXPECT_EQ(convert("a\0b\0"s, "utf-16"), (Converted{"ab", "UTF-16LE"}));
  EXPECT_EQ(convert("plain", "utf-16"), (Converted{"plain", "UTF-8"}));
  EXPECT_EQ(convert("\x1b$)C\x0e!", "iso-2022-kr"), (Converted{"\ufffd", "replacement"}));
}

TEST(ToUtf8, DamagedUtf8StaysUtf8) {
  const std::string cut = std::string(russian) + "\xd0";
  EXPECT_EQ(convert(cut, "utf-8"), (Converted{std::string(russian) + "\ufffd", "UTF-8"}));
  EXPECT_EQ(convert(cut), (Converted{std::string(russian) + "\ufffd", "UTF-8"}));
  EXPECT_EQ(convert(cut, "windows-1252").charset, "UTF-8");
}

TEST(ToUtf8, FalseUtf8LabelIsCaught) {
  EXPECT_EQ(convert(german, "utf-8").charset, "windows-1252");
  EXPECT_EQ(convert(as_windows_1251(russian), "utf-8"),
            (Converted{std::string(russian), "windows-1251"}));
}

TEST(ToUtf8, NoLabelIsDetected) {
  EXPECT_EQ(convert(as_windows_1251(russian)), (Converted{std::string(russian), "windows-1251"}));
  EXPECT_EQ(convert(as_euc_jp(hiragana)), (Converted{std::string(hiragana), "EUC-JP"}));
  EXPECT_EQ(convert(as_shift_jis(hiragana)), (Converted{std::string(hiragana), "Shift_JIS"}));
  EXPECT_EQ(convert(german).charset, "windows-1252");
}

TEST(ToUtf8, FindsWhatDetectorsMissWithoutALabel) {
  std::string buffer;
  const auto charset_of = [&](std::string_view bytes) {
    return to_utf8(bytes, "", true, buffer).charset;
  };
  EXPECT_EQ(charset_of("<p>\x1b$B$3$l\x1b(B</p>"), "ISO-2022-JP");
  EXPECT_EQ(buffer, "<p>\u3053\u308c</p>");
  EXPECT_EQ(charset_of("<p>\x1b[31mred\x1b[0m</p>"), "UTF-8");  // colours of a terminal
  std::string wide;
  for (const char c : std::string_view("<p>wide text</p>")) (wide += c) += '\0';
  EXPECT_EQ(charset_of(wide), "UTF-16LE");
  EXPECT_EQ(buffer, "<p>wide text</p>");
  EXPECT_EQ(charset_of(std::string(1, '\0') + wide.substr(0, wide.size() - 1)), "UTF-16BE");
  EXPECT_EQ(charset_of(std::string(100, '\0')), "UTF-8");
}

TEST(ToUtf8, FalseMultiByteLabelIsCaught) {
  EXPECT_EQ(convert(as_windows_1251(russian), "iso-2022-jp").charset, "windows-1251");
  EXPECT_EQ(convert(as_shift_jis(hiragana), "euc-jp").charset, "Shift_JIS");
}

TEST(ToUtf8, HostileBytesAreLinear) {
  for (const std::string& piece : {"\x80"s, "\xe3\x81"s, "<"s, "<meta "s, "<meta content=charset"s,
                                   "<!--"s, "<a b=c "s, "\x1b$"s, "\xff\xfe"s, "a\xe9"s}) {
    std::string bytes;
    while (bytes.size() < 2 << 20) bytes += piece;
    for (const std::string_view label : {""sv, "utf-8"sv, "gbk"sv, "iso-2022-jp"sv}) {
      EXPECT_LE(convert(bytes + "\x80", label).text.size(), 4 * bytes.size());
    }
  }
}

RC_GTEST_PROP(ToUtf8Property, AnyBytesBecomeUtf8, (const std::string& bytes)) {
  const auto encoding = *rc::gen::inRange<size_t>(0, encoding_count + 1);
  const std::string_view label =
      encoding == encoding_count ? "" : info_of(static_cast<Encoding>(encoding)).name;
  RC_ASSERT(weigh_utf8(convert(bytes, label).text).errors == 0);
}

RC_GTEST_PROP(DecodeProperty, AnyBytesBecomeUtf8, (const std::string& bytes)) {
  const auto encoding = static_cast<Encoding>(*rc::gen::inRange<size_t>(0, encoding_count));
  RC_ASSERT(weigh_utf8(decoded(encoding, bytes)).errors == 0);
}

}  // namespace
}  // namespace kith::text
