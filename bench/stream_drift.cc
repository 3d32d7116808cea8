// An hour of a stream whose topics drift: memory and themes over time.
//
//   bench_stream_drift [MINUTES [HALF_LIFE_SECONDS [WORDS]]]
//
// 20 pages a second of stream time, of 50 topics, one of all their words being replaced every
// second (tests/support/drifting_pages.h); shingles of one word, similarity 0.4, themes of WORDS
// words (5; 0: none). Printed are, of every minute, the documents and clusters that are known, the
// memory that the stream counts, the memory of the process, and what the themes of clusters of five
// or more say: the share of words that are of the topic of the page, and of those that it has
// still.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include "kith/stream.h"

#include "support/drifting_pages.h"

namespace {

using namespace kith;

constexpr int64_t ms_between = 50;
constexpr int64_t minute_ms = 60'000;

uint64_t resident_memory() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct Share {
  uint64_t words = 0;
  uint64_t own = 0;
  uint64_t current = 0;

  void take(const StreamDecision& made, uint32_t topic, const test::DriftingPages& pages) {
    for (const std::string& word : made.theme) {
      ++words;
      own += pages.topic_of(word) == topic ? 1 : 0;
      current += pages.is_current(word, topic) ? 1 : 0;
    }
  }
  double of(uint64_t count) const {
    return words == 0 ? 0 : static_cast<double>(count) / static_cast<double>(words);
  }
};

void print(int64_t minute, const StreamCounts& counts, const Share& share) {
  std::printf(
      "%3lld  %7llu  %6llu  %6.2f  %6.2f  %.3f  %.3f\n", static_cast<long long>(minute),
      static_cast<unsigned long long>(counts.documents),
      static_cast<unsigned long long>(counts.clusters), static_cast<double>(counts.memory) / 1e6,
      static_cast<double>(resident_memory()) / 1e6, share.of(share.own), share.of(share.current));
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t minutes = argc > 1 ? std::atoll(argv[1]) : 60;
  StreamOptions options;
  options.shingles.width = 1;
  options.similarity = 0.4;
  options.half_life_ms = (argc > 2 ? std::atoll(argv[2]) : 300) * 1000;
  options.themes = argc > 3 ? static_cast<uint32_t>(std::atoi(argv[3])) : 5;
  options.decision_themes = true;
  auto stream = Stream::make(options);
  if (!stream) return 1;
  test::DriftingPages pages(1, 50, 20, ms_between);
  std::printf("minute documents clusters counted-MB resident-MB own current\n");
  Share share;
  for (int64_t made = 1; made <= minutes * minute_ms / ms_between; ++made) {
    const test::DriftingPage page = pages.next();
    const auto answer = stream->add(
        {.name = page.name, .text = page.text, .language = "en", .time_ms = page.time_ms});
    if (!answer) return 1;
    const StreamDecision& decision = answer->decisions.back();
    if (decision.size >= 5) share.take(decision, page.topic, pages);
    if (made * ms_between % minute_ms != 0) continue;
    print(made * ms_between / minute_ms, stream->counts(), share);
    share = {};
  }
}
