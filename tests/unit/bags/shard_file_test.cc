// What the file of a shard may hold: pages as bytes, and sections that fit each other.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bags/shard/file.h"
#include "storage/zstd.h"
#include "support/memory_file_system.h"

namespace kith::bags {
namespace {

std::vector<std::string> urls_of(const LinkUrls& urls) {
  std::vector<std::string> whole(urls.size());
  for (size_t i = 0; i < urls.size(); ++i) urls.read(i, whole[i]);
  return whole;
}

PageDigest sample_digest() {
  PageDigest digest;
  digest.url = "https://a.example/";
  digest.title = "Title";
  digest.title_terms = {7, no_term};
  digest.terms = {no_term, 300, 0, no_term - 1, 300};
  digest.blocks = {{0, 1, 0x123456789abcdef0}, {3, 2, 7}};
  digest.link_urls.reset("https://b.example/");
  digest.link_urls.add("https://b.example/");
  digest.link_urls.add("https://c.example/x");
  digest.links = {{0, 2}, {2, 5}};
  digest.links_stand_alone = true;
  digest.long_words = 2;
  digest.links_met = 9;
  digest.bad_links = 4;
  digest.self_links = 3;
  digest.canonical = "https://d.example/";
  return digest;
}

TEST(ShardPage, IsReadAsItWasWritten) {
  const PageDigest digest = sample_digest();
  std::string bytes;
  append_shard_page(digest, {1234, false, true}, bytes);
  Cursor cursor(bytes);
  ShardPage page;
  ASSERT_TRUE(read_shard_page(cursor, page));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(page.payload.bytes, 1234u);
  EXPECT_FALSE(page.payload.is_cut);
  EXPECT_TRUE(page.payload.ends_early);
  EXPECT_EQ(page.digest.url, digest.url);
  EXPECT_EQ(page.digest.title, digest.title);
  EXPECT_EQ(page.digest.title_terms, digest.title_terms);
  EXPECT_EQ(page.digest.terms, digest.terms);
  ASSERT_EQ(page.digest.blocks.size(), 2u);
  EXPECT_EQ(page.digest.blocks[0].link_words, 1u);
  EXPECT_EQ(page.digest.blocks[0].hash, 0x123456789abcdef0u);
  EXPECT_EQ(page.digest.blocks[1].begin, 3u);
  EXPECT_EQ(urls_of(page.digest.link_urls), urls_of(digest.link_urls));
  ASSERT_EQ(page.digest.links.size(), 2u);
  EXPECT_EQ(page.digest.links[1].begin, 2u);
  EXPECT_EQ(page.digest.links[1].end, 5u);
  EXPECT_TRUE(page.digest.links_stand_alone);
  EXPECT_EQ(page.digest.links_met, 9u);
  EXPECT_EQ(page.digest.canonical, digest.canonical);
  EXPECT_EQ(page.digest.refresh, "");
}

TEST(ShardPage, HasAHeadOfItsUrlAndBlocks) {
  const PageDigest digest = sample_digest();
  std::string bytes;
  append_page_head(digest, bytes);
  Cursor cursor(bytes);
  PageDigest head;
  ASSERT_TRUE(read_page_head(cursor, head));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(head.url, digest.url);
  ASSERT_EQ(head.blocks.size(), 2u);
  EXPECT_EQ(head.blocks[1].begin, 3u);
  EXPECT_EQ(head.blocks[1].hash, 7u);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Cursor cut(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(read_page_head(cut, head)) << size;
  }
}

// What is read from damaged bytes keeps the promises that its users rely on.
TEST(ShardPage, DamagedBytesGiveNoPageOrASoundOne) {
  std::string sound;
  append_shard_page(sample_digest(), {1234, false, true}, sound);
  for (size_t size = 0; size < sound.size(); ++size) {
    Cursor cursor(std::string_view(sound).substr(0, size));
    ShardPage page;
    EXPECT_FALSE(read_shard_page(cursor, page)) << size;
  }
  for (size_t place = 0; place < sound.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = sound;
      bytes[place] = static_cast<char>(value);
      Cursor cursor(bytes);
      ShardPage page;
      if (!read_shard_page(cursor, page)) continue;
      for (const DigestLink& link : page.digest.links) {
        ASSERT_LE(link.begin, link.end);
        ASSERT_LE(link.end, page.digest.terms.size());
      }
      for (size_t i = 0; i < page.digest.blocks.size(); ++i) {
        const Block& block = page.digest.blocks[i];
        ASSERT_LT(block.begin, page.digest.terms.size());
        ASSERT_EQ(block.begin == 0, i == 0);
        ASSERT_TRUE(i == 0 || block.begin > page.digest.blocks[i - 1].begin);
      }
      ASSERT_EQ(page.digest.links.size(), page.digest.link_urls.size());
      urls_of(page.digest.link_urls);  // within their bytes: AddressSanitizer tells
    }
  }
}

// A file of one page, with some sections replaced.
Result<ShardFile> open_with(storage::FileSystem& fs,
                            const std::map<std::string, std::string>& replaced) {
  const auto offsets = [](std::initializer_list<uint64_t> values) {
    std::string bytes;
    for (const uint64_t value : values) append_fixed(bytes, value);
    return bytes;
  };
  PageDigest digest = sample_digest();
  digest.title_terms = digest.terms = {0, no_term, 1, 1, 0};
  std::string page;
  append_shard_page(digest, {10, false, false}, page);
  std::string frame;
  storage::pack(page, frame);
  const Key128 key = hash128(digest.url);
  std::map<std::string, std::string> sections{{"inputs", "ab"},
                                              {"inputs_at", offsets({0, 1, 2})},
                                              {"stems", "sa"},
                                              {"stems_at", offsets({0, 1, 2})},
                                              {"words", "sa"},
                                              {"words_at", offsets({0, 1, 2})},
                                              {"blocks", frame},
                                              {"blocks_at", offsets({0, frame.size()})},
                                              {"block_pages", offsets({0, 1})},
                                              {"block_inputs", std::string("\1\0\0\0", 4)},
                                              {"keys", offsets({key.high, key.low})},
                                              {"times", offsets({static_cast<uint64_t>(no_time)})},
                                              {"revisits", ""},
                                              {"redirects", ""},
                                              {"example_inputs", ""}};
  for (const auto& [name, bytes] : replaced) sections[name] = bytes;
  KITH_ASSIGN(auto writer, storage::SectionWriter::create(fs, "shard.kith", shard_kind));
  for (const auto& [name, bytes] : sections) {
    KITH_TRY(writer.begin(name));
    KITH_TRY(writer.append(bytes));
  }
  KITH_TRY(writer.finish());
  return ShardFile::open(fs, "shard.kith");
}

Status read_all(const ShardFile& file) {
  ShardPage page;
  std::string buffer;
  for (size_t block = 0; block < file.blocks(); ++block) {
    KITH_TRY(file.read_block(block, page, buffer, [](uint64_t, ShardPage&) { return Status(); }));
  }
  return file.redirects().status();
}

TEST(ShardFile, SectionsThatDoNotFitAreDamage) {
  test::MemoryFileSystem fs;
  const auto sound = open_with(fs, {});
  ASSERT_TRUE(sound.is_ok()) << sound.error().message;
  EXPECT_TRUE(read_all(*sound).is_ok());
  const std::string one(8, '\0');
  std::string other_frame;
  storage::pack("\x07", other_frame);
  const std::vector<std::map<std::string, std::string>> damaged{
      {{"inputs_at", one + std::string("\5\0\0\0\0\0\0\0", 8)}},
      {{"stems", "s"}, {"stems_at", one + std::string("\1\0\0\0\0\0\0\0", 8)}},
      {{"block_pages", one + std::string("\2\0\0\0\0\0\0\0", 8)}},
      {{"block_pages", one}},
      {{"block_inputs", std::string("\2\0\0\0", 4)}},
      {{"keys", std::string(16, '\1')}},
      {{"keys", std::string(15, '\1')}},
      {{"blocks", other_frame},
       {"blocks_at",
        one + std::string(1, static_cast<char>(other_frame.size())) + std::string(7, '\0')}},
      {{"stems", ""}, {"stems_at", one}, {"words", ""}, {"words_at", one}},
      {{"redirects", "short"}}};
  for (const auto& replaced : damaged) {
    const auto file = open_with(fs, replaced);
    const Status status = file ? read_all(*file) : file.status();
    ASSERT_FALSE(status.is_ok()) << replaced.begin()->first;
    EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
    EXPECT_TRUE(status.error().message.starts_with("shard.kith: ")) << status.error().message;
  }
}

}  // namespace
}  // namespace kith::bags
