// Decisions of a stream with many leaders, from features that are ready.
//
//   bench_stream_leaders simhash|fingerprint|shingles LEADERS [PAGES [FOLDER]]
//
// LEADERS random pages make as many leaders. Then PAGES pages come (100,000): half of them are
// random, half are leaders with up to three bits flipped, or with a tenth of their 100 elements
// drawn anew. Printed are pages per second of elapsed time and of processor time (the same on a
// machine that is not shared), the elapsed times of single decisions, and memory; beside them the
// time of a comparison with all leaders, as brute force would make. With FOLDER the stream has its
// files there, and writes its log.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "kith/stream.h"

#include "base/machine.h"
#include "base/random.h"
#include "jobs/stream/features.h"

namespace {

using namespace kith;
using Clock = std::chrono::steady_clock;
using Elements = std::vector<uint64_t>;

constexpr size_t set_size = 100;

// Of this process.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The same page for the same number.
Elements page_of(StreamBy by, uint64_t number) {
  Rng rng(number);
  Elements elements(by == StreamBy::shingles ? set_size : 1);
  std::ranges::generate(elements, std::ref(rng));
  std::ranges::sort(elements);
  return elements;
}

Elements near(StreamBy by, Elements elements, Rng& rng) {
  if (by == StreamBy::simhash) {
    for (uint64_t flips = rng.below(4); flips > 0; --flips) elements[0] ^= 1ull << rng.below(64);
  } else if (by == StreamBy::shingles) {
    for (size_t i = 0; i < set_size / 10; ++i) elements[rng.below(set_size)] = rng();
    std::ranges::sort(elements);
  }
  return elements;
}

std::string name_of(uint64_t number) {
  return "http://example.org/" + std::to_string(number);
}

void add(Stream& stream, const std::string& name, const Elements& elements) {
  if (!stream.add({.name = name, .elements = elements})) std::exit(1);
}

void compare_with_all(const StreamOptions& options, uint64_t leaders) {
  const uint64_t compared = std::min<uint64_t>(leaders, 1'000'000);
  std::vector<Elements> kept;
  for (uint64_t i = 0; i < compared; ++i) kept.push_back(page_of(options.by, i));
  const Elements asked = page_of(options.by, 0);
  const auto start = Clock::now();
  double best = 0;
  for (const Elements& leader : kept) {
    best = std::max(best, jobs::similarity_of(options, asked, leader));
  }
  const double seconds =
      seconds_since(start) * static_cast<double>(leaders) / static_cast<double>(compared);
  std::printf("brute force: %.0f us a page (similarity %.1f)\n", seconds * 1e6, best);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  StreamOptions options;
  const std::string_view kind = argv[1];
  if (kind == "simhash") options.by = StreamBy::simhash;
  if (kind == "fingerprint") options.by = StreamBy::fingerprint;
  const uint64_t leaders = std::strtoull(argv[2], nullptr, 10);
  const uint64_t pages = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 100'000;
  auto made = argc > 4 ? Stream::open(argv[4], options) : Stream::make(options);
  if (!made) return 1;
  Stream& stream = *made;
  const uint64_t before = peak_memory();
  const auto start = Clock::now();
  const double processor_before = processor_seconds();
  uint64_t names = 0;
  for (uint64_t i = 0; i < leaders; ++i) {
    const std::string name = name_of(i);
    names += name.size();
    add(stream, name, page_of(options.by, i));
  }
  const double building = seconds_since(start);
  const double building_processor = processor_seconds() - processor_before;
  const StreamCounts counts = stream.counts();
  const auto per_leader = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(counts.clusters);
  };
  std::printf("%llu leaders in %.1f s: %.0f pages/s, %.0f a second of processor time\n",
              static_cast<unsigned long long>(counts.clusters), building,
              static_cast<double>(leaders) / building,
              static_cast<double>(leaders) / building_processor);
  std::printf(
      "memory a leader: %.0f bytes counted, %.0f of them its name; %.0f bytes of the process "
      "at its peak\n",
      per_leader(counts.memory), per_leader(names), per_leader(peak_memory() - before));
  Rng rng(leaders);
  std::vector<double> times;
  double total = 0;
  double processor = 0;
  for (uint64_t i = 0; i < pages; ++i) {
    const std::string name = name_of(leaders + i);
    const Elements elements = i % 2 == 0
                                  ? page_of(options.by, leaders + i)
                                  : near(options.by, page_of(options.by, rng.below(leaders)), rng);
    const double processor_begin = processor_seconds();
    const auto begin = Clock::now();
    add(stream, name, elements);
    times.push_back(seconds_since(begin));
    processor += processor_seconds() - processor_begin;
    total += times.back();
  }
  std::ranges::sort(times);
  std::printf(
      "%.0f pages/s, %.0f a second of processor time; a page: median %.1f us, 99th percentile %.1f "
      "us, longest %.0f us\n",
      static_cast<double>(pages) / total, static_cast<double>(pages) / processor,
      times[pages / 2] * 1e6, times[pages * 99 / 100] * 1e6, times.back() * 1e6);
  std::printf("%llu of %llu pages began a cluster\n",
              static_cast<unsigned long long>(stream.counts().clusters - counts.clusters),
              static_cast<unsigned long long>(pages));
  compare_with_all(options, leaders);
}
