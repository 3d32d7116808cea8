// Queries of permuted tables on the disk. Arguments: fingerprints in millions, distance k, tables
// at most. Half of the queries are fingerprints with up to k bits flipped, half are random. The
// tables are built once each, in a folder of its own under TMPDIR; the counter build_s says how
// long that took.
#include "similar/fingerprints/simhash_tables.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/rng.h"
#include "similar/fingerprints/fingerprint_groups.h"

namespace {

using namespace kith;
using namespace kith::similar;

storage::FileSystem& fs = storage::posix_file_system();

// Removed when the program ends.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "kith-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Built {
  FingerprintGroups groups;
  SimhashTables tables;
  double seconds;
};

Built build(const std::string& name, size_t n, uint32_t distance, uint32_t max_tables) {
  static const Folder folder;
  ThreadPool pool(0);
  const storage::ExternalSortOptions sort{.scratch = folder / "sort", .memory = uint64_t{1} << 30};
  const auto start = std::chrono::steady_clock::now();
  FingerprintGrouper grouper(fs, pool, sort);
  Rng rng(n);
  for (uint32_t document = 0; document < n; ++document) {
    if (!grouper.add(document, rng())) std::abort();
  }
  if (!grouper.write(folder / name + ".groups")) std::abort();
  auto groups =
      FingerprintGroups::open(fs, folder / name + ".groups", static_cast<uint32_t>(n)).value();
  const sketch::TableDesign design = sketch::choose_design(n, distance, max_tables).value();
  if (!write_simhash_tables(fs, folder / name, groups.fingerprints(), design, sort, pool)) {
    std::abort();
  }
  auto tables = SimhashTables::open(fs, folder / name).value();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return {std::move(groups), std::move(tables), taken.count()};
}

void query(benchmark::State& state) {
  static std::map<std::tuple<int64_t, int64_t, int64_t>, std::unique_ptr<Built>> made;
  const std::tuple key(state.range(0), state.range(1), state.range(2));
  const auto k = static_cast<uint32_t>(state.range(1));
  std::unique_ptr<Built>& built = made[key];
  if (built == nullptr) {
    built = std::make_unique<Built>(build("tables" + std::to_string(made.size()),
                                          static_cast<size_t>(state.range(0)) * 1'000'000, k,
                                          static_cast<uint32_t>(state.range(2))));
  }
  const auto fingerprints = built->groups.fingerprints();
  Rng rng(1);
  std::vector<uint64_t> queries(1 << 16);
  for (size_t i = 0; i < queries.size(); ++i) {
    queries[i] = i % 2 == 0 ? rng() : fingerprints[rng.below(fingerprints.size())];
    for (uint64_t flips = rng.below(k + 1); flips > 0; --flips) {
      queries[i] ^= uint64_t{1} << rng.below(64);
    }
  }
  size_t next = 0;
  size_t found = 0;
  for (auto _ : state) {
    found += built->tables.find(queries[next], k).value().size();
    next = (next + 1) % queries.size();
  }
  state.counters["tables"] = static_cast<double>(sketch::table_count(built->tables.design()));
  state.counters["found"] = static_cast<double>(found) / static_cast<double>(state.iterations());
  state.counters["build_s"] = built->seconds;
}

BENCHMARK(query)
    ->Args({20, 3, 20})
    ->Args({1, 3, 20})
    ->Args({1, 7, 64})
    ->Args({20, 7, 8})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
