// A page is found again by its file and record, however the file is packed, and places that were
// noted on the way change nothing but the time.
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/random.h"
#include "crawl/read/page_reader.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using namespace std::chrono_literals;
using kith::test::TempDir;
using kith::test::write_file;

constexpr auto long_enough = 60s;

// Text that no packing makes much smaller.
std::string random_text(Rng& rng, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += static_cast<char>('!' + rng.below(90));
  for (char& c : text) {
    if (c == '"' || c == '\\' || c == '<' || c == '&') c = 'x';
  }
  return text;
}

// The bodies of a file's pages by their records, read from its beginning to its end.
std::map<uint64_t, std::string> pages_of(const std::string& path) {
  CrawlOptions options{.inputs = {path}};
  options.nameless = true;
  Result<PageReader> reader = PageReader::open(options, {});
  std::map<uint64_t, std::string> pages;
  for (PageBatch batch; reader->next(batch).value();) {
    for (const Page& page : batch.pages) pages.emplace(page.record, page.body);
  }
  return pages;
}

class PageFinderTest : public testing::Test {
 protected:
  // Records 0 to 29 of 200 KB: about 6 MB.
  std::vector<std::string> archive_records() {
    std::vector<std::string> records;
    for (int i = 0; i < 30; ++i) {
      const std::string url = "http://a/" + std::to_string(i);
      // Every fifth is no page.
      records.push_back(i % 5 == 4
                            ? warc_record("metadata", url, "text/plain", random_text(rng_, 2000))
                            : warc_page(url, "<p>" + random_text(rng_, 200'000)));
    }
    return records;
  }

  static CrawlOptions options() {
    CrawlOptions options;
    options.nameless = true;
    return options;
  }

  // Every record is found, in an order that goes to and fro; others are missing.
  static void expect_all_found(PageFinder& finder, const std::string& path) {
    const std::map<uint64_t, std::string> pages = pages_of(path);
    ASSERT_FALSE(pages.empty());
    const uint64_t records = pages.rbegin()->first + 1;
    for (uint64_t i = 0; i < 2 * records; ++i) {
      const uint64_t record = i * 17 % (records + 2);
      std::string body;
      const auto found =
          finder.find(path, record, long_enough, [&](const Page& page) { body = page.body; });
      ASSERT_TRUE(found) << found.error().message;
      const auto own = pages.find(record);
      EXPECT_EQ(*found, own == pages.end() ? PageSearch::missing : PageSearch::found) << record;
      EXPECT_TRUE(body == (own == pages.end() ? "" : own->second)) << record;
    }
  }

  TempDir dir_;
  Rng rng_{1};
};

TEST_F(PageFinderTest, FindsInPlainFiles) {
  std::string plain;
  for (const std::string& record : archive_records()) plain += record;
  write_file(dir_ / "a.warc", plain);
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += i % 7 == 6 ? "\n" : "{\"text\": \"" + random_text(rng_, 100'000) + "\"}\n";
  }
  write_file(dir_ / "b.jsonl", lines);
  for (const char* const name : {"a.warc", "b.jsonl"}) {
    PageFinder finder(options());
    expect_all_found(finder, dir_ / name);
    EXPECT_GE(finder.places(), 2) << name;
    EXPECT_LE(finder.places(), 6) << name;
  }
}

TEST_F(PageFinderTest, BeginsAtMembersThatBeginWithARecord) {
  std::string members, frames, lines;
  for (const std::string& record : archive_records()) {
    members += gzip(record);
    frames += zstd(record);
  }
  for (int i = 0; i < 30; ++i) {
    lines += gzip("{\"text\": \"" + random_text(rng_, 100'000) + "\"}\n{\"text\": \"b\"}\n");
  }
  write_file(dir_ / "a.warc.gz", members);
  write_file(dir_ / "b.warc.zst", frames);
  write_file(dir_ / "c.jsonl.gz", lines);
  for (const char* const name : {"a.warc.gz", "b.warc.zst", "c.jsonl.gz"}) {
    PageFinder finder(options());
    expect_all_found(finder, dir_ / name);
    EXPECT_GE(finder.places(), 1) << name;
  }
}

TEST_F(PageFinderTest, ReadsOtherPackedFilesFromTheirBeginning) {
  const std::vector<std::string> records = archive_records();
  std::string plain;
  for (const std::string& record : records) plain += record;
  write_file(dir_ / "a.warc.gz", gzip(plain));
  const std::string dictionary = zstd_dictionary(std::vector<std::string>(50, records[0]));
  std::string frames = zstd_skippable(13, dictionary);
  for (const std::string& record : records) frames += zstd(record, dictionary);
  write_file(dir_ / "b.warc.zst", frames);
  for (const char* const name : {"a.warc.gz", "b.warc.zst"}) {
    PageFinder finder(options());
    expect_all_found(finder, dir_ / name);
    EXPECT_EQ(finder.places(), 0) << name;
  }
}

TEST_F(PageFinderTest, PassesDamage) {
  std::string members;
  int number = 0;
  for (const std::string& record : archive_records()) {
    std::string member = gzip(record);
    if (number++ % 7 == 3) member[member.size() / 2] ^= 0x55;
    members += member;
  }
  write_file(dir_ / "a.warc.gz", members);
  PageFinder finder(options());
  expect_all_found(finder, dir_ / "a.warc.gz");
}

TEST_F(PageFinderTest, GoesOnWhereItWasInterrupted) {
  std::string plain;
  for (const std::string& record : archive_records()) plain += record;
  write_file(dir_ / "a.warc", plain);
  write_file(dir_ / "b.warc.gz", gzip(plain + plain));
  PageFinder finder(options());
  const auto find = [&](const char* name, uint64_t record = 28) {
    return finder.find(dir_ / name, record, 0ms, [](const Page&) {}).value();
  };
  int searches = 1;
  while (find("a.warc") == PageSearch::interrupted) ++searches;
  EXPECT_GE(searches, 2);
  EXPECT_LE(searches, 7);
  EXPECT_EQ(find("a.warc"), PageSearch::found);
  EXPECT_EQ(find("b.warc.gz", 58), PageSearch::too_far);
}

TEST_F(PageFinderTest, FindsFilesThatAreOnePage) {
  write_file(dir_ / "one.html", "<p>words");
  write_file(dir_ / "two.txt", "more words");
  PageFinder finder(options());
  expect_all_found(finder, dir_ / "one.html");
  expect_all_found(finder, dir_ / "two.txt");
}

// Redirects are no pages, and members that hold nothing no places.
TEST_F(PageFinderTest, PassesRedirectsAndEmptyMembers) {
  std::string members;
  for (int i = 0; i < 20; ++i) {
    const std::string url = "http://a/" + std::to_string(i);
    members += gzip(warc_record("response", url, "application/http",
                                "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"));
    members += gzip("") + gzip("") + gzip(warc_page(url, "<p>" + random_text(rng_, 200'000)));
  }
  write_file(dir_ / "a.warc.gz", members);
  PageFinder finder(options());
  for (const uint64_t record : {31u, 39u, 1u, 37u, 38u}) {
    std::string url;
    const auto found = finder.find(dir_ / "a.warc.gz", record, long_enough,
                                   [&](const Page& page) { url = page.url; });
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, record % 2 == 1 ? PageSearch::found : PageSearch::missing) << record;
    EXPECT_EQ(url, record % 2 == 1 ? "http://a/" + std::to_string(record / 2) : "");
  }
  EXPECT_GE(finder.places(), 1);
}

// A pipe would be waited for.
TEST_F(PageFinderTest, RefusesWhatIsNoFile) {
  PageFinder finder(options());
  const auto find = [&](const std::string& path) {
    return finder.find(path, 0, long_enough, [](const Page&) {});
  };
  ASSERT_EQ(mkfifo((dir_ / "pipe.jsonl").c_str(), 0600), 0);
  for (const std::string& path : {dir_ / "pipe.jsonl", dir_ / "nowhere.warc", dir_.path()}) {
    const auto found = find(path);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().kind, ErrorKind::not_found) << path;
  }
}

}  // namespace
}  // namespace kith::crawl::test
