#include "bags/fragment.h"

#include <map>

#include <gtest/gtest.h>

#include "bags/run.h"
#include "support/temp_dir.h"

namespace kith::bags {
namespace {

TEST(Fragments, ComeBackFromTheirPartition) {
  const test::TempDir dir;
  FragmentSpool spool(storage::posix_file_system(), dir / "part-", 4);
  FragmentWriter writer(spool, 64);  // tiny: every few fragments are written out
  constexpr uint32_t largest = UINT32_MAX - 1;
  EncodedTerms encoded;
  encoded.assign(std::vector<uint32_t>{9, 0, no_term, 127, 128, largest, 10});
  for (int i = 0; i < 50; ++i) {
    const std::string url = "https://example.org/" + std::to_string(i);
    const Key128 key = hash128(url);
    ASSERT_TRUE(writer.add_page(key, url, "title " + std::to_string(i), byte_of({})).is_ok());
    ASSERT_TRUE(writer.add_link(key, url, {7, 9}, encoded.slice(1, 6)).is_ok());
    ASSERT_TRUE(writer.add_inlink(key, url).is_ok());
  }
  ASSERT_TRUE(writer.flush().is_ok());

  std::map<FragmentKind, int> seen;
  for (uint32_t partition = 0; partition < 4; ++partition) {
    const std::string bytes = test::read_file(spool.path(partition));
    EXPECT_EQ(bytes.size(), spool.bytes(partition));
    Cursor cursor(bytes);
    Fragment fragment;
    while (!cursor.at_end()) {
      ASSERT_TRUE(read_fragment(cursor, fragment));
      EXPECT_EQ(spool.partition_of(fragment.url), partition);
      ++seen[fragment.kind];
      if (fragment.kind == FragmentKind::url) {
        EXPECT_EQ(hash128(fragment.text), fragment.url);
      }
      std::vector<uint32_t> terms;
      for_each_term(fragment, [&](uint32_t term) { terms.push_back(term); });
      if (fragment.kind == FragmentKind::link) {
        EXPECT_EQ(terms, (std::vector<uint32_t>{0, 127, 128, largest}));
      }
    }
  }
  EXPECT_EQ(seen[FragmentKind::url], 50);
  EXPECT_EQ(seen[FragmentKind::page], 50);
  EXPECT_EQ(seen[FragmentKind::link], 50);
  EXPECT_EQ(seen[FragmentKind::inlink], 50);
}

TEST(Fragments, DamagedBytesAreRefused) {
  Fragment fragment;
  for (const std::string& bytes : {std::string("\x09") + std::string(20, 'x'), std::string(3, '\0'),
                                   std::string(17, '\0') + "\x7f"}) {
    Cursor cursor(bytes);
    EXPECT_FALSE(read_fragment(cursor, fragment));
  }
}

TEST(Run, GivesBackItsBagsWhateverTheBlock) {
  const test::TempDir dir;
  const std::string path = dir / "run";
  std::vector<RawBag> bags(100);
  for (uint32_t i = 0; i < bags.size(); ++i) {
    bags[i].surt = "org,example)/" + std::string(i, 'x');
    bags[i].facts = static_cast<uint8_t>(i % 2 * (i + 1));
    bags[i].inlinks = i * 1000;
    bags[i].title = std::string(i % 7, 't');
    for (uint32_t t = 0; t < i % 11; ++t) bags[i].terms.push_back({t * 1'000'000, t + 1});
  }
  auto writer = RunWriter::create(storage::posix_file_system(), path);
  for (const RawBag& bag : bags) ASSERT_TRUE(writer->add(bag).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  for (const size_t block : {1u, 50u, 1u << 20}) {
    auto reader = RunReader::open(storage::posix_file_system(), path, block);
    for (const RawBag& bag : bags) {
      ASSERT_TRUE(*reader->next());
      EXPECT_EQ(reader->surt(), bag.surt);
      RunRecord record;
      std::vector<TermCount> terms{{7, 7}};
      ASSERT_TRUE(read_record(reader->record(), record, terms));
      EXPECT_EQ(record.surt, bag.surt);
      EXPECT_EQ(record.facts, bag.facts);
      EXPECT_EQ(record.inlinks, bag.inlinks);
      EXPECT_EQ(record.title, bag.title);
      EXPECT_EQ(terms, bag.terms);
    }
    EXPECT_FALSE(*reader->next());
  }
}

TEST(Run, ACutFileIsAnError) {
  const test::TempDir dir;
  const std::string path = dir / "run";
  auto writer = RunWriter::create(storage::posix_file_system(), path);
  RawBag bag;
  bag.surt = "org,example)/";
  bag.terms = {{1, 2}, {5, 1}};
  ASSERT_TRUE(writer->add(bag).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  const std::string whole = test::read_file(path);
  for (size_t size = 1; size < whole.size(); ++size) {
    test::write_file(path, whole.substr(0, size));
    auto reader = RunReader::open(storage::posix_file_system(), path, 1 << 16);
    EXPECT_FALSE(reader->next().is_ok()) << size;
  }
}

}  // namespace
}  // namespace kith::bags
