#include "kith/shingles.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "kith/sketches.h"

#include "api/batch.h"
#include "jobs/dedup/read.h"
#include "sketch/simhash.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace kith {

Status validate(const SetsView& sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets.offsets[i] > sets.offsets[i + 1]) {
      return api::usage(fmt::format("set {}: its offsets descend", i));
    }
    if (sets.offsets[i + 1] > sets.elements.size()) {
      return api::usage(fmt::format("set {}: ends at {}, but there are {} elements", i,
                                    sets.offsets[i + 1], sets.elements.size()));
    }
  }
  return Status::ok();
}

namespace {

constexpr size_t texts_per_chunk = 64;

// The sets of consecutive texts.
struct Part {
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> elements;
};

Sets joined(std::vector<Part>& parts) {
  Sets sets;
  size_t elements = 0;
  for (const Part& part : parts) elements += part.elements.size();
  sets.elements.reserve(elements);
  for (Part& part : parts) {
    for (const uint64_t size : part.sizes) sets.offsets.push_back(sets.offsets.back() + size);
    sets.elements.insert(sets.elements.end(), part.elements.begin(), part.elements.end());
    part = {};
  }
  return sets;
}

}  // namespace

Result<std::vector<uint64_t>> shingles(std::string_view text, const ShingleOptions& options) {
  KITH_ASSIGN(Sets sets, shingles(std::span(&text, 1), options, 1));
  return std::move(sets.elements);
}

Result<Sets> shingles(std::span<const std::string_view> texts, const ShingleOptions& options,
                      unsigned threads) {
  KITH_TRY(validate(options));
  const auto make = [&]() -> Result<Sets> {
    std::vector<Part> parts((texts.size() + texts_per_chunk - 1) / texts_per_chunk);
    const auto read = [&](size_t begin, size_t end) -> Status {
      text::Shingler shingler(jobs::shingle_options(options));
      Part& part = parts[begin / texts_per_chunk];
      std::vector<uint64_t> elements;
      for (size_t i = begin; i < end; ++i) {
        KITH_TRY(text::check_size(texts[i], i));
        shingler.elements(texts[i], elements);
        part.sizes.push_back(elements.size());
        part.elements.insert(part.elements.end(), elements.begin(), elements.end());
      }
      return Status::ok();
    };
    KITH_TRY(api::for_chunks(texts.size(), texts_per_chunk, threads, read));
    return joined(parts);
  };
  return run::guarded(make);
}

namespace {

constexpr size_t fingerprints_per_chunk = 64;
constexpr size_t max_features = (size_t{1} << 31) - 1;

Status check_features(size_t features) {
  if (features <= max_features) return Status::ok();
  return api::usage(
      fmt::format("{} features: at most {} make a fingerprint", features, max_features));
}

// Each element counts once, however often it stands there.
uint64_t of_set(std::span<const uint64_t> set, std::vector<uint64_t>& sorted,
                std::vector<sketch::WeightedFeature>& features) {
  features.clear();
  if (std::ranges::adjacent_find(set, std::greater_equal()) != set.end()) {
    sorted.assign(set.begin(), set.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    set = sorted;
  }
  for (const uint64_t element : set) features.push_back({element, 1});
  return sketch::simhash(features);
}

}  // namespace

Result<uint64_t> SimHasher::fingerprint(std::span<const uint64_t> set) const {
  uint64_t fingerprint = 0;
  const uint64_t offsets[] = {0, set.size()};
  KITH_TRY(fingerprints(SetsView{offsets, set}, std::span(&fingerprint, 1), 1));
  return fingerprint;
}

Result<uint64_t> SimHasher::fingerprint(std::span<const uint64_t> features,
                                        std::span<const uint32_t> weights) const {
  KITH_TRY(check_features(features.size()));
  if (features.size() != weights.size()) {
    return api::usage(
        fmt::format("{} features and {} weights: each needs one", features.size(), weights.size()));
  }
  uint64_t fingerprint = 0;
  const Status done = run::guarded([&] {
    std::vector<sketch::WeightedFeature> weighted(features.size());
    for (size_t i = 0; i < features.size(); ++i) weighted[i] = {features[i], weights[i]};
    fingerprint = sketch::simhash(weighted);
    return Status::ok();
  });
  KITH_TRY(done);
  return fingerprint;
}

Status SimHasher::fingerprints(const SetsView& sets, std::span<uint64_t> out,
                               unsigned threads) const {
  KITH_TRY(validate(sets));
  KITH_TRY(api::check_size(out.size(), sets.size()));
  const auto make = [&](size_t begin, size_t end) -> Status {
    std::vector<uint64_t> sorted;
    std::vector<sketch::WeightedFeature> features;
    for (size_t i = begin; i < end; ++i) {
      KITH_TRY(check_features(sets[i].size()));
      out[i] = of_set(sets[i], sorted, features);
    }
    return Status::ok();
  };
  return api::for_chunks(sets.size(), fingerprints_per_chunk, threads, make);
}

Status SimHasher::fingerprints(const Bags& bags, std::span<uint64_t> out, unsigned threads) const {
  KITH_TRY(api::check_size(out.size(), bags.size()));
  const sketch::BagCollection all = bags.arrays().collection();
  return api::for_chunks(all.size(), fingerprints_per_chunk, threads,
                         [&](size_t begin, size_t end) {
                           std::vector<sketch::WeightedFeature> features;
                           for (size_t i = begin; i < end; ++i) {
                             features.clear();
                             for (const sketch::BagEntry& entry : all[i])
                               features.push_back({entry.term, entry.weight});
                             out[i] = sketch::simhash(features);
                           }
                           return Status::ok();
                         });
}

}  // namespace kith
