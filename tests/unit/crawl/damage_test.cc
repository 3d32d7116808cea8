// Damaged files: what is lost, what is kept, what is counted.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/input_reader.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

struct Parts {
  std::string bytes;
  std::vector<size_t> ends;  // of each record's member or bytes
};

// Four pages, each in its gzip member or all plain.
Parts four_pages(bool packed) {
  Parts parts;
  for (int i = 0; i < 4; ++i) {
    const std::string record = warc_page(fmt::format("http://a.example/{}", i),
                                         "<p>" + std::string(40, static_cast<char>('0' + i)));
    parts.bytes += packed ? gzip(record) : record;
    parts.ends.push_back(parts.bytes.size());
  }
  return parts;
}

// The pages of an archive in memory, with no look at the file first.
Crawl read_archive(std::string_view bytes, std::optional<Codec> codec = std::nullopt,
                   size_t block = UnpackedStream::kBlock) {
  Crawl crawl;
  const std::string path = "memory";
  auto stream =
      UnpackedStream::open(std::make_unique<kith::crawl::MemorySource>(bytes), codec, block);
  const auto reader = make_archive_reader(std::move(stream).value(), path, ArchiveFormat::warc);
  PageBatch batch;
  Tally tally;
  const RecordRules rules;
  BatchBuilder builder(batch, rules, tally);
  while (reader->read(builder).value() && !builder.full()) {
  }
  EXPECT_FALSE(builder.full());
  for (const Draft& draft : builder.drafts()) {
    crawl.pages.push_back({std::string(builder.raw().view(draft.url)), draft.kind, "", "",
                           std::string(builder.raw().view(draft.body))});
  }
  crawl.report = tally.report(RowFields());
  return crawl;
}

TEST(Damage, AFileCutAnywhereKeepsThePagesBeforeAndTheBeginningOfTheLast) {
  const Crawl intact = read_archive(four_pages(false).bytes);
  for (const bool packed : {false, true}) {
    const Parts parts = four_pages(packed);
    for (size_t cut = 0; cut <= parts.bytes.size(); ++cut) {
      SCOPED_TRACE(fmt::format("{} cut at {}", packed ? "gzip" : "plain", cut));
      const Crawl crawl = read_archive(parts.bytes.substr(0, cut));
      size_t whole = 0;
      bool at_end = cut == 0;
      for (const size_t end : parts.ends) {
        // The two line breaks behind a plain record may be missing.
        const size_t needed = packed ? end : end - 4;
        whole += needed <= cut ? 1 : 0;
        at_end |= needed <= cut && cut <= end;
      }
      ASSERT_GE(crawl.pages.size(), whole);
      ASSERT_LE(crawl.pages.size(), at_end ? whole : whole + 1);
      for (size_t i = 0; i < crawl.pages.size(); ++i) {
        ASSERT_EQ(crawl.pages[i].url, intact.pages[i].url);
        ASSERT_THAT(intact.pages[i].body, StartsWith(crawl.pages[i].body));
        if (i < whole) {
          ASSERT_EQ(crawl.pages[i].body, intact.pages[i].body);
        }
      }
      ASSERT_EQ(crawl.skipped(Skip::damaged), at_end ? 0u : 1u);
      if (at_end) continue;
      // Of a plain file everything behind the HTTP head is kept.
      const size_t last = whole == 0 ? 0 : parts.ends[whole - 1];
      const size_t body = parts.bytes.find("<p>", last);
      if (!packed) {
        ASSERT_EQ(crawl.pages.size() - whole, cut > body ? 1u : 0u);
      }
      ASSERT_EQ(crawl.report.examples.size(), 1u);
      ASSERT_EQ(crawl.report.examples[0].offset, whole == 0 ? 0 : parts.ends[whole - 1]);
    }
  }
}

TEST(Damage, ALastRecordCutInOneLargeMemberKeepsThePagesBefore) {
  std::string records;
  for (int i = 0; i < 50; ++i) {
    std::string noise;
    for (int k = 0; k < 3000; ++k) noise += static_cast<char>('a' + (k * k + i * k) % 23);
    records += warc_page(fmt::format("http://a.example/{}", i), noise);
  }
  const std::string packed = gzip(records);
  const Crawl crawl = read_archive(packed.substr(0, packed.size() * 3 / 4));
  EXPECT_GT(crawl.pages.size(), 20u);
  EXPECT_LT(crawl.pages.size(), 50u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  // Only the checksum behind the last record is missing: all records are whole.
  EXPECT_EQ(read_archive(packed.substr(0, packed.size() - 3)).pages.size(), 50u);
}

TEST(Damage, ABrokenMemberCostsItsOwnPageOnly) {
  const Parts parts = four_pages(true);
  const Crawl intact = read_archive(parts.bytes);
  for (size_t at = parts.ends[0]; at < parts.ends[1]; ++at) {
    for (const int bit : {0, 3, 7}) {
      SCOPED_TRACE(fmt::format("byte {} bit {}", at, bit));
      std::string bytes = parts.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const Crawl crawl = read_archive(bytes);
      // Some bits mean nothing: time and system in the header, those behind the last code.
      if (crawl.pages.size() == 4) {
        EXPECT_EQ(crawl.pages, intact.pages);
        continue;
      }
      EXPECT_THAT(crawl.urls(),
                  ElementsAre("http://a.example/0", "http://a.example/2", "http://a.example/3"));
      EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
      ASSERT_EQ(crawl.report.examples.size(), 1u);
      EXPECT_EQ(crawl.report.examples[0].offset, parts.ends[0]);
    }
  }
}

TEST(Damage, AMemberCutInTheMiddleOfAFileLosesOnlyItself) {
  const Parts parts = four_pages(true);
  for (size_t cut = parts.ends[0] + 1; cut < parts.ends[1]; ++cut) {
    SCOPED_TRACE(cut);
    const std::string bytes = parts.bytes.substr(0, cut) + parts.bytes.substr(parts.ends[1]);
    const Crawl crawl = read_archive(bytes, Codec::gzip);
    EXPECT_THAT(crawl.urls(),
                ElementsAre("http://a.example/0", "http://a.example/2", "http://a.example/3"));
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  }
}

TEST(Damage, GarbageBetweenMembersAndPaddingBehindThem) {
  const Parts parts = four_pages(true);
  const std::string first = parts.bytes.substr(0, parts.ends[1]);
  const std::string second = parts.bytes.substr(parts.ends[1]);
  const Crawl torn = read_archive(first + "\x1f\x8b\x08garbage" + second);
  EXPECT_EQ(torn.pages.size(), 4u);
  EXPECT_EQ(torn.skipped(Skip::damaged), 1u);
  const Crawl padded = read_archive(first + second + std::string(1000, '\0'));
  EXPECT_EQ(padded.pages.size(), 4u);
  EXPECT_EQ(padded.skipped(Skip::damaged), 0u);
}

TEST(Damage, AWrongContentLengthLosesNoOtherRecord) {
  const std::string good = warc_page("http://a.example/good", "<p>good");
  const auto with_length = [](int change) {
    std::string record = warc_page("http://a.example/bad", "<p>0123456789");
    const size_t at = record.find("Content-Length: ") + 16;
    return record.replace(at, 2, std::to_string(std::stoi(record.substr(at, 2)) + change));
  };
  const Crawl shorter = read_archive(with_length(-4) + good);
  EXPECT_THAT(shorter.urls(), ElementsAre("http://a.example/bad", "http://a.example/good"));
  EXPECT_EQ(shorter.skipped(Skip::damaged), 1u);
  // Too long: with a member for each record the next one is seen to begin.
  const Crawl longer = read_archive(gzip(with_length(+30)) + gzip(good));
  EXPECT_THAT(longer.urls(), ElementsAre("http://a.example/bad", "http://a.example/good"));
  EXPECT_EQ(longer.pages[0].body, "<p>0123456789");
  EXPECT_EQ(longer.skipped(Skip::damaged), 1u);
  EXPECT_THAT(longer.report.examples.at(0).reason, HasSubstr("shorter than its length"));
  for (const char* length : {"-1", "abc", "", "99999999999999999999"}) {
    std::string none = warc_page("http://a.example/bad", "<p>");
    none.replace(none.find("Content-Length: ") + 16, 2, length);
    const Crawl crawl = read_archive(none + good);
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/good")) << length;
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u) << length;
  }
}

// A page whose Content-Length is `change` bytes off.
std::string page_with_length(std::string_view url, std::string_view html, int64_t change) {
  std::string record = warc_page(url, html);
  const size_t at = record.find("Content-Length: ") + 16;
  const size_t digits = record.find('\r', at) - at;
  const int64_t length = std::stoll(record.substr(at, digits)) + change;
  return record.replace(at, digits, std::to_string(length));
}

// Records in members of `size` bytes, wherever these end.
std::string in_members(std::string_view bytes, size_t size) {
  std::string packed;
  for (size_t at = 0; at < bytes.size(); at += size) packed += gzip(bytes.substr(at, size));
  return packed;
}

// The forms in which a file holds records that are not in members of their own.
std::vector<std::string> forms_of(const std::string& bytes) {
  return {bytes, gzip(bytes), zstd(bytes), in_members(bytes, 1000), in_members(bytes, 100)};
}

TEST(Damage, AWrongContentLengthCostsNothingThatIsThere) {
  for (const int64_t change :
       {-60LL, -1LL, 1LL, 3LL, 4LL, 5LL, 200LL, 700LL, 1'500LL, 5'000LL, 1'000'000'000'000LL}) {
    std::string bytes;
    std::vector<std::string> sound;
    for (int i = 0; i < 12; ++i) {
      const std::string url = fmt::format("http://a.example/{}", i);
      const std::string html = "<p>" + std::string(100, static_cast<char>('a' + i));
      bytes += page_with_length(url, html, i == 1 ? change : 0);
      if (i != 1) sound.push_back(url);
    }
    for (const std::string& form : forms_of(bytes)) {
      for (const size_t block : {size_t{4096}, UnpackedStream::kBlock}) {
        SCOPED_TRACE(fmt::format("{} bytes off, {} of the file, blocks of {}", change,
                                 form.substr(0, 4) == "WARC" ? 0 : form.size(), block));
        Crawl crawl = read_archive(form, std::nullopt, block);
        ASSERT_EQ(crawl.pages.size(), 12u);
        EXPECT_EQ(crawl.pages[1].url, "http://a.example/1");
        if (change > 4) {
          EXPECT_EQ(crawl.pages[1].body, "<p>" + std::string(100, 'b'));
        }
        crawl.pages.erase(crawl.pages.begin() + 1);
        EXPECT_EQ(crawl.urls(), sound);
        // Up to the line breaks behind it, a length that is too large does no harm.
        EXPECT_EQ(crawl.skipped(Skip::damaged), change > 0 && change <= 4 ? 0u : 1u);
      }
    }
  }
}

// What is no page may reach over pages, too.
TEST(Damage, AWrongLengthOfAPictureCostsNoPage) {
  std::string picture = warc_response("http://a.example/picture", "Content-Type: image/png\r\n",
                                      std::string(3000, 'x'));
  const size_t at = picture.find("Content-Length: ") + 16;
  picture.replace(at, 4, "4000");
  std::string bytes = picture;
  for (int i = 0; i < 8; ++i) bytes += warc_page(fmt::format("http://a.example/{}", i), "<p>text");
  for (const std::string& form : forms_of(bytes)) {
    const Crawl crawl = read_archive(form);
    EXPECT_EQ(crawl.pages.size(), 8u);
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  }
}

// A stream that cannot seek keeps so many bytes to go back to. Behind them a page has its own text
// alone, but what it reaches over is lost.
TEST(Damage, GoesBackInARecordOfSomeMegabytes) {
  constexpr size_t most = UnpackedStream::kMaxBack;
  for (const size_t size : {most / 4, most - 5000, most + 5000}) {
    SCOPED_TRACE(size);
    const std::string html = "<p>" + std::string(size, 'x');
    std::string bytes = page_with_length("http://a.example/long", html, 700);
    for (int i = 0; i < 8; ++i) {
      bytes += warc_page(fmt::format("http://a.example/{}", i), "<p>text");
    }
    for (const std::string& form : {gzip(bytes), in_members(bytes, 50'000)}) {
      const TempDir dir;
      write_file(dir / "a.warc.gz", form);
      const Crawl crawl = read_file_as_crawl(dir / "a.warc.gz");
      ASSERT_FALSE(crawl.pages.empty());
      EXPECT_EQ(crawl.pages[0].body, html);
      if (size < most) {
        EXPECT_EQ(crawl.pages.size(), 9u);
      } else {
        EXPECT_EQ(crawl.pages.size(), 5u);
      }
    }
  }
}

TEST(Damage, WrongLengthsEverywhereAreReadInBoundedTime) {
  constexpr int kRecords = 400;
  for (const int64_t change : {10LL, 2'000LL, 1'000'000'000LL}) {
    SCOPED_TRACE(change);
    std::string bytes;
    for (int i = 0; i < kRecords; ++i) {
      bytes += page_with_length(fmt::format("http://a.example/{}", i), "<p>text", change);
    }
    for (const std::string& form : forms_of(bytes)) {
      const Crawl crawl = read_archive(form);
      ASSERT_FALSE(crawl.pages.empty());
      EXPECT_EQ(crawl.pages.back().url, fmt::format("http://a.example/{}", kRecords - 1));
      for (const OwnedPage& page : crawl.pages) EXPECT_TRUE(page.body.starts_with("<p>text"));
      EXPECT_GE(crawl.skipped(Skip::damaged), 2u);
      if (change <= 2000) {
        EXPECT_EQ(crawl.pages.size(), size_t{kRecords});
      }
    }
  }
}

TEST(Damage, TextThatSpeaksOfWarcIsNoRecord) {
  const std::string html =
      "<p>A file begins with\nWARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n and so on";
  const std::string bytes =
      warc_page("http://a.example/", html) + warc_page("http://b.example/", html);
  EXPECT_EQ(read_archive(bytes).pages.size(), 2u);
  const Crawl cut = read_archive(bytes.substr(0, bytes.size() - 10));
  ASSERT_EQ(cut.pages.size(), 2u);
  EXPECT_EQ(cut.pages[1].body, html.substr(0, html.size() - 6));
  EXPECT_EQ(cut.skipped(Skip::damaged), 1u);
}

// A whole head in a text is one of a record only where the length of its own record is wrong.
TEST(Damage, TextThatQuotesARecordIsNoRecord) {
  const std::string html = "<p>Such is\n" + warc_page("http://quoted.example/", "<p>a page");
  const std::string bytes =
      warc_page("http://a.example/", html) + warc_page("http://b.example/", html);
  for (const std::string& form : forms_of(bytes)) {
    const Crawl crawl = read_archive(form);
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/", "http://b.example/"));
    EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
  }
}

TEST(Damage, AHeadEndsWhereTheNextRecordBegins) {
  const std::string good = warc_page("http://a.example/good", "<p>good");
  const Crawl crawl = read_archive("WARC/1.0\r\nWARC-Type: response\r\n" + good);
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/good"));
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  EXPECT_THAT(crawl.report.examples.at(0).reason, HasSubstr("head has no end"));
}

TEST(Damage, AHeadWithoutEndIsBounded) {
  const std::string good = warc_page("http://a.example/good", "<p>good");
  const std::string endless = "WARC/1.0\r\nX: " + std::string(1'000'000, 'x') + "\r\n\r\n";
  const Crawl warc = read_archive(endless + good);
  EXPECT_THAT(warc.urls(), ElementsAre("http://a.example/good"));
  EXPECT_EQ(warc.skipped(Skip::damaged), 1u);
  const Crawl http = read_archive(
      warc_response("http://a.example/bad",
                    "Content-Type: text/html\r\nX: " + std::string(100'000, 'x') + "\r\n", "<p>") +
      good);
  EXPECT_THAT(http.urls(), ElementsAre("http://a.example/good"));
  EXPECT_EQ(http.skipped(Skip::damaged), 1u);
}

// Blocks of 4 KiB put a border into every few records.
TEST(Damage, BordersOfBlocksDoNotMatter) {
  Rng rng(3);
  std::string plain;
  std::string packed;
  std::string torn;
  for (int i = 0; i < 300; ++i) {
    std::string noise;
    for (uint64_t left = rng.below(4000); left > 0; --left) {
      noise += static_cast<char>('a' + rng.below(26));
    }
    const std::string record = warc_page(fmt::format("http://a.example/{}", i), noise);
    const std::string member = gzip(record);
    plain += record;
    packed += member;
    torn +=
        i % 10 == 5 ? member.substr(0, rng.below(std::min<size_t>(member.size(), 900))) : member;
  }
  for (const std::string* bytes : {&plain, &packed}) {
    const Crawl crawl = read_archive(*bytes, std::nullopt, 4096);
    EXPECT_EQ(crawl.pages.size(), 300u);
    EXPECT_EQ(crawl.pages, read_archive(plain).pages);
    EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
  }
  // The members behind the torn ones are all found, for those began less than a look-back ago.
  EXPECT_EQ(read_archive(torn, Codec::gzip, 4096).pages.size(), 270u);
  EXPECT_EQ(read_archive(torn, Codec::gzip).pages.size(), 270u);
}

// Far more than is looked at at once.
TEST(Damage, GarbageOfMegabytesIsPassedOver) {
  const std::string page = warc_page("http://a.example/1", "<p>");
  const std::string next = warc_page("http://a.example/2", "<p>");
  for (const size_t size : {size_t{300'000}, size_t{5} << 20}) {
    const std::string bytes = page + std::string(size, 'g') + "\n" + next;
    for (const std::string& form : {bytes, gzip(bytes), in_members(bytes, 50'000)}) {
      const Crawl crawl = read_archive(form);
      EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/1", "http://a.example/2"));
      EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
    }
    const Crawl cut = read_archive(page + std::string(size, 'g'));
    EXPECT_THAT(cut.urls(), ElementsAre("http://a.example/1"));
    EXPECT_EQ(cut.skipped(Skip::damaged), 1u);
  }
}

// More members than are noted begin within a record, of which the reader goes back to the
// beginning.
TEST(Damage, RecordsOfThousandsOfMembersAreRead) {
  const std::string html = "<p>" + std::string(40'000, 'x');
  std::vector<std::string> sound{"http://a.example/long"};
  std::string rest;
  for (int i = 0; i < 300; ++i) {
    sound.push_back(fmt::format("http://a.example/{}", i));
    rest += warc_page(sound.back(), "<p>text");
  }
  const std::string whole = in_members(warc_page("http://a.example/long", html) + rest, 10);
  const Crawl crawl = read_archive(whole);
  EXPECT_EQ(crawl.urls(), sound);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
  // With a length that is wrong, in a file that is whole or cut.
  for (const int64_t change : {int64_t{300}, int64_t{1'000'000'000}}) {
    const std::string wrong = page_with_length("http://a.example/long", html, change) + rest;
    const Crawl damaged = read_archive(in_members(wrong, 10));
    ASSERT_FALSE(damaged.pages.empty());
    EXPECT_EQ(damaged.pages.back().url, sound.back());
    EXPECT_GE(damaged.skipped(Skip::damaged), 1u);
    for (const OwnedPage& page : damaged.pages) {
      EXPECT_TRUE(page.body == "<p>text" || page.body == html) << page.body.substr(0, 100);
    }
  }
}

// A stream that cannot go back so far looks in what it has kept: text that speaks of records is
// none of them.
TEST(Damage, ALongTextThatSpeaksOfRecordsIsWhole) {
  const std::string html = "<p>Such are\nWARC/1.0\r\nno head" + std::string(2000, 'x') +
                           "\nWARC/1.0\r\nWARC-Type: response\r\n\r\n" +
                           std::string(UnpackedStream::kMaxBack + 5000, 'y');
  const std::string bytes = warc_page("http://a.example/long", html) + "garbage\r\n" +
                            warc_page("http://a.example/next", "<p>next");
  const TempDir dir;
  write_file(dir / "a.warc.gz", gzip(bytes));
  const Crawl crawl = read_file_as_crawl(dir / "a.warc.gz");
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/long", "http://a.example/next"));
  ASSERT_EQ(crawl.pages.size(), 2u);
  EXPECT_TRUE(crawl.pages[0].body == html);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

TEST(Damage, TextThatSpeaksOfRecordsNearbyIsNoHead) {
  const std::string next = warc_page("http://a.example/2", "<p>");
  const std::string bytes = warc_page("http://a.example/1", "<p>") +
                            "lost: WARC/1.0 and WARC/1.0\r\nX: no length\r\n\r\n, " + next;
  for (const std::string& form : {bytes, gzip(bytes)}) {
    const Crawl crawl = read_archive(form);
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a.example/1", "http://a.example/2"));
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  }
}

// A hostile file must not make the search for members quadratic.
TEST(Damage, AMegabyteOfMemberHeadsTakesLinearTime) {
  const std::string head("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);
  std::string bytes = gzip(warc_page("http://a.example/1", "<p>"));
  while (bytes.size() < 1u << 20) bytes += head;
  // Stored blocks that swallow 60 KB of heads before they turn out to be wrong.
  std::string swallowing;
  while (swallowing.size() < 1u << 20) swallowing += head + std::string("\x00\x60\xea\x9f\x15", 5);
  const Crawl crawl = read_archive(bytes + swallowing);
  EXPECT_EQ(crawl.pages.size(), 1u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

RC_GTEST_PROP(Damage, RandomBytesNeverStopTheReader, ()) {
  const bool packed = *rc::gen::arbitrary<bool>();
  std::string bytes = four_pages(packed).bytes;
  const auto hits = *rc::gen::container<std::vector<std::pair<uint16_t, char>>>(
      rc::gen::arbitrary<std::pair<uint16_t, char>>());
  for (const auto& [at, value] : hits) bytes[at % bytes.size()] = value;
  const Crawl crawl = read_archive(bytes);
  RC_ASSERT(crawl.pages.size() <= 4u);
  if (!hits.empty()) return;
  RC_ASSERT(crawl.pages.size() == 4u);
}

}  // namespace
}  // namespace kith::crawl::test
