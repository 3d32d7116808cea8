// What comes to a stream in a test, step by step, and what is said of it, as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream.h"

#include "base/random.h"
#include "unit/jobs/stream/elements.h"
#include "unit/jobs/stream/model.h"

namespace kith::jobs {

struct Step {
  std::string name;
  Elements elements;
  int64_t time = 0;
  bool is_removal = false;
};

// A few families of similar sets, or of near fingerprints, under names that come again.
inline std::vector<Step> random_steps(const StreamOptions& options, uint64_t seed, size_t n) {
  Rng rng(seed);
  std::vector<Step> steps;
  int64_t time = 1'000'000;
  for (size_t i = 0; i < n; ++i) {
    Step step;
    step.name = "page " + std::to_string(rng.below(n / 2));
    time += static_cast<int64_t>(rng.below(200));
    // Now and then a clock that runs backwards.
    step.time = rng.below(10) == 0 ? time - 500 : time;
    step.is_removal = rng.below(12) == 0;
    const uint64_t family = rng.below(8);
    if (options.by == StreamBy::shingles) {
      const uint64_t size = 10 + rng.below(options.measure == StreamMeasure::containment ? 40 : 8);
      for (uint64_t element = 0; element < size; ++element) {
        if (rng.below(16) > 0) step.elements.push_back(mix64(family << 32 | element));
      }
      std::ranges::sort(step.elements);
    } else {
      uint64_t fingerprint = mix64(family + 1);
      for (uint64_t flips = rng.below(4); flips > 0; --flips) fingerprint ^= 1ull << rng.below(64);
      step.elements = {fingerprint};
    }
    if (rng.below(40) == 0) step.elements.clear();
    steps.push_back(step);
  }
  return steps;
}

inline StreamAnswer take(Stream& stream, const Step& step) {
  const StreamPage page{.name = step.name, .elements = step.elements, .time_ms = step.time};
  const auto answer = step.is_removal ? stream.remove(page) : stream.add(page);
  EXPECT_TRUE(answer.is_ok()) << answer.status().error().message;
  return answer.is_ok() ? *answer : StreamAnswer();
}

inline StreamAnswer take(Model& model, const StreamOptions& options, Step step) {
  if (options.by == StreamBy::fingerprint && options.bits < 64 && !step.elements.empty()) {
    step.elements[0] &= ~(UINT64_MAX >> options.bits);
  }
  StreamAnswer answer = step.is_removal ? model.remove(step.name, step.time)
                                        : model.add(step.name, step.elements, step.time);
  if (options.pairs) answer.decisions.clear();
  return answer;
}

inline std::string text_of(const std::vector<StreamDecision>& decisions) {
  std::string text;
  for (const StreamDecision& of : decisions) {
    text += of.document + " " + std::to_string(of.cluster) + " " + std::string(name(of.role)) +
            " " + std::to_string(of.similarity) + " " + of.leader + " " + std::to_string(of.size) +
            "\n";
  }
  return text;
}

inline std::string text_of(const StreamAnswer& answer) {
  std::string text = text_of(answer.decisions);
  for (const StreamPair& pair : answer.pairs) {
    text += pair.earlier + " " + pair.later + " " + std::to_string(pair.similarity) + "\n";
  }
  return text;
}

// What a stream gives again when it is opened.
class Recovered {
 public:
  // Of the answers since the snapshot the first `arrived` have arrived.
  StreamRecovery hooks(uint64_t arrived = 0) {
    return {.begin = [this, arrived](const StreamProgress& progress) -> Result<uint64_t> {
              before_ = progress.answers;
              return progress.answers + arrived;
            },
            .take =
                [this](const StreamAnswer& answer) {
                  text_ += text_of(answer);
                  return Status::ok();
                }};
  }
  const std::string& text() const { return text_; }
  // The answers up to the snapshot.
  uint64_t before() const { return before_; }

 private:
  std::string text_;
  uint64_t before_ = 0;
};

// The clusters with all members, by number.
inline std::map<uint64_t, std::vector<std::string>> clusters_of(const Stream& stream) {
  std::map<uint64_t, std::vector<std::string>> clusters;
  for (const StreamCluster& cluster : stream.clusters()) {
    for (const StreamMember& member : cluster.members) {
      clusters[cluster.number].push_back(member.document);
    }
  }
  return clusters;
}

inline std::map<uint64_t, std::vector<std::string>> clusters_of(const Model& model) {
  std::map<uint64_t, std::vector<std::string>> clusters;
  for (const Model::Group& group : model.groups()) {
    for (const Model::Document& member : group.members) {
      clusters[group.number].push_back(member.name);
    }
  }
  return clusters;
}

// One of every kind, with every rule that makes a difference to it.
inline std::vector<StreamOptions> all_options() {
  std::vector<StreamOptions> all;
  // Tables that miss nothing to speak of: what is compared are decisions, one by one.
  StreamOptions sets;
  sets.similarity = 0.6;
  sets.recall = 0.9999999;
  sets.max_tables = 256;
  StreamOptions contained = sets;
  contained.measure = StreamMeasure::containment;
  contained.similarity = 0.9;
  StreamOptions near;
  near.by = StreamBy::simhash;
  StreamOptions equal;
  equal.by = StreamBy::fingerprint;
  equal.bits = 16;
  for (StreamOptions options : {sets, contained, near, equal}) {
    all.push_back(options);
    options.assign = Assign::first;
    all.push_back(options);
    options.forget_after_pages = 40;
    all.push_back(options);
    options.forget_after_pages = 0;
    options.forget_after_ms = 3000;
    options.most_leaders = 5;
    all.push_back(options);
    if (options.by == StreamBy::fingerprint) continue;
    options.most_leaders = 0;
    options.forget_after_ms = 0;
    options.half_life_ms = 20'000;
    all.push_back(options);
    options.pairs = true;
    all.push_back(options);
  }
  return all;
}

}  // namespace kith::jobs
