// The containers beside plain WARC: WET, WAT, ARC, .warc.zst; old versions, odd URLs.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl/codec/member_codec.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Crawl read_bytes(std::string_view name, std::string_view bytes, const CrawlOptions& rules = {}) {
  const TempDir dir;
  write_file(dir / name, bytes);
  CrawlOptions options = rules;
  options.inputs = {dir / name};
  return read_crawl(options);
}

// Some records of many pages, and their samples for a dictionary.
std::vector<std::string> many_records() {
  std::vector<std::string> records;
  for (int i = 0; i < 300; ++i) {
    std::string words;
    for (int k = 0; k < 40; ++k) words += fmt::format("word{} ", (i * k + k * k) % 97);
    records.push_back(warc_page(fmt::format("http://a.example/{}", i), "<p>" + words));
  }
  return records;
}

TEST(Wet, ConversionRecordsAreTextPages) {
  const std::string file =
      warc_record("warcinfo", "", "application/warc-fields", "software: x") +
      warc_record("conversion", "http://a/1", "text/plain", "first \xc3\xa9 words") +
      warc_record("conversion", "http://a/2", "text/plain; charset=koi8-r", "\xc1\xc2") +
      warc_record("conversion", "http://a/3", "image/png", "x") +
      warc_record("conversion", "http://a/4", "text/plain", "");
  const Crawl crawl = read_bytes("a.warc.wet", file);
  EXPECT_THAT(
      crawl.pages,
      ElementsAre(OwnedPage{"http://a/1", PageKind::text, "utf-8", "", "first \xc3\xa9 words"},
                  OwnedPage{"http://a/2", PageKind::text, "koi8-r", "", "\xc1\xc2"}));
  EXPECT_EQ(crawl.skipped(Skip::other_record), 1u);
  EXPECT_EQ(crawl.skipped(Skip::media_type), 1u);
  EXPECT_EQ(crawl.skipped(Skip::empty), 1u);
}

TEST(Wat, ResponsesWithHtmlArePagesOthersAreCounted) {
  const std::string html = R"("HTML-Metadata":{"Links":[]})";
  const std::string file =
      wat_records("http://a/1", R"({"Response-Message":{"Status":"200"},)" + html + "}") +
      wat_records("http://a/2", R"({"Response-Message":{"Status":"404"},)" + html + "}") +
      wat_records("http://a/3", R"({"Response-Message":{"Status":"200"}})") +
      wat_records("http://a/4",
                  R"({"Headers":{"location":"/five"},"Response-Message":{"Status":"301"}})") +
      wat_records("http://a/5", "{" + html + "}") +
      wat_records("http://a/6", R"({"Response-Message":{"Status":"301"}})") +
      warc_record("metadata", "http://a/7", "application/warc-fields", "x: y");
  const Crawl crawl = read_bytes("a.warc.wat", file);
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/5"));
  EXPECT_EQ(crawl.pages[0].kind, PageKind::wat);
  EXPECT_THAT(crawl.pages[0].body, HasSubstr("HTML-Metadata"));
  EXPECT_THAT(crawl.redirects, ElementsAre(Redirect{"http://a/4", "/five", 301}));
  EXPECT_EQ(crawl.skipped(Skip::other_record), 7u);  // of requests, and not of WAT
  EXPECT_EQ(crawl.skipped(Skip::status), 3u);
  EXPECT_EQ(crawl.skipped(Skip::media_type), 1u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
}

TEST(Wat, OddJsonIsPassedOver) {
  const auto outcome = [](std::string_view json) {
    return read_bytes("a.wat", warc_record("metadata", "http://a/", "application/json", json));
  };
  for (const char* const json : {"", "{", "[1]", "\"x\"", "{\"Envelope\":",
                                 R"({"Envelope":{"Payload-Metadata":{"a)", "\xff", "nonsense"}) {
    const Crawl crawl = outcome(json);
    EXPECT_THAT(crawl.pages, IsEmpty()) << json;
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u) << json;
  }
  for (const char* const json :
       {"{}", R"({"Envelope":1})", R"({"Envelope":{"Payload-Metadata":[]}})",
        R"({"Payload-Metadata":{"HTTP-Response-Metadata":{}}})"}) {
    EXPECT_EQ(outcome(json).skipped(Skip::other_record), 1u) << json;
  }
  const Crawl odd =
      outcome(R"({"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":)"
              R"({"Status":200},"Headers":{"Location":"\ud800"},"HTML-Metadata":1}}}})");
  EXPECT_EQ(odd.pages.size(), 1u);  // no status that could be read counts as 200
}

TEST(Wat, LongJsonIsBounded) {
  const std::string links(3u << 20, ' ');
  const std::string response = R"({"HTML-Metadata":{)" + links + "}}";
  const Crawl crawl =
      read_bytes("a.wat", wat_records("http://a/", response), {.max_page = 1u << 20});
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  EXPECT_EQ(read_bytes("a.wat", wat_records("http://a/", response)).pages.size(), 1u);
}

TEST(WarcZstd, FramesWithTheDictionaryOfTheFile) {
  const std::vector<std::string> records = many_records();
  const std::string dictionary = zstd_dictionary(records);
  ASSERT_FALSE(dictionary.empty());
  std::string plain;
  std::string frames;
  for (const std::string& record : records) {
    plain += record;
    frames += zstd(record, dictionary);
  }
  EXPECT_LT(frames.size(), plain.size() / 3);
  const Crawl expected = read_bytes("a.warc", plain);
  ASSERT_EQ(expected.pages.size(), 300u);
  const std::string extension = zstd_skippable(0, "anything");
  for (const std::string& head :
       {zstd_skippable(13, dictionary), zstd_skippable(13, zstd(dictionary)),
        zstd_skippable(13, dictionary) + extension + zstd("", dictionary)}) {
    const Crawl crawl = read_bytes("a.warc.zst", head + frames);
    EXPECT_EQ(crawl.pages, expected.pages);
    EXPECT_EQ(crawl.report.records, 300u);
    EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
  }
  // Bytes of one frame changed: it costs its record.
  std::string torn = zstd_skippable(13, dictionary) + frames;
  torn[torn.size() / 2] = static_cast<char>(~torn[torn.size() / 2]);
  const Crawl crawl = read_bytes("a.warc.zst", torn);
  EXPECT_GE(crawl.pages.size(), 298u);
  EXPECT_LT(crawl.pages.size(), 301u);
}

TEST(WarcZstd, ADictionaryThatCannotBeReadIsDamage) {
  const std::vector<std::string> records = many_records();
  const std::string dictionary = zstd_dictionary(records);
  std::string packed = zstd(dictionary);
  packed.resize(packed.size() / 2);
  std::string changed = dictionary;
  changed.replace(8, 64, 64, '\xff');  // its tables
  // The frames behind it that need none can be read.
  const std::string frames = zstd(records[0]) + zstd(records[1], dictionary) + zstd(records[2]);
  for (const std::string& head :
       {zstd_skippable(13, packed), zstd_skippable(13, ""), zstd_skippable(13, "nonsense"),
        zstd_skippable(13, zstd("no dictionary")), zstd_skippable(13, changed),
        zstd_skippable(13, zstd(changed)), zstd_skippable(13, dictionary.substr(0, 12)),
        zstd_skippable(13, zstd(std::string(64u << 20, 'x'))),
        zstd_skippable(13, dictionary + std::string(16u << 20, 'x'))}) {
    const Crawl crawl = read_bytes("a.warc.zst", head + frames);
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/0", "http://a.example/2"));
    EXPECT_GE(crawl.skipped(Skip::damaged), 1u);
    ASSERT_FALSE(crawl.report.examples.empty());
    EXPECT_THAT(crawl.report.examples[0].reason, HasSubstr("dictionary"));
  }
  const std::string cut = zstd_skippable(13, dictionary).substr(0, 1000);
  const TempDir dir;
  write_file(dir / "a.warc.zst", cut);
  const auto reader = PageReader::open({.inputs = {dir / "a.warc.zst"}}, {});
  ASSERT_FALSE(reader.is_ok());
  EXPECT_THAT(reader.error().message, HasSubstr("dictionary"));
}

TEST(WarcZstd, ADictionaryThatIsRefusedPacksNothing) {
  std::string dictionary = zstd_dictionary(many_records());
  dictionary.replace(8, 64, 64, '\xff');  // its tables
  const auto encoder = make_encoder(Codec::zstd, dictionary);
  std::string packed;
  encoder->begin(5);
  encoder->encode("bytes", packed);
  encoder->end(packed);
  std::string bytes(8, ' ');
  const DecodeStep step = make_zstd_decoder(kZstdFileWindow)->decode(packed, bytes);
  EXPECT_EQ(step.state, DecodeState::end);
  EXPECT_EQ(bytes.substr(0, step.produced), "bytes");
}

TEST(Arc, TheSameRecordsAsWarcGiveTheSamePages) {
  std::string arc = arc_record("filedesc://x.arc", "1 0 X\nURL IP-address Archive-date\n");
  std::string packed_arc = gzip(arc);
  std::string warc = warc_record("warcinfo", "", "application/warc-fields", "software: x");
  std::string packed_warc = gzip(warc);
  for (int i = 0; i < 40; ++i) {
    const std::string url = fmt::format("http://a.example/a page/{}?q=a b", i % 30);
    const char* const type = i % 3 == 0   ? "text/html; charset=gbk"
                             : i % 3 == 1 ? "text/plain"
                                          : "image/png";
    const std::string http =
        fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nLocation: /elsewhere\r\n\r\n<p>{}",
                    i % 7 == 0 ? "302 Found" : "200 OK", type, i);
    const std::string in_arc = arc_record(url, http);
    const std::string in_warc = warc_record("response", url, "application/http", http);
    arc += in_arc;
    warc += in_warc;
    packed_arc += gzip(in_arc);
    packed_warc += gzip(in_warc);
  }
  const Crawl expected = read_bytes("a.warc", warc);
  EXPECT_EQ(expected.pages.size(), 23u);
  EXPECT_EQ(expected.redirects.size(), 6u);
  const std::pair<const char*, std::string> twins[] = {{"a.arc", arc},
                                                       {"a.arc.gz", packed_arc},
                                                       {"b.arc.gz", gzip(arc)},
                                                       {"a.arc.zst", zstd(arc)},
                                                       {"a.warc.gz", packed_warc}};
  for (const auto& [name, bytes] : twins) {
    SCOPED_TRACE(name);
    const Crawl crawl = read_bytes(name, bytes);
    EXPECT_EQ(crawl.pages, expected.pages);
    EXPECT_EQ(crawl.redirects, expected.redirects);
    EXPECT_EQ(crawl.report.records, expected.report.records);
    EXPECT_TRUE(std::ranges::equal(crawl.report.skipped, expected.report.skipped));
  }
}

TEST(Warc, EveryVersionAndOddTargets) {
  std::string file;
  for (const char* const version : {"0.17", "0.18", "1.0", "1.1"}) {
    std::string record = warc_page(fmt::format("<http://a/{} of all>", version), "<p>");
    file += record.replace(5, 3, version);
  }
  EXPECT_THAT(read_bytes("a.warc", file).urls(),
              ElementsAre("http://a/0.17 of all", "http://a/0.18 of all", "http://a/1.0 of all",
                          "http://a/1.1 of all"));
}

// Members that hold nothing are 20 bytes each: what is noted of them must not grow.
TEST(Bounds, AFileOfEmptyMembers) {
  const std::string empty = gzip("");
  std::string file;
  for (int i = 0; i < 200'000; ++i) file += empty;
  file += gzip(warc_page("http://a/", "<p>"));
  const Crawl crawl = read_bytes("a.warc.gz", file);
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/"));
  EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
}

}  // namespace
}  // namespace kith::crawl::test
