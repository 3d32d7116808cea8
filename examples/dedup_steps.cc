// Near-duplicates of documents that two machines have half of each, step by step.
#include <algorithm>
#include <string_view>
#include <vector>

#include <kith/dedup_steps.h>

#include "example.h"

int main() {
  const std::vector<std::string_view> texts = {
      "all happy families are alike every unhappy family is unhappy in its own way",
      "it was the best of times it was the worst of times it was the age of wisdom",
      "all happy families are alike every unhappy family is unhappy in its own right",
      "call me ishmael some years ago never mind how long precisely"};
  const kith::DedupSteps steps = value_of(kith::DedupSteps::make({.similarity = 0.7}));
  // Each machine makes the features of its own documents; here one has all of them.
  const kith::DocumentFeatures features = value_of(steps.features(texts));
  const uint32_t lanes = steps.options().lanes;
  const auto rows = [&](const std::vector<uint64_t>& places) {
    std::vector<uint16_t> values;
    for (const uint64_t place : places) {
      const auto row = std::span(features.signatures).subspan(place * lanes, lanes);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  };
  // Where the plan is made: from the signatures of a sample of all different documents.
  const kith::DedupSample sample = steps.sample(texts.size());
  const auto plan = value_of(steps.plan(texts.size(), rows(sample.queries), rows(sample.others)));
  const auto chosen = std::ranges::find_if(plan, &kith::DedupTables::chosen);
  const kith::TableJoin join = value_of(steps.join(*chosen));
  // Each of two machines finds the candidates in its half of all buckets, and compares them.
  const std::vector<uint32_t> documents = {0, 1, 2, 3};
  for (uint32_t slice = 0; slice < 2; ++slice) {
    const auto found = value_of(join.candidates(documents, features.signatures, {}, slice, 2));
    for (const kith::DocumentIds& pair : found.pairs) {
      const std::vector<uint32_t> a = {pair.a};
      const std::vector<uint32_t> b = {pair.b};
      const auto common = value_of(steps.verify(features.sets, a, b));
      if (common[0] == kith::no_common_elements) continue;
      std::printf("documents %u and %u share %u of %zu shingles\n", pair.a, pair.b, common[0],
                  features.sets[pair.a].size());
    }
  }
}
