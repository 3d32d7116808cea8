// Mapped files whose residency is steered by hand beside explicit reads into buffers of our own, in
// two kinds of stages: a pass in order (document frequencies of all bags) and look-ups anywhere
// (exact overlaps of candidate pairs of sets). The reasons and the figures are in
// docs/algorithms/memory.md.
//
//   bench_storage_reads FOLDER [MEGABYTES=1024] [MEMORY_MEGABYTES=64]
//
// The file is made in FOLDER and removed. Every row is a process of its own: processor seconds,
// page faults and the largest resident set are the kernel's. "cold": the file is dropped from the
// page cache first.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "explicit_reads.h"
#include "sketch/bag.h"
#include "sketch/estimate.h"
#include "storage/file_system.h"

namespace kith::bench {
namespace {

constexpr uint64_t mib = uint64_t{1} << 20;
constexpr uint32_t terms = 1 << 20;
constexpr size_t pass_block = mib;
constexpr size_t pairs_per_set = 4;

struct Setup {
  std::string path;
  uint64_t bytes;   // of the file, of 8-byte values
  uint64_t memory;  // that may be resident of it
  unsigned threads = 1;
};

// Ascending values in runs, as the elements of sets are; as entries of bags they are any terms.
std::vector<uint64_t> offsets_of(const Setup& setup) {
  std::vector<uint64_t> offsets{0};
  Rng rng(1);
  const uint64_t values = setup.bytes / sizeof(uint64_t);
  while (offsets.back() < values) {
    const uint64_t size = 200 + rng.below(1800);
    offsets.push_back(std::min(values, offsets.back() + size));
  }
  return offsets;
}

void write_sets(const Setup& setup) {
  const auto file = storage::posix_file_system().create(setup.path).value();
  const std::vector<uint64_t> offsets = offsets_of(setup);
  Rng rng(2);
  std::vector<uint64_t> set;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    set.resize(offsets[i + 1] - offsets[i]);
    uint64_t value = 0;
    for (uint64_t& element : set) element = value += 1 + rng.below(UINT64_MAX / 2100);
    KITH_CHECK(file->append(std::as_bytes(std::span(set))));
  }
  KITH_CHECK(file->sync());
  KITH_CHECK(file->close());
}

struct Pair {
  uint32_t a;
  uint32_t b;
};

// As SetVerification has them: by a, ascending; half of the partners lie near, half anywhere.
std::vector<Pair> candidate_pairs(size_t sets) {
  std::vector<Pair> pairs;
  Rng rng(3);
  for (uint32_t a = 0; a < sets; ++a) {
    for (size_t i = 0; i < pairs_per_set; ++i) {
      const uint64_t b =
          (i & 1) != 0 ? rng.below(sets) : std::min<uint64_t>(sets - 1, a + 1 + rng.below(64));
      pairs.push_back({a, static_cast<uint32_t>(b)});
    }
  }
  return pairs;
}

void count(std::span<const sketch::BagEntry> entries, std::span<uint32_t> counts) {
  for (const sketch::BagEntry& entry : entries) ++counts[entry.term % terms];
}

struct Counts {
  explicit Counts(unsigned threads) : all(size_t{threads} * terms) {}
  std::span<uint32_t> of(unsigned worker) {
    return all.span().subspan(size_t{worker} * terms, terms);
  }
  uint64_t sum() {
    uint64_t sum = 0;
    for (size_t i = 0; i < all.size(); ++i) sum += all[i] * (i % terms);
    return sum;
  }
  LargeArray<uint32_t> all;
};

std::unique_ptr<storage::MappedFile> map(const Setup& setup) {
  return storage::posix_file_system().map(setup.path).value();
}

std::unique_ptr<storage::ReadableFile> open(const Setup& setup) {
  return storage::posix_file_system().open(setup.path).value();
}

uint64_t pass_by_mapping(const Setup& setup, bool releases) {
  ThreadPool pool(setup.threads);
  const auto file = map(setup);
  Counts counts(setup.threads);
  pool.for_chunks(file->bytes().size(), pass_block, [&](size_t begin, size_t end, unsigned worker) {
    const Bytes bytes = file->bytes().subspan(begin, end - begin);
    count({reinterpret_cast<const sketch::BagEntry*>(bytes.data()),
           bytes.size() / sizeof(sketch::BagEntry)},
          counts.of(worker));
    if (releases) file->release(bytes);
  });
  return counts.sum();
}

uint64_t pass_by_reads(const Setup& setup) {
  ThreadPool pool(setup.threads);
  const auto file = open(setup);
  Counts counts(setup.threads);
  std::vector<BlockStream> streams(setup.threads, BlockStream(*file));
  pool.for_chunks(file->size(), pass_block, [&](size_t begin, size_t end, unsigned worker) {
    count(streams[worker].read<sketch::BagEntry>(begin, (end - begin) / sizeof(sketch::BagEntry)),
          counts.of(worker));
  });
  return counts.sum();
}

using Overlap = std::function<uint64_t(Pair pair, unsigned worker)>;

uint64_t add_overlaps(const Setup& setup, size_t sets, const Overlap& overlap_of) {
  ThreadPool pool(setup.threads);
  const std::vector<Pair> pairs = candidate_pairs(sets);
  std::vector<uint64_t> sums(size_t{setup.threads} * 16);
  pool.for_chunks(pairs.size(), 256, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) sums[size_t{worker} * 16] += overlap_of(pairs[i], worker);
  });
  return std::accumulate(sums.begin(), sums.end(), uint64_t{0});
}

std::span<const uint64_t> elements_of(const storage::MappedFile& file) {
  return {reinterpret_cast<const uint64_t*>(file.bytes().data()),
          file.bytes().size() / sizeof(uint64_t)};
}

// As look-ups in mapped files go: all is given back when as much as may be resident was touched.
// The kernel maps pages that are in its cache around the one that is read.
uint64_t look_up_by_mapping(const Setup& setup, bool releases) {
  const auto file = map(setup);
  const std::vector<uint64_t> offsets = offsets_of(setup);
  const std::span<const uint64_t> elements = elements_of(*file);
  const auto set = [&](uint32_t id) {
    return elements.subspan(offsets[id], offsets[id + 1] - offsets[id]);
  };
  constexpr uint64_t around = 256 << 10;
  std::atomic<uint64_t> touched = 0;
  return add_overlaps(setup, offsets.size() - 1, [&](Pair pair, unsigned) {
    const uint64_t common = sketch::overlap(set(pair.a), set(pair.b)).common;
    if (!releases) return common;
    const uint64_t bytes = set(pair.a).size_bytes() + set(pair.b).size_bytes() + 2 * around;
    if (touched.fetch_add(bytes, std::memory_order_relaxed) + bytes < setup.memory) return common;
    touched.store(0, std::memory_order_relaxed);
    file->release(file->bytes());
    return common;
  });
}

// As HashSets::read() and BagCollection::read() do it: one read for every set.
uint64_t look_up_by_copies(const Setup& setup) {
  const auto file = open(setup);
  const std::vector<uint64_t> offsets = offsets_of(setup);
  std::vector<BlockStream> first(setup.threads, BlockStream(*file));
  std::vector<BlockStream> second(setup.threads, BlockStream(*file));
  return add_overlaps(setup, offsets.size() - 1, [&](Pair pair, unsigned worker) {
    const auto a = first[worker].read<uint64_t>(offsets[pair.a] * sizeof(uint64_t),
                                                offsets[pair.a + 1] - offsets[pair.a]);
    const auto b = second[worker].read<uint64_t>(offsets[pair.b] * sizeof(uint64_t),
                                                 offsets[pair.b + 1] - offsets[pair.b]);
    return sketch::overlap(a, b).common;
  });
}

uint64_t look_up_by_cache(const Setup& setup) {
  const auto file = open(setup);
  const std::vector<uint64_t> offsets = offsets_of(setup);
  std::vector<BlockCache> first;
  std::vector<BlockCache> second;
  const uint64_t share = setup.memory / setup.threads;
  for (unsigned worker = 0; worker < setup.threads; ++worker) {
    first.emplace_back(*file, share / 8);  // these come in order
    second.emplace_back(*file, share / 8 * 7);
  }
  return add_overlaps(setup, offsets.size() - 1, [&](Pair pair, unsigned worker) {
    const auto a = first[worker].read<uint64_t>(offsets[pair.a] * sizeof(uint64_t),
                                                offsets[pair.a + 1] - offsets[pair.a]);
    const auto b = second[worker].read<uint64_t>(offsets[pair.b] * sizeof(uint64_t),
                                                 offsets[pair.b + 1] - offsets[pair.b]);
    return sketch::overlap(a, b).common;
  });
}

void drop_from_cache(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  KITH_CHECK(fd >= 0 && ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
  ::close(fd);
}

// Runs the work in a process of its own and prints its row.
void measure(const char* name, const Setup& setup, bool is_cold,
             const std::function<uint64_t(const Setup&)>& work) {
  if (is_cold) drop_from_cache(setup.path);
  int result[2];
  KITH_CHECK(::pipe(result) == 0);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  KITH_CHECK(child >= 0);
  if (child == 0) {
    const uint64_t sum = work(setup);
    KITH_CHECK(::write(result[1], &sum, sizeof(sum)) == sizeof(sum));
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  KITH_CHECK(::wait4(child, &status, 0, &usage) == child && status == 0);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  uint64_t sum = 0;
  KITH_CHECK(::read(result[0], &sum, sizeof(sum)) == sizeof(sum));
  ::close(result[0]);
  ::close(result[1]);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  fmt::print("{}\t{}\t{}\t{:.2f}\t{:.2f}\t{:.2f}\t{}\t{}\t{}\t{:016x}\n", name, setup.threads,
             is_cold ? "cold" : "warm", wall.count(), seconds(usage.ru_utime),
             seconds(usage.ru_stime), usage.ru_minflt, usage.ru_majflt, usage.ru_maxrss >> 10, sum);
  std::fflush(stdout);
}

void measure_all(Setup setup) {
  fmt::print("work\tthreads\tcache\twall_s\tuser_s\tsys_s\tminor\tmajor\tpeak_MiB\tresult\n");
  for (const bool is_cold : {false, true}) {
    for (const unsigned threads : {1u, 2u}) {
      setup.threads = threads;
      measure("pass, mapped", setup, is_cold,
              [](const Setup& s) { return pass_by_mapping(s, false); });
      measure("pass, mapped and released", setup, is_cold,
              [](const Setup& s) { return pass_by_mapping(s, true); });
      measure("pass, read", setup, is_cold, pass_by_reads);
      measure("look-ups, mapped", setup, is_cold,
              [](const Setup& s) { return look_up_by_mapping(s, false); });
      measure("look-ups, mapped and released", setup, is_cold,
              [](const Setup& s) { return look_up_by_mapping(s, true); });
      measure("look-ups, read one by one", setup, is_cold, look_up_by_copies);
      measure("look-ups, block cache", setup, is_cold, look_up_by_cache);
    }
  }
}

}  // namespace
}  // namespace kith::bench

int main(int argc, char** argv) {
  using namespace kith::bench;
  if (argc < 2 || argc > 4) {
    fmt::print(stderr,
               "usage: bench_storage_reads FOLDER [MEGABYTES=1024] [MEMORY_MEGABYTES=64]\n");
    return 2;
  }
  Setup setup{std::string(argv[1]) + "/storage_reads.tmp", 1024 * mib, 64 * mib};
  if (argc > 2) setup.bytes = std::strtoull(argv[2], nullptr, 10) * mib;
  if (argc > 3) setup.memory = std::strtoull(argv[3], nullptr, 10) * mib;
  if (setup.bytes == 0 || setup.memory == 0) return 2;
  write_sets(setup);
  measure_all(setup);
  return ::unlink(setup.path.c_str()) == 0 ? 0 : 1;
}
