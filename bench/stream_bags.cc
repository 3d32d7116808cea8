// Decisions of a stream of bags with many leaders, from bags that are ready.
//
//   bench_stream_bags LEADERS [PAGES] [first|mean] [FOLDER]
//
// Pages of the model of docs/algorithms/synthetic.md, of 100 words on average, come in a random
// order until there are LEADERS leaders; words have the weights that a run of these pages would
// give them. Then PAGES more come (20,000). The options are those of `kith stream --by bags`.
// Printed are pages per second of processor time, times of single decisions, and memory; beside
// them the time of a comparison with all leaders, as brute force would make. With FOLDER features
// lie in a file there but for the newest, as those of `kith stream` do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include "bags/weights.h"
#include "base/machine.h"
#include "base/random.h"
#include "jobs/stream/engine.h"
#include "storage/file_system.h"
#include "synthetic/model.h"

namespace {

using namespace kith;
// Of this process, whatever else the machine does.
double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The pages of a model, each weighted as a bag of content is.
class Bags {
 public:
  explicit Bags(const synthetic::ModelOptions& options)
      : model_(options), frequencies_(model_.vocabulary()) {
    constexpr uint32_t sampled = 100'000;
    for (uint32_t i = 0; i < sampled; ++i) {
      model_.words(page(i), words_);
      for (const bags::TermCount& word : words_) ++frequencies_[word.term];
    }
    for (const uint32_t df : frequencies_) {
      factors_.push_back(
          bags::term_factor(Weighting::tf_idf, std::clamp<uint64_t>(df, 1, sampled), sampled));
    }
  }

  // The i-th page to come. Valid until the next call.
  jobs::Features make(uint64_t i) {
    model_.words(page(i), words_);
    weights_.clear();
    for (const bags::TermCount& word : words_) {
      weights_.push_back(
          {word.term, bags::count_factor(Weighting::tf_idf, word.count) * factors_[word.term]});
    }
    bags::normalise(weights_, 0, bag_);
    features_.clear();
    for (const sketch::BagEntry& entry : bag_) features_.push_back(jobs::packed(entry));
    return features_;
  }

 private:
  // Numbers are sorted by site: a large prime spreads them.
  synthetic::Page page(uint64_t i) const {
    return model_.page(static_cast<uint32_t>(i * 2'147'483'647 % model_.urls()));
  }

  synthetic::Model model_;
  std::vector<uint32_t> frequencies_;
  std::vector<double> factors_;
  std::vector<bags::TermCount> words_;
  std::vector<bags::RealWeight> weights_;
  std::vector<sketch::BagEntry> bag_;
  std::vector<uint64_t> features_;
};

// A stream whose pages are the bags, in their order.
class Bench {
 public:
  Bench(const StreamOptions& options, Bags& bags) : engine_(options), bags_(bags) {}

  void keep_features_in(const std::string& folder) {
    engine_.keep_features_in(storage::posix_file_system(), folder + "/features");
  }
  // The seconds of the decision.
  double add_next() {
    const jobs::Features features = bags_.make(pages_);
    const std::string name = "http://example.org/" + std::to_string(pages_++);
    decisions_.clear();
    const double start = processor_seconds();
    engine_.add(name, features, 0, decisions_, [](const StreamPair&) {});
    return processor_seconds() - start;
  }
  const jobs::Engine& engine() const { return engine_; }
  uint64_t pages() const { return pages_; }

 private:
  jobs::Engine engine_;
  Bags& bags_;
  uint64_t pages_ = 0;
  std::vector<StreamDecision> decisions_;
};

void compare_with_all(const jobs::Engine& engine, Bags& bags, uint64_t next) {
  const auto features = bags.make(next);
  const std::vector<uint64_t> asked(features.begin(), features.end());
  const double start = processor_seconds();
  double best = 0;
  uint64_t compared = 0;
  const jobs::ClusterTable& all = engine.clusters();
  for (uint32_t at = all.oldest(); at != jobs::nobody; at = all[at].newer, ++compared) {
    const jobs::LoadedFeatures leader = engine.pages().features(all[at].leader);
    best = std::max(best, jobs::similarity_of(engine.options(), asked, leader.view()));
  }
  std::printf("brute force: %.0f us a page (%llu leaders, similarity %.2f)\n",
              (processor_seconds() - start) * 1e6, static_cast<unsigned long long>(compared), best);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const uint64_t leaders = std::strtoull(argv[1], nullptr, 10);
  const uint64_t more = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  StreamOptions options;
  options.by = StreamBy::bags;
  options.dictionary = "made";  // the weights are
  options.similarity = 0.3;
  options.recall = 0.9;
  options.max_tables = 64;
  if (argc > 3 && std::string_view(argv[3]) == "mean") options.leader = StreamLeader::mean;
  synthetic::ModelOptions model;
  model.urls = std::min<uint64_t>(50'000'000, 10 * leaders + more);
  model.words = 100;
  Bags bags(model);
  Bench bench(options, bags);
  if (argc > 4) bench.keep_features_in(argv[4]);
  const uint64_t before = peak_memory();
  double building = 0;
  while (bench.engine().clusters().size() < leaders && bench.pages() < model.urls - more) {
    building += bench.add_next();
  }
  const StreamCounts counts = bench.engine().counts();
  std::printf("%llu leaders of %llu pages in %.1f s: %.0f pages/s\n",
              static_cast<unsigned long long>(counts.clusters),
              static_cast<unsigned long long>(counts.pages), building,
              static_cast<double>(counts.pages) / building);
  const auto all = static_cast<double>(counts.clusters);
  std::printf(
      "memory a leader with %.2f members: %.0f bytes counted, %.0f of the process at its peak\n",
      static_cast<double>(counts.documents) / all - 1, static_cast<double>(counts.memory) / all,
      static_cast<double>(peak_memory() - before) / all);
  std::vector<double> times;
  double total = 0;
  for (uint64_t i = 0; i < more; ++i) {
    times.push_back(bench.add_next());
    total += times.back();
  }
  std::ranges::sort(times);
  std::printf("%.0f pages/s; a page: median %.0f us, 99th percentile %.0f us, longest %.0f us\n",
              static_cast<double>(more) / total, times[more / 2] * 1e6,
              times[more * 99 / 100] * 1e6, times.back() * 1e6);
  std::printf("%llu of %llu pages began a cluster\n",
              static_cast<unsigned long long>(bench.engine().clusters().size() - counts.clusters),
              static_cast<unsigned long long>(more));
  compare_with_all(bench.engine(), bags, bench.pages());
}
