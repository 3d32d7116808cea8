// The temporary files of the bags stage, of any bytes: a partition of fragments, or runs, through
// to the tables of a run. What is made of damaged ones is sound, or it is refused. The first byte
// chooses which, the weighting, and whether there are aliases.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bags/collapse.h"
#include "bags/merge.h"
#include "bags/tables.h"
#include "support/memory_file_system.h"

namespace {

constexpr uint32_t stems = 64;
constexpr size_t max_runs = 4;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

// Every eighth stem is too rare, the first terms are too frequent.
const kith::bags::Dictionary& dictionary() {
  static const kith::bags::Dictionary made = [] {
    kith::bags::Dictionary some;
    for (uint32_t stem = 0; stem < stems; ++stem) {
      const bool rare = stem % 8 == 7;
      const auto next = static_cast<uint32_t>(some.provisional_id.size());
      some.final_id.push_back(rare ? kith::bags::no_term : next);
      if (rare) continue;
      some.provisional_id.push_back(stem);
      some.factors[0].emplace_back(1.0 / (1 + stem), next < 4);
    }
    return some;
  }();
  return made;
}

// One URL is folded into another.
const kith::bags::AliasMap& some_aliases() {
  static const kith::bags::AliasMap made =
      kith::bags::AliasMap::make({{{4, 4}, kith::bags::AliasKind::canonical, "https://c/"}},
                                 [](const kith::Key128&) { return true; });
  return made;
}

// "run/0", "run/1", ...: cut where the input says, or collapsed from fragments.
std::vector<std::string> make_runs(kith::test::MemoryFileSystem& fs, bool fragments,
                                   bool with_aliases, std::string_view input) {
  std::vector<std::string> runs;
  if (fragments) {
    kith::bags::DocumentFrequencies frequencies(stems, kith::bags::Slots());
    runs.emplace_back("run/0");
    const auto& aliases = with_aliases ? some_aliases() : kith::bags::AliasMap();
    const auto counts =
        kith::bags::collapse_partition(fs, input, runs[0], {{}, &aliases, &frequencies});
    if (counts) return runs;
    require(counts.error().kind == kith::ErrorKind::corrupt);
    return {};
  }
  kith::Cursor cursor(input);
  while (runs.size() < max_runs && !cursor.at_end()) {
    const auto size = cursor.fixed<uint16_t>();
    runs.push_back("run/" + std::to_string(runs.size()));
    fs.put(runs.back(), cursor.take(std::min<size_t>(size, cursor.remaining())));
  }
  return runs;
}

void use_tables(kith::storage::FileSystem& fs, uint64_t count) {
  const auto urls = kith::bags::UrlTable::open(fs, "run/urls.kith");
  const auto titles = kith::bags::TitleTable::open(fs, "run/titles.kith");
  const auto bags = kith::bags::BagTable::open(fs, "run/bags.kith");
  require(urls && titles && bags);
  require(urls->size() == count && titles->size() == count && bags->bags().size() == count);
  const auto terms = static_cast<uint32_t>(dictionary().terms());
  kith::ThreadPool pool(1);
  require(bags->check_entries(terms, pool).is_ok());
  uint64_t next = 0;
  urls->for_each([&](uint32_t id, std::string_view url) {
    require(id == next++);
    require(url == urls->url(id));
  });
  require(next == count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool fragments = data[0] % 2 == 0;
  const auto weighting = static_cast<kith::Weighting>(data[0] / 2 % 4 % 3);
  kith::test::MemoryFileSystem fs;
  const std::vector<std::string> runs = make_runs(fs, fragments, data[0] / 8 % 2 == 1, input);
  if (runs.empty()) return 0;
  kith::ThreadPool pool(1);
  kith::BagsCounts counts;
  const kith::Status merged =
      kith::bags::merge_runs(fs, runs, "run", dictionary(), {weighting}, {}, 0, pool, counts);
  if (merged) {
    use_tables(fs, counts.urls);
  } else {
    require(merged.error().kind == kith::ErrorKind::corrupt);
  }
  return 0;
}
