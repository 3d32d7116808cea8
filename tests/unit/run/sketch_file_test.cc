#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "run/index_files.h"
#include "support/memory_file_system.h"

namespace kith::run {
namespace {

constexpr const char* path = "sketches.kith";
constexpr SketchParams params = {
    .family = sketch::MinHashFamily::bins, .lanes = 32, .seed = 5, .elements = 77};

using Signature = std::vector<uint16_t>;

std::vector<Signature> random_signatures(size_t count) {
  Rng rng(1);
  std::vector<Signature> signatures(count, Signature(params.lanes));
  for (Signature& signature : signatures) {
    for (uint16_t& value : signature) value = static_cast<uint16_t>(rng());
  }
  return signatures;
}

void write(storage::FileSystem& fs, const std::vector<Signature>& signatures) {
  auto writer = SketchWriter::create(fs, path, params);
  ASSERT_TRUE(writer.is_ok());
  for (const Signature& signature : signatures) ASSERT_TRUE(writer->add(signature, 9).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
}

TEST(SketchFile, SketchesComeBack) {
  for (const size_t count : {0, 1, 7}) {
    const std::vector<Signature> signatures = random_signatures(count);
    test::MemoryFileSystem fs;
    write(fs, signatures);
    const auto file = SketchFile::open(fs, path);
    ASSERT_TRUE(file.is_ok()) << file.error().message;
    EXPECT_EQ(file->params(), params);
    ASSERT_EQ(file->size(), count);
    ASSERT_EQ(file->signatures().size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(std::ranges::equal(file->signatures()[i], signatures[i])) << i;
    }
  }
}

TEST(SketchFile, ACutFileIsRefused) {
  test::MemoryFileSystem fs;
  write(fs, random_signatures(3));
  const std::string sound((as_text((*fs.map(path))->bytes())));
  for (size_t size = 0; size < sound.size(); size += 7) {
    fs.put(path, sound.substr(0, size));
    EXPECT_EQ(SketchFile::open(fs, path).error().kind, ErrorKind::corrupt);
  }
}

// The sections of a file of two sketches, as docs/formats/sketches.md has them; damage is done to
// one of them.
struct Sections {
  std::vector<uint8_t> params = [] {
    std::vector<uint8_t> bytes(40, 0);
    bytes[0] = 1;
    bytes[1] = 1;
    bytes[2] = 16;
    bytes[4] = 16;
    bytes[32] = 2;
    return bytes;
  }();
  std::vector<uint16_t> values = std::vector<uint16_t>(32);
  std::vector<uint32_t> sizes = {9, 1};
};

Status opened(const Sections& sections) {
  test::MemoryFileSystem fs;
  auto writer = storage::SectionWriter::create(fs, path, sketches_kind);
  const auto section = [&](std::string_view name, auto values) {
    EXPECT_TRUE(writer->begin(name).is_ok());
    EXPECT_TRUE(writer->append_array(std::span(std::as_const(values))).is_ok());
  };
  section("params", sections.params);
  section("values", sections.values);
  section("sizes", sections.sizes);
  EXPECT_TRUE(writer->finish().is_ok());
  return SketchFile::open(fs, path).status();
}

TEST(SketchFile, SectionsThatDoNotFitAreRefused) {
  EXPECT_TRUE(opened({}).is_ok());
  const std::vector<std::function<void(Sections&)>> damages = {
      [](Sections& s) { s.params[0] = 0; },       [](Sections& s) { s.params[0] = 2; },
      [](Sections& s) { s.params[1] = 3; },       [](Sections& s) { s.params[2] = 8; },
      [](Sections& s) { s.params[3] = 1; },       [](Sections& s) { s.params[4] = 0; },
      [](Sections& s) { s.params[4] = 17; },      [](Sections& s) { s.params[5] = 5; },
      [](Sections& s) { s.params[8] = 1; },       [](Sections& s) { s.params[12] = 1; },
      [](Sections& s) { s.params[32] = 3; },      [](Sections& s) { s.params.pop_back(); },
      [](Sections& s) { s.params.push_back(0); }, [](Sections& s) { s.values.push_back(0); },
      [](Sections& s) { s.values.resize(48); },   [](Sections& s) { s.sizes.pop_back(); },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    Sections sections;
    damages[i](sections);
    const Status found = opened(sections);
    ASSERT_FALSE(found.is_ok()) << "damage " << i;
    EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace kith::run
