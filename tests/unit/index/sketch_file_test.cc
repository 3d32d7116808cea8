#include "index/sketch_file.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "sketch/min_sketch.h"
#include "sketch/packed_signature.h"
#include "sketch/super_shingles.h"
#include "support/memory_file_system.h"

namespace kith::index {
namespace {

constexpr const char* path = "sketches.kith";

using Set = std::vector<uint64_t>;

std::vector<Set> random_sets(uint64_t seed) {
  Rng rng(seed);
  std::vector<Set> sets;
  for (const size_t size : {0, 1, 3, 90, 100, 101, 2500}) {
    Set set(size);
    for (uint64_t& element : set) element = rng();
    std::ranges::sort(set);
    sets.push_back(set);
  }
  return sets;
}

uint32_t count(const Set& set) {
  return static_cast<uint32_t>(set.size());
}

std::vector<uint16_t> signature_of(const Set& set, const SketchParams& params) {
  const MinHasher hasher({.family = params.family, .lanes = 128, .seed = params.seed});
  std::vector<uint16_t> signature(128);
  hasher.sketch(set, signature);
  return signature;
}

constexpr SketchParams minhash = {.family = MinHashFamily::bins, .seed = 5, .elements = 77};
constexpr SketchParams packed = {.kind = SketchKind::packed, .bits = 3, .seed = 5};
constexpr SketchParams super = {
    .kind = SketchKind::super_shingles, .lanes = 6, .per_super_shingle = 14, .seed = 5};
constexpr SketchParams smallest = {.kind = SketchKind::smallest, .lanes = 64};
constexpr SketchParams modular = {.kind = SketchKind::modular};
constexpr SketchParams all_params[] = {minhash, packed, super, smallest, modular};

std::vector<uint8_t> packed_of(const Set& set) {
  std::vector<uint8_t> bytes(packed_size(128, packed.bits));
  pack_signature(signature_of(set, packed), packed.bits, bytes);
  return bytes;
}

std::vector<uint64_t> super_of(const Set& set) {
  std::vector<uint64_t> keys(super.lanes);
  kith::super_shingles(signature_of(set, super), super.per_super_shingle, 0, keys);
  return keys;
}

Status add(SketchWriter& writer, const SketchParams& params, const Set& set) {
  switch (params.kind) {
    case SketchKind::minhash:
      return writer.add_minhash(signature_of(set, params), count(set));
    case SketchKind::packed:
      return writer.add_packed(packed_of(set), count(set));
    case SketchKind::super_shingles:
      return writer.add_super_shingles(super_of(set), count(set));
    case SketchKind::smallest:
      return writer.add_smallest(min_sketch(set, params.lanes), count(set));
    case SketchKind::modular:
      return writer.add_modular(mod_sketch(set), count(set));
  }
  return Status::ok();
}

void expect_sketch(const SketchFile& file, uint64_t document, const Set& set) {
  EXPECT_EQ(file.elements(document), set.size());
  switch (file.params().kind) {
    case SketchKind::minhash:
      EXPECT_TRUE(std::ranges::equal(file.minhash(document), signature_of(set, file.params())));
      return;
    case SketchKind::packed:
      EXPECT_TRUE(std::ranges::equal(file.packed(document), packed_of(set)));
      return;
    case SketchKind::super_shingles:
      EXPECT_TRUE(std::ranges::equal(file.super_shingles(document), super_of(set)));
      return;
    case SketchKind::smallest:
      EXPECT_TRUE(std::ranges::equal(file.smallest(document), min_sketch(set, 64)));
      return;
    case SketchKind::modular:
      EXPECT_EQ(file.modular(document).level, mod_sketch(set).level);
      EXPECT_EQ(file.modular(document).values, mod_sketch(set).values);
      return;
  }
}

void write(storage::FileSystem& fs, const SketchParams& params, const std::vector<Set>& sets) {
  auto writer = SketchWriter::create(fs, path, params);
  ASSERT_TRUE(writer.is_ok());
  for (const Set& set : sets) ASSERT_TRUE(add(*writer, params, set).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
}

TEST(SketchFile, SketchesOfEveryKindComeBack) {
  for (const SketchParams& params : all_params) {
    for (const bool is_empty : {false, true}) {
      const std::vector<Set> sets = is_empty ? std::vector<Set>() : random_sets(1);
      test::MemoryFileSystem fs;
      write(fs, params, sets);
      const auto file = SketchFile::open(fs, path);
      ASSERT_TRUE(file.is_ok()) << file.error().message;
      EXPECT_EQ(file->params(), params);
      ASSERT_EQ(file->size(), sets.size());
      for (size_t i = 0; i < sets.size(); ++i) expect_sketch(*file, i, sets[i]);
      EXPECT_TRUE(file->verify().is_ok());
    }
  }
}

std::string contents(storage::FileSystem& fs) {
  const auto file = fs.map(path);
  return std::string(as_text((*file)->bytes()));
}

// Every byte: it is refused when the file is opened, or found when it is verified.
TEST(SketchFile, EveryChangedByteIsFound) {
  for (const SketchParams& params : all_params) {
    test::MemoryFileSystem fs;
    write(fs, params, {{1, 2, 3}, {}, {uint64_t{1} << 40}});
    const std::string sound = contents(fs);
    for (size_t at = 0; at < sound.size(); ++at) {
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
      fs.put(path, bytes);
      const auto file = SketchFile::open(fs, path);
      const Status found = file.is_ok() ? file->verify() : file.status();
      ASSERT_FALSE(found.is_ok()) << "byte " << at;
      EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
    }
  }
}

TEST(SketchFile, ACutFileIsRefused) {
  test::MemoryFileSystem fs;
  write(fs, smallest, random_sets(2));
  const std::string sound = contents(fs);
  for (size_t size = 0; size < sound.size(); size += 7) {
    fs.put(path, sound.substr(0, size));
    EXPECT_EQ(SketchFile::open(fs, path).error().kind, ErrorKind::corrupt);
  }
}

// The sections of a file of two modular sketches, as they should be; damage is done to one of them.
struct Sections {
  std::vector<uint8_t> params = [] {
    std::vector<uint8_t> bytes(40, 0);
    bytes[0] = 5;
    bytes[1] = 1;
    bytes[2] = 16;
    bytes[4] = 128;
    bytes[32] = 2;
    return bytes;
  }();
  std::vector<uint64_t> values = {2, 4, 6};
  std::vector<uint64_t> values_at = {0, 2, 3};
  std::vector<uint8_t> levels = {1, 0};
  std::vector<uint32_t> sizes = {9, 1};
};

Status opened_and_verified(const Sections& sections) {
  test::MemoryFileSystem fs;
  auto writer = storage::SectionWriter::create(fs, path, sketches_kind);
  const auto section = [&](std::string_view name, auto values) {
    EXPECT_TRUE(writer->begin(name).is_ok());
    EXPECT_TRUE(writer->append_array(std::span(std::as_const(values))).is_ok());
  };
  section("params", sections.params);
  section("values", sections.values);
  section("values_at", sections.values_at);
  section("levels", sections.levels);
  section("sizes", sections.sizes);
  EXPECT_TRUE(writer->finish().is_ok());
  const auto file = SketchFile::open(fs, path);
  return file.is_ok() ? file->verify() : file.status();
}

TEST(SketchFile, SectionsThatDoNotFitAreRefused) {
  EXPECT_TRUE(opened_and_verified({}).is_ok());
  const std::vector<std::function<void(Sections&)>> damages = {
      [](Sections& s) { s.params[0] = 0; },     [](Sections& s) { s.params[0] = 6; },
      [](Sections& s) { s.params[1] = 3; },     [](Sections& s) { s.params[3] = 1; },
      [](Sections& s) { s.params[12] = 1; },    [](Sections& s) { s.params[32] = 3; },
      [](Sections& s) { s.params.pop_back(); }, [](Sections& s) { s.params.push_back(0); },
      [](Sections& s) { s.params[0] = 4; },     [](Sections& s) { s.values.push_back(8); },
      [](Sections& s) { s.values_at[1] = 4; },  [](Sections& s) { s.values_at.pop_back(); },
      [](Sections& s) { s.levels[0] = 64; },    [](Sections& s) { s.levels.push_back(0); },
      [](Sections& s) { s.sizes.pop_back(); },  [](Sections& s) { s.sizes[0] = 1; },
      [](Sections& s) { s.sizes[1] = 2; },      [](Sections& s) { s.values[1] = 2; },
      [](Sections& s) { s.values[1] = 5; },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    Sections sections;
    damages[i](sections);
    const Status found = opened_and_verified(sections);
    ASSERT_FALSE(found.is_ok()) << "damage " << i;
    EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
  }
}

TEST(SketchFile, OnlySketchesOfTheSameParametersAreCompared) {
  std::vector<SketchParams> variants = {minhash, minhash, minhash, minhash, minhash, packed, super};
  variants[1].seed = 6;
  variants[2].elements = 78;
  variants[3].family = MinHashFamily::lanes;
  variants[4].lanes = 64;
  const std::string_view differs[] = {"",           "the seed",           "how documents become",
                                      "the family", "number and size of", "the kind",
                                      "the kind"};
  test::MemoryFileSystem fs;
  ASSERT_TRUE(SketchWriter::create(fs, path, minhash)->finish().is_ok());
  const auto first = SketchFile::open(fs, path);
  for (size_t i = 0; i < variants.size(); ++i) {
    ASSERT_TRUE(SketchWriter::create(fs, "other", variants[i])->finish().is_ok());
    const auto other = SketchFile::open(fs, "other");
    const Status comparable = first->check_comparable(*other);
    ASSERT_EQ(comparable.is_ok(), i == 0);
    if (i == 0) continue;
    EXPECT_EQ(comparable.error().kind, ErrorKind::usage);
    EXPECT_NE(comparable.error().message.find(differs[i]), std::string::npos)
        << comparable.error().message;
  }
}

}  // namespace
}  // namespace kith::index
