// The external sort beside the radix sort in memory and std::sort, in bytes of records (16 each)
// sorted a second. The scratch files go to the system's temporary folder.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "base/random.h"
#include "storage/external_sort.h"

namespace {

using namespace kith;

constexpr uint64_t mib = uint64_t{1} << 20;

std::vector<KeyId> random_records(size_t n) {
  Rng rng(1);
  std::vector<KeyId> records(n);
  for (size_t i = 0; i < n; ++i) records[i] = {rng(), static_cast<uint32_t>(i)};
  return records;
}

void report(benchmark::State& state, size_t records) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(records * sizeof(KeyId)));
}

void standard_sort(benchmark::State& state) {
  const std::vector<KeyId> records = random_records(static_cast<size_t>(state.range(0)));
  std::vector<KeyId> sorted;
  for (auto _ : state) {
    state.PauseTiming();
    sorted = records;
    state.ResumeTiming();
    std::ranges::sort(sorted, storage::precedes);
  }
  report(state, records.size());
}

void radix_sort_in_memory(benchmark::State& state) {
  const std::vector<KeyId> records = random_records(static_cast<size_t>(state.range(0)));
  std::vector<KeyId> sorted;
  std::vector<KeyId> scratch(records.size());
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  for (auto _ : state) {
    state.PauseTiming();
    sorted = records;
    state.ResumeTiming();
    radix_sort(sorted, scratch, pool);
  }
  report(state, records.size());
}

// From the first append to the last block read.
void external_sort(benchmark::State& state) {
  const std::vector<KeyId> records = random_records(static_cast<size_t>(state.range(0)));
  ThreadPool pool(static_cast<unsigned>(state.range(1)));
  const auto scratch = std::filesystem::temp_directory_path() /
                       ("bench_storage_external_sort." + std::to_string(::getpid()));
  const storage::ExternalSortOptions options{
      .scratch = scratch.string(),
      .memory = static_cast<uint64_t>(state.range(2)) * mib,
      .block = static_cast<size_t>(state.range(3)) << 10,
  };
  for (auto _ : state) {
    storage::ExternalSort sort(storage::posix_file_system(), pool, options);
    bool ok = true;
    for (const KeyId record : records) ok &= sort.append(record).is_ok();
    Result<storage::SortedRecords> sorted = sort.finish();
    size_t read = 0;
    while (sorted.is_ok()) {
      const auto block = sorted->next();
      if (!block.is_ok() || block->empty()) break;
      read += block->size();
    }
    if (!ok || read != records.size())
      state.SkipWithError("cannot write or read the scratch files");
  }
  report(state, records.size());
}

constexpr int64_t n = 20'000'000;  // 320 MB of records, 240 MB on the disk

BENCHMARK(standard_sort)->ArgName("n")->Arg(n)->Unit(benchmark::kMillisecond);
BENCHMARK(radix_sort_in_memory)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{n}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
// In memory; one merge of 10 runs; one of 80; two levels, since 16 MiB hold 7 blocks of 2 MiB.
BENCHMARK(external_sort)
    ->ArgNames({"n", "threads", "memory_MiB", "block_KiB"})
    ->ArgsProduct({{n}, {1, 2}, {1024, 64, 8}, {256}})
    ->Args({n, 1, 16, 2048})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
