// The temporary files of the bags stage, of any bytes: a partition of fragments, or runs, through
// to the tables of a run. What is made of damaged ones is sound, or it is refused. The first byte
// chooses which, the weighting, whether there are aliases, and whether bags are of both kinds.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bags/collapse.h"
#include "bags/copies.h"
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
kith::bags::Dictionary make_dictionary(kith::bags::Slots slots) {
  kith::bags::Dictionary some;
  some.slots = slots;
  for (uint32_t stem = 0; stem < stems; ++stem) {
    const bool rare = stem % 8 == 7;
    const auto next = static_cast<uint32_t>(some.provisional_id.size());
    some.final_id.push_back(rare ? kith::bags::no_term : next);
    if (rare) continue;
    some.provisional_id.push_back(stem);
    some.factors[0].emplace_back(1.0 / (1 + stem), next < 4);
    some.factors[1].emplace_back(1.0 + stem, next < 9);
  }
  return some;
}

const kith::bags::Dictionary& dictionary(kith::bags::Slots slots) {
  static const kith::bags::Dictionary one = make_dictionary(kith::bags::Slots());
  static const kith::bags::Dictionary both = make_dictionary(kith::bags::Slots(2));
  return slots.parts() == 1 ? one : both;
}

// One URL is folded into another.
const kith::bags::AliasMap& some_aliases() {
  static const std::vector<kith::bags::Alias> aliases = {
      {{4, 4}, kith::bags::AliasKind::canonical, "https://c/"}};
  static const kith::bags::AliasMap made = kith::bags::AliasMap::make(aliases);
  return made;
}

// "run/0", "run/1", ...: cut where the input says, or collapsed from fragments.
std::vector<std::string> make_runs(kith::test::MemoryFileSystem& fs, bool fragments,
                                   bool with_aliases, std::string_view input,
                                   kith::bags::DocumentFrequencies& frequencies) {
  std::vector<std::string> runs;
  if (fragments) {
    runs.emplace_back("run/0");
    const auto& aliases = with_aliases ? some_aliases() : kith::bags::AliasMap();
    const auto counts = kith::bags::collapse_partition(
        fs, input, runs[0], {{kith::UrlScope::seen}, &aliases, &frequencies});
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

// The anchors of the copies that the runs have.
kith::Result<kith::bags::CopyAnchors> gather_copies(kith::storage::FileSystem& fs,
                                                    kith::ThreadPool& pool,
                                                    const std::vector<std::string>& runs,
                                                    kith::bags::DocumentFrequencies& frequencies) {
  kith::storage::ExternalSort contents(fs, pool, {"contents", 1 << 16, 2});
  for (const std::string& path : runs) {
    KITH_ASSIGN(auto run, kith::bags::RunReader::open(fs, path, 1 << 10));
    for (;;) {
      KITH_ASSIGN(const bool more, run.next());
      if (!more) break;
      kith::bags::RunRecord record;
      if (!kith::bags::read_record(run.record(), record)) return run.damaged();
      if (record.content != 0) KITH_TRY(contents.append({record.content, 0}));
    }
  }
  KITH_ASSIGN(auto sorted, contents.finish());
  KITH_ASSIGN(auto groups, kith::bags::CopyGroups::read(std::move(sorted)));
  kith::bags::CollapseCounts counts;
  return kith::bags::CopyAnchors::gather(fs, pool, runs, std::move(groups), {"copies-", 1 << 18},
                                         frequencies, counts);
}

void use_tables(kith::storage::FileSystem& fs, uint64_t count) {
  const auto urls = kith::bags::UrlTable::open(fs, "run/urls.kith");
  const auto titles = kith::bags::TitleTable::open(fs, "run/titles.kith");
  const auto bags = kith::bags::BagTable::open(fs, "run/bags.kith");
  require(urls && titles && bags);
  require(urls->size() == count && titles->size() == count && bags->bags().size() == count);
  const auto terms = static_cast<uint32_t>(dictionary(kith::bags::Slots()).terms());
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
  const kith::bags::Slots slots(data[0] / 16 % 2 == 0 ? 1 : 2);
  kith::bags::DocumentFrequencies frequencies(stems, slots);
  const std::vector<std::string> runs =
      make_runs(fs, fragments, data[0] / 8 % 2 == 1, input, frequencies);
  if (runs.empty()) return 0;
  kith::ThreadPool pool(1);
  kith::bags::CopyAnchors copies;
  if (slots.parts() > 1) {
    auto gathered = gather_copies(fs, pool, runs, frequencies);
    require(gathered || gathered.error().kind == kith::ErrorKind::corrupt);
    if (!gathered) return 0;
    copies = std::move(gathered).value();
  }
  kith::BagsCounts counts;
  const kith::Status merged = kith::bags::merge_runs(fs, runs, "run", dictionary(slots),
                                                     {weighting}, copies, 0, pool, counts);
  if (merged) {
    use_tables(fs, counts.urls);
  } else {
    require(merged.error().kind == kith::ErrorKind::corrupt);
  }
  return 0;
}
