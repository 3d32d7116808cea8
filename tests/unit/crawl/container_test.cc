// Zip files and tars: their members are read as files of a folder are, whatever packs them.
#include "crawl/container/container.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/random.h"
#include "crawl/read/inputs.h"
#include "crawl/read/page_reader.h"
#include "crawl/read/wacz.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::read_file;
using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

struct File {
  std::string name;
  std::string bytes;
};

// A zip file whose members are all of one method; `flags` as the heads say.
std::string zip_of(const std::vector<File>& files, uint16_t method, uint16_t flags = 0) {
  std::string zip;
  std::string directory;
  for (const File& file : files) {
    std::string data = file.bytes;
    if (method == 8) data = raw_deflate(file.bytes);
    if (method == 12) data = bzip2(file.bytes);
    if (method == 93) data = zstd(file.bytes);
    std::string fields;
    append_fixed(fields, uint16_t{20});
    append_fixed(fields, flags);
    append_fixed(fields, method);
    append_fixed(fields, uint32_t{0});
    append_fixed(fields,
                 static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(file.bytes.data()),
                                             static_cast<uInt>(file.bytes.size()))));
    append_fixed(fields, static_cast<uint32_t>(data.size()));
    append_fixed(fields, static_cast<uint32_t>(file.bytes.size()));
    append_fixed(fields, static_cast<uint16_t>(file.name.size()));
    append_fixed(fields, uint16_t{0});
    directory += std::string("PK\1\2\x14\0", 6) + fields + std::string(10, '\0');
    append_fixed(directory, static_cast<uint32_t>(zip.size()));
    directory += file.name;
    zip += "PK\3\4" + fields + file.name + data;
  }
  std::string end = std::string("PK\5\6\0\0\0\0", 8);
  append_fixed(end, static_cast<uint16_t>(files.size()));
  append_fixed(end, static_cast<uint16_t>(files.size()));
  append_fixed(end, static_cast<uint32_t>(directory.size()));
  append_fixed(end, static_cast<uint32_t>(zip.size()));
  return zip + directory + end + std::string(2, '\0');
}

// The same with 64-bit fields wherever there are some.
std::string zip64_of(const std::vector<File>& files) {
  std::string zip = zip_of(files, 0);
  const size_t end = zip.rfind("PK\5\6");
  Cursor fields(std::string_view(zip).substr(end + 12));
  const auto size = fields.fixed<uint32_t>();
  const auto offset = fields.fixed<uint32_t>();
  std::string large = std::string("PK\6\6\x2c", 5) + std::string(19, '\0');
  append_fixed(large, uint64_t{files.size()});
  append_fixed(large, uint64_t{files.size()});
  append_fixed(large, uint64_t{size});
  append_fixed(large, uint64_t{offset});
  std::string locator = std::string("PK\6\7\0\0\0\0", 8);
  append_fixed(locator, uint64_t{end});
  append_fixed(locator, uint32_t{1});
  return zip.substr(0, end) + large + locator + std::string("PK\5\6\0\0\0\0", 8) +
         std::string(12, '\xff') + std::string(2, '\0');
}

std::string tar_head(const std::string& name, uint64_t size, char type) {
  std::string head(512, '\0');
  head.replace(0, name.size(), name);
  head.replace(100, 7, "0000644");
  head.replace(124, 11, fmt::format("{:011o}", size));
  head[156] = type;
  head.replace(257, 8,
               std::string("ustar\0"
                           "00",
                           8));
  head.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  head.replace(148, 7, std::string(fmt::format("{:06o}", sum)) + '\0');
  return head;
}

std::string tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  return tar_head(name, bytes.size(), type) + bytes +
         std::string((512 - bytes.size() % 512) % 512, '\0');
}

std::string tar_of(const std::vector<File>& files) {
  std::string tar;
  for (const File& file : files) tar += tar_member(file.name, file.bytes);
  return tar + std::string(1024, '\0');
}

std::vector<File> two_archives() {
  std::string first;
  std::string second;
  Rng rng(3);
  for (int i = 0; i < 40; ++i) {
    std::string text = "<p>";
    for (int k = 0; k < 20'000; ++k) text += static_cast<char>('a' + rng.below(26));
    (i < 25 ? first : second) += gzip(warc_page("http://a/" + std::to_string(i), text));
  }
  return {{"one/a.warc.gz", first}, {"two/b.warc.gz", second}};
}

std::string error_of(const std::string& path) {
  const auto container = open_container(path);
  return container ? "" : container.error().message;
}

TEST(Container, MembersAreReadAsFiles) {
  const TempDir dir;
  const std::vector<File> files = two_archives();
  write_file(dir / "a.warc.gz", files[0].bytes);
  write_file(dir / "b.warc.gz", files[1].bytes);
  const Crawl wanted = read_crawl({.inputs = {dir / "a.warc.gz", dir / "b.warc.gz"}});
  ASSERT_EQ(wanted.pages.size(), 40u);
  const std::string tar = tar_of(files);
  const File made[] = {
      {"0", zip_of(files, 0)},   {"8", zip_of(files, 8)}, {"12", zip_of(files, 12)},
      {"93", zip_of(files, 93)}, {"64", zip64_of(files)}, {"tar", tar},
      {"gz", gzip(tar)},         {"zst", zstd(tar)},      {"xz", xz(tar)},
      {"bz2", bzip2(tar)},       {"lz4", lz4(tar)}};
  for (const File& file : made) {
    SCOPED_TRACE(file.name);
    write_file(dir / file.name, file.bytes);
    for (const int threads : {1, 3}) {
      const Crawl crawl = read_crawl({.inputs = {dir / file.name}}, threads);
      EXPECT_TRUE(crawl.pages == wanted.pages);
      EXPECT_EQ(crawl.report.files, 2u);
      EXPECT_EQ(crawl.report.bytes_in, wanted.report.bytes_in);
    }
    const Crawl second = read_crawl({.inputs = {dir / file.name + "/two/b.warc.gz"}});
    EXPECT_EQ(second.pages.size(), 15u);
    PageFinder finder({});
    for (const uint64_t record : {14u, 3u, 9u}) {
      std::string body;
      const auto found =
          finder.find(dir / file.name + "/two/b.warc.gz", record, std::chrono::seconds(60),
                      [&](const Page& page) { body = page.body; });
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_EQ(body, wanted.pages[25 + record].body);
    }
  }
}

// Of a WACZ the crawl files are read, and pages have the titles that its lists give them.
TEST(Container, PagesOfAWaczHaveTheTitlesOfItsLists) {
  const TempDir dir;
  std::string warc;
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    warc += gzip(warc_page(std::string("http://x.test/") + name, "<title>own</title><p>one"));
  }
  std::string list = "{\"format\": \"json-pages-1.0\", \"id\": \"pages\"}\n";
  list += R"({"url": "http://x.test/a#top", "title": " Shown \u00e9 ", "text": "no second page"})";
  list += "\n";
  list += R"({"url": "http://x.test/a", "title": "Later"})"
          "\n";
  list += R"({"url": "http://x.test/b", "title": "http://x.test/b"})"
          "\n";
  list += "no JSON\n";
  list += R"({"url": "http://x.test/c"})"
          "\n";
  list += R"({"url": "http://x.test/d", "title": ")" + std::string(100'000, 't') + "\"}\n";
  const std::string more = R"({"url": "http://x.test/e", "title": "Of another list"})";
  for (const uint16_t method : std::initializer_list<uint16_t>{0, 8}) {
    write_file(dir / "x.wacz", zip_of({{"archive/a.warc.gz", warc},
                                       {"pages/pages.jsonl", list},
                                       {"pages/extraPages.jsonl", more},
                                       {"datapackage.json", "{}"}},
                                      method));
    const Crawl crawl = read_crawl({.inputs = {dir / "x.wacz"}});
    std::vector<std::string> titles;
    for (const OwnedPage& page : crawl.pages) titles.push_back(page.title);
    EXPECT_THAT(titles,
                ElementsAre("Shown \u00e9", "", "", std::string(65536, 't'), "Of another list"));
    EXPECT_EQ(crawl.report.files, 1u);
  }
}

// The titles of a hundred million pages do not fit the memory: those of the first ones are kept.
TEST(Container, TitlesOfAWaczHaveALimit) {
  const TempDir dir;
  std::string list;
  for (int i = 0; i < 3000; ++i) {
    list += fmt::format("{{\"url\": \"http://x.test/{}\", \"title\": \"{} {}\"}}\n", i, i,
                        std::string(10'000, 't'));
  }
  write_file(dir / "x.wacz", zip_of({{"pages/pages.jsonl", list}}, 8));
  const PageTitles titles = PageTitles::of_wacz(*open_container(dir / "x.wacz").value()).value();
  EXPECT_TRUE(titles.find("http://x.test/1500").starts_with("1500 t"));
  EXPECT_EQ(titles.find("http://x.test/2900"), "");
}

// Members of a packed tar, in any order and at the same time.
TEST(Container, APackedTarGivesItsMembersInAnyOrder) {
  const TempDir dir;
  std::vector<File> files;
  Rng rng(1);
  for (int i = 0; i < 9; ++i) {
    std::string bytes;
    for (int k = 0; k < i * 1000; ++k) bytes += static_cast<char>('a' + rng.below(26));
    files.push_back({"f" + std::to_string(i), bytes});
  }
  write_file(dir / "x.tar.gz", gzip(tar_of(files)));
  const auto container = open_container(dir / "x.tar.gz").value();
  ASSERT_EQ(container->members().size(), files.size());
  EXPECT_TRUE(container->is_packed());
  const auto all_of = [](ByteSource& source) {
    std::string all;
    std::string piece(700, '\0');
    for (size_t n = 1; n > 0;) {
      n = source.read(piece).value();
      all.append(piece, 0, n);
    }
    return all;
  };
  const auto other = container->open(8).value();
  for (int i = 0; i < 40; ++i) {
    const size_t member = rng.below(files.size());
    EXPECT_EQ(all_of(*container->open(member).value()), files[member].bytes);
  }
  EXPECT_EQ(all_of(*other), files[8].bytes);
}

TEST(Container, TarsOfAllKinds) {
  const TempDir dir;
  const std::string long_name = std::string(60, 'd') + "/" + std::string(80, 'n');
  const std::string record = "path=" + long_name;
  const std::string pax = fmt::format("{} {}\n", record.size() + 5, record);
  std::string base_256 = tar_head("big", 3, '0');
  base_256.replace(124, 12, std::string("\x80", 1) + std::string(10, '\0') + "\x03");
  base_256.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : base_256) sum += static_cast<unsigned char>(c);
  base_256.replace(148, 7, std::string(fmt::format("{:06o}", sum)) + '\0');
  const std::string tar = tar_member("g", "12 comment=a\n", 'g') + tar_member("dir/", "", '5') +
                          tar_member("x", pax, 'x') + tar_member("short", "pax") +
                          tar_member("x", long_name + "2" + '\0', 'L') +
                          tar_member("short", "gnu") + tar_member("link", "", '2') + base_256 +
                          "abc" + std::string(509, '\0') + tar_member("last", "x");
  write_file(dir / "x.tar", tar);
  const auto container = open_container(dir / "x.tar").value();
  std::vector<std::string> names;
  for (const Member& member : container->members()) {
    names.push_back(member.name + ":" + std::to_string(member.size));
  }
  EXPECT_THAT(names, ElementsAre(long_name + ":3", long_name + "2:3", "big:3", "last:1"));
  EXPECT_EQ(container->no_files(), 1u);
}

TEST(Container, NamesLeadNowhereElse) {
  const TempDir dir;
  const std::vector<File> files = {
      {"../../a", "1"}, {"/b//./c", "2"}, {"..", "3"}, {"d\\e", "4"}, {"a", "5"}};
  write_file(dir / "x.zip", zip_of(files, 0));
  const auto container = open_container(dir / "x.zip").value();
  std::vector<std::string> names;
  for (const Member& member : container->members()) names.push_back(member.name);
  EXPECT_THAT(names, ElementsAre("b/c", "d/e", "a"));
  EXPECT_EQ(container->replaced(), 1u);
  std::string byte(1, ' ');
  EXPECT_EQ(container->open(2).value()->read(byte).value(), 1u);
  EXPECT_EQ(byte, "5");
}

TEST(Container, DamageIsAnError) {
  const TempDir dir;
  const std::vector<File> files = {{"a.html", "<p>one"}, {"b.html", "<p>two"}};
  const std::string path = dir / "x";
  const std::string zip = zip_of(files, 8);
  for (size_t size = 4; size + 1 < zip.size(); ++size) {
    write_file(path, zip.substr(0, size));
    EXPECT_THAT(error_of(path), HasSubstr("x is damaged, or was cut: ")) << size;
  }
  // Any byte of the list may be wrong: an error, or members that can be opened or refused.
  const size_t list = zip.find("PK\1\2");
  for (size_t at = list; at < zip.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = zip;
      changed[at] ^= change;
      write_file(path, changed);
      const auto container = open_container(path);
      if (!container) continue;
      for (size_t i = 0; i < (*container)->members().size(); ++i) {
        const auto source = (*container)->open(i);
        std::string bytes(1000, '\0');
        while (source && (*source)->read(bytes).value() > 0) {
        }
      }
    }
  }
  const std::string tar = tar_of({{"a.html", std::string(1000, 'x')}, {"b.html", "<p>two"}});
  for (const size_t size : {600u, 1500u, 1600u, 2000u, 2100u}) {
    write_file(path, tar.substr(0, size));
    EXPECT_THAT(error_of(path), HasSubstr("x is damaged, or was cut: ")) << size;
    write_file(path, gzip(tar.substr(0, size)));
    EXPECT_THAT(error_of(path), HasSubstr("x is damaged, or was cut: ")) << size;
  }
  write_file(path, "plain text, and no container");
  EXPECT_EQ(open_container(path).value(), nullptr);
}

TEST(Container, OverlappingMembersAreRefused) {
  const TempDir dir;
  const std::string inner = zip_of({{"b", "the same"}}, 0);
  const std::string head_of_b = inner.substr(0, inner.find("PK\1\2"));
  std::string zip = zip_of({{"a", head_of_b}, {"c", "another"}}, 0);
  // The list leads to the head of b, which is in the bytes of a, where that of c is named.
  std::string place;
  append_fixed(place, static_cast<uint32_t>(zip.find(head_of_b)));
  zip.replace(zip.rfind("PK\1\2") + 42, 4, place);
  write_file(dir / "x.zip", zip);
  EXPECT_THAT(error_of(dir / "x.zip"), HasSubstr("a does not end before another file begins"));
}

// Where deflated bytes quote the head of another file, which begins in them, only what comes before
// that can be told from the bytes of the other one.
TEST(Container, DeflatedMembersAreHeldToTheirOwnBytes) {
  const TempDir dir;
  std::string noise;
  Rng rng(5);
  for (int i = 0; i < 1'000'000; ++i) noise += static_cast<char>(rng.below(256));
  std::string zip = zip_of({{"a.html", noise}, {"b.html", noise}}, 8);
  const size_t data = zip.find("PK\3\4", 4);
  zip.replace(300'000, data - 300'000 < 36 ? 0 : 36, zip.substr(data, 36));
  std::string place;
  append_fixed(place, uint32_t{300'000});
  zip.replace(zip.rfind("PK\1\2") + 42, 4, place);
  write_file(dir / "x.zip", zip);
  const auto container = open_container(dir / "x.zip").value();
  ASSERT_EQ(container->members().size(), 2u);
  const auto source = container->open(0).value();
  std::string piece(100'000, '\0');
  uint64_t sum = 0;
  for (size_t n = 1; n > 0; sum += n) n = source->read(piece).value();
  EXPECT_LT(sum, 700'000u);
  EXPECT_STRNE(source->problem(), "");
}

TEST(Container, ObstaclesAreSaid) {
  const TempDir dir;
  const std::vector<File> files = {{"a.html", "<p>one"}};
  for (const auto& [method, flags, says] :
       {std::tuple{0, 1, "x.zip/a.html is encrypted: unpack "},
        std::tuple{95, 0, "x.zip/a.html is packed by a method other than"},
        std::tuple{9, 0, "x.zip/a.html is packed by a method other than"}}) {
    write_file(dir / "x.zip",
               zip_of(files, static_cast<uint16_t>(method), static_cast<uint16_t>(flags)));
    CrawlOptions options{.inputs = {dir / "x.zip"}};
    options.base_url = "http://e/";
    const auto reader = PageReader::open(options, {});
    ASSERT_FALSE(reader);
    EXPECT_THAT(reader.error().message, HasSubstr(says));
  }
}

// A member that unpacks to other bytes than its head says is damaged, and counted.
TEST(Container, SizesAndChecksumsAreCompared) {
  const TempDir dir;
  const std::string html = "<p>" + std::string(3000, 'x');
  for (const uint16_t method : std::initializer_list<uint16_t>{8, 12, 93}) {
    for (const int change : {-1, 1}) {
      std::string zip = zip_of({{"a.html", html}}, method);
      const size_t list = zip.find("PK\1\2");
      std::string size;
      append_fixed(size, static_cast<uint32_t>(static_cast<int>(html.size()) + change));
      zip.replace(22, 4, size);
      zip.replace(list + 24, 4, size);
      write_file(dir / "x.zip", zip);
      CrawlOptions options{.inputs = {dir / "x.zip"}};
      options.base_url = "http://e/";
      const Crawl crawl = read_crawl(options);
      EXPECT_EQ(crawl.pages.size(), 0u) << method;
      EXPECT_EQ(crawl.skipped(Skip::damaged), 1u) << method;
    }
  }
}

TEST(Container, MemberPathsNameTheContainer) {
  const TempDir dir;
  write_file(dir / "x.zip", "x");
  EXPECT_EQ(member_path(dir / "x.zip/a/b")->member, "a/b");
  EXPECT_EQ(file_on_disk(dir / "x.zip/a/b"), dir / "x.zip");
  EXPECT_FALSE(member_path(dir / "x.zip"));
  EXPECT_FALSE(member_path(dir / "none/a"));
  EXPECT_EQ(file_on_disk("-"), "-");
}

}  // namespace
}  // namespace kith::crawl::test
