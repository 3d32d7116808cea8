#include "kith/compare.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "kith/shingles.h"

#include "answers/estimates.h"
#include "answers/text_alignment.h"
#include "base/check.h"
#include "base/json_walk.h"
#include "jobs/dedup/read.h"
#include "run/guarded.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith {
namespace {

// Features that ascend by their hash, each once, with their number as the weight.
using Counts = std::vector<sketch::WeightedFeature>;

Counts counts_of(std::vector<uint64_t> hashes) {
  std::ranges::sort(hashes);
  Counts counts;
  for (const uint64_t hash : hashes) {
    if (counts.empty() || counts.back().hash != hash) counts.push_back({hash, 0});
    ++counts.back().weight;
  }
  return counts;
}

// Sums over the features of both.
struct CountSums {
  uint64_t minima = 0;
  uint64_t maxima = 0;
  double product = 0;  // sums of integers below 2^53: exact
  double a_square = 0;
  double b_square = 0;

  void add(double x, double y) {
    product += x * y;
    a_square += x * x;
    b_square += y * y;
  }
  double cosine() const {
    // Rounding must not make equal vectors more than equal.
    return product > 0 ? std::min(1.0, product / std::sqrt(a_square * b_square)) : 0.0;
  }
};

CountSums sums_of(const Counts& a, const Counts& b) {
  CountSums sums;
  const auto add = [&](uint32_t x, uint32_t y) {
    sums.minima += std::min(x, y);
    sums.maxima += std::max(x, y);
    sums.add(x, y);
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a = j == b.size() || (i < a.size() && a[i].hash <= b[j].hash);
    const bool take_b = i == a.size() || (j < b.size() && b[j].hash <= a[i].hash);
    add(take_a ? a[i].weight : 0, take_b ? b[j].weight : 0);
    if (take_a) ++i;
    if (take_b) ++j;
  }
  return sums;
}

text::ShingleOptions shingle_options(const CompareOptions& options) {
  const ShingleUnit unit = options.characters ? ShingleUnit::characters : ShingleUnit::words;
  return jobs::shingle_options(
      ShingleOptions{unit, options.width, options.bag, options.normalize, options.numbers});
}

// A document as everything is computed from.
struct Elements {
  answers::ShingledText text;
  std::vector<uint64_t> elements;
  Counts words;
  DocumentSize size;
};

Result<Elements> elements_of(const Document& document, const CompareOptions& options) {
  const text::ShingleOptions shingles = shingle_options(options);
  Elements result;
  result.text = answers::shingle_text(document.text, shingles);
  if (result.text.tokens.empty()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: has no {}words: an empty document resembles nothing",
                             document.name, document.html ? "text or " : "")};
  }
  result.elements = result.text.shingles;
  text::Shingler(shingles).make_elements(result.elements);
  text::ShingleOptions single = shingles;
  single.tokens.unit = text::TokenUnit::words;
  single.width = 1;
  std::vector<uint64_t> words;
  text::Shingler(single).read(document.text, words);
  result.size = {words.size(), result.text.tokens.size(), result.text.shingles.size(),
                 result.elements.size()};
  result.words = counts_of(std::move(words));
  return result;
}

void compare_words(const Counts& a, const Counts& b, Comparison& comparison) {
  const CountSums sums = sums_of(a, b);
  // White space alone has characters, but no words.
  if (sums.maxima > 0) {
    comparison.bag_similarity = static_cast<double>(sums.minima) / static_cast<double>(sums.maxima);
  }
  comparison.word_cosine = sums.cosine();
  comparison.word_fingerprint_a = sketch::simhash(a);
  comparison.word_fingerprint_b = sketch::simhash(b);
  comparison.word_distance =
      hamming_distance(comparison.word_fingerprint_a, comparison.word_fingerprint_b);
}

// Weights of bags are whole units of 1 / weight_one.
uint32_t units_of(double weight) {
  return static_cast<uint32_t>(std::llround(weight * sketch::weight_one));
}

std::vector<TermPair> joined_terms(const std::vector<TermWeight>& a,
                                   const std::vector<TermWeight>& b) {
  std::vector<TermPair> terms;
  terms.reserve(a.size() + b.size());
  for (const TermWeight& entry : a) terms.push_back({entry.term, entry.weight, 0.0, entry.word});
  for (const TermWeight& entry : b) terms.push_back({entry.term, 0.0, entry.weight, entry.word});
  std::ranges::sort(terms, {}, &TermPair::term);
  size_t kept = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (kept > 0 && terms[kept - 1].term == terms[i].term) {
      terms[kept - 1].weight_a += terms[i].weight_a;
      terms[kept - 1].weight_b += terms[i].weight_b;
    } else {
      terms[kept++] = terms[i];
    }
  }
  terms.resize(kept);
  return terms;
}

// Terms by their number in `terms`, which is a name as good as any.
std::vector<sketch::BagEntry> bag_of(const std::vector<TermPair>& terms, double TermPair::*weight) {
  std::vector<sketch::BagEntry> bag;
  for (size_t i = 0; i < terms.size(); ++i) {
    const uint32_t units = units_of(terms[i].*weight);
    if (units > 0) bag.push_back({static_cast<uint32_t>(i), units});
  }
  return bag;
}

uint64_t fingerprint_of(const std::vector<sketch::BagEntry>& bag) {
  Counts features;
  for (const sketch::BagEntry& entry : bag) features.push_back({entry.term, entry.weight});
  return sketch::simhash(features);
}

}  // namespace

Status validate(const CompareOptions& options) {
  if (options.width < 1 || options.width > text::ShingleOptions::max_width) {
    return usage_error(fmt::format("width = {}: must be from 1 to {}", options.width,
                                   text::ShingleOptions::max_width));
  }
  KITH_TRY(sketch::check_lanes(options.lanes));
  if (options.smallest < 1 || options.smallest > 65536) {
    return usage_error(fmt::format("smallest = {}: must be from 1 to 65536", options.smallest));
  }
  if (options.super_shingle < 1 || options.super_shingle > options.lanes) {
    return usage_error(fmt::format("super_shingle = {}: must be from 1 to the lanes, {}",
                                   options.super_shingle, options.lanes));
  }
  if (!(options.confidence > 0.0 && options.confidence < 1.0)) {
    return usage_error(
        fmt::format("confidence = {}: must be above 0 and below 1", options.confidence));
  }
  return Status::ok();
}

Result<Comparison> compare(const Document& a, const Document& b, const CompareOptions& options) {
  return run::guarded([&]() -> Result<Comparison> {
    KITH_TRY(validate(options));
    KITH_ASSIGN(const Elements x, elements_of(a, options));
    KITH_ASSIGN(const Elements y, elements_of(b, options));
    Comparison comparison;
    comparison.options = options;
    comparison.a = x.size;
    comparison.b = y.size;
    compare_words(x.words, y.words, comparison);
    answers::compare_elements(x.elements, y.elements, comparison);
    // Of words before that of shingles, which is the last.
    comparison.estimates.insert(
        comparison.estimates.end() - 1,
        answers::estimate_cosine_of(comparison.word_distance, Measure::word_cosine,
                                    comparison.word_cosine, options.confidence));
    comparison.passages = answers::passages_of(x.text, y.text);
    return comparison;
  });
}

Result<BagComparison> compare_bags(const Run& run, UrlId a, UrlId b,
                                   const CompareOptions& options) {
  return run::guarded([&]() -> Result<BagComparison> {
    KITH_TRY(validate(options));
    BagComparison comparison;
    KITH_ASSIGN(const std::vector<TermWeight> bag_a, run.bag(a));
    KITH_ASSIGN(const std::vector<TermWeight> bag_b, run.bag(b));
    comparison.terms = joined_terms(bag_a, bag_b);
    const std::vector<sketch::BagEntry> x = bag_of(comparison.terms, &TermPair::weight_a);
    const std::vector<sketch::BagEntry> y = bag_of(comparison.terms, &TermPair::weight_b);
    for (const auto& [bag, id] : {std::pair(&x, a), std::pair(&y, b)}) {
      if (!bag->empty()) continue;
      KITH_ASSIGN(const std::string url, run.url(id));
      return Error{ErrorKind::corrupt,
                   fmt::format("{}: its bag in the run is empty: it resembles nothing", url)};
    }
    comparison.bag_similarity = sketch::similarity(x, y);
    CountSums sums;
    for (const TermPair& term : comparison.terms) sums.add(term.weight_a, term.weight_b);
    comparison.cosine = sums.cosine();
    comparison.distance = hamming_distance(fingerprint_of(x), fingerprint_of(y));
    sketch::SketchOptions sketch;
    sketch.lanes = options.lanes;
    const sketch::Sketcher sketcher(sketch);
    std::vector<uint16_t> x_signature(options.lanes);
    std::vector<uint16_t> y_signature(options.lanes);
    sketcher.sketch(x, x_signature);
    sketcher.sketch(y, y_signature);
    comparison.estimates.push_back(answers::estimate_bag_similarity(
        answers::equal_values(x_signature, y_signature), options.lanes, comparison.bag_similarity,
        options.confidence));
    comparison.estimates.push_back(answers::estimate_cosine_of(
        comparison.distance, Measure::word_cosine, comparison.cosine, options.confidence));
    std::ranges::sort(comparison.terms, [](const TermPair& left, const TermPair& right) {
      const auto shared = [](const TermPair& term) {
        return std::min(term.weight_a, term.weight_b);
      };
      const auto largest = [](const TermPair& term) {
        return std::max(term.weight_a, term.weight_b);
      };
      return std::tuple(-shared(left), -largest(left), std::string_view(left.term)) <
             std::tuple(-shared(right), -largest(right), std::string_view(right.term));
    });
    return comparison;
  });
}

std::string_view name(Measure value) {
  return word_of(value, {"resemblance", "containment_of_a", "containment_of_b", "word_cosine",
                         "shingle_cosine", "bag_similarity"});
}
std::string_view name(PassageKind value) {
  return word_of(value, {"shared", "only_a", "only_b", "elsewhere_a", "elsewhere_b"});
}
std::string_view name(DocumentFormat value) {
  return word_of(value, {"auto", "text", "html"});
}

}  // namespace kith
