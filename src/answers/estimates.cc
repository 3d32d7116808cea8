#include "answers/estimates.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kith/compare.h"

#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "run/guarded.h"
#include "run/stage_files.h"
#include "similar/fingerprints/simhash_join.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

namespace kith::answers {
namespace {

constexpr uint32_t value_bits = 16;

SketchEstimate row_of(std::string sketch, Measure measure, double exact, const Estimate& estimate,
                      uint64_t bytes_a, uint64_t bytes_b) {
  SketchEstimate row;
  row.sketch = std::move(sketch);
  row.measure = measure;
  row.exact = exact;
  row.lower = estimate.lower;
  row.value = estimate.value;
  row.upper = estimate.upper;
  row.bytes_a = bytes_a;
  row.bytes_b = bytes_b;
  return row;
}

struct SignaturePair {
  std::vector<uint16_t> a;
  std::vector<uint16_t> b;
};

SignaturePair signatures_of(sketch::HashSet a, sketch::HashSet b, sketch::MinHashFamily family,
                            uint32_t lanes) {
  sketch::SetSketchOptions options;
  options.family = family;
  options.lanes = lanes;
  const sketch::SetSketcher hasher(options);
  SignaturePair pair{std::vector<uint16_t>(lanes), std::vector<uint16_t>(lanes)};
  hasher.sketch(a, pair.a);
  hasher.sketch(b, pair.b);
  return pair;
}

SketchEstimate minhash_row(const SignaturePair& pair, std::string_view family, double exact,
                           double confidence) {
  const auto lanes = static_cast<uint32_t>(pair.a.size());
  const uint64_t bytes = uint64_t{lanes} * value_bits / 8;
  return row_of(
      fmt::format("MinHash, {} {}", lanes, family), Measure::resemblance, exact,
      sketch::estimate_similarity(equal_values(pair.a, pair.b), lanes, value_bits, confidence),
      bytes, bytes);
}

SketchEstimate packed_row(const SignaturePair& pair, uint32_t bits, double exact,
                          double confidence) {
  const auto lanes = static_cast<uint32_t>(pair.a.size());
  std::vector<uint8_t> a(sketch::packed_size(lanes, bits));
  std::vector<uint8_t> b(sketch::packed_size(lanes, bits));
  sketch::pack_signature(pair.a, bits, a);
  sketch::pack_signature(pair.b, bits, b);
  const uint32_t equal = sketch::count_equal_packed(a, b, lanes, bits);
  return row_of(fmt::format("{}-bit MinHash, {} lanes", bits, lanes), Measure::resemblance, exact,
                sketch::estimate_similarity(equal, lanes, bits, confidence), a.size(), b.size());
}

SketchEstimate super_shingle_row(const SignaturePair& pair, uint32_t s, double exact,
                                 double confidence) {
  const auto groups = static_cast<uint32_t>(pair.a.size()) / s;
  std::vector<uint64_t> a(groups);
  std::vector<uint64_t> b(groups);
  sketch::super_shingles(pair.a, s, 0, a);
  sketch::super_shingles(pair.b, s, 0, b);
  uint32_t equal = 0;
  for (uint32_t g = 0; g < groups; ++g) equal += a[g] == b[g] ? 1 : 0;
  return row_of(fmt::format("{} super-shingles of {} minima", groups, s), Measure::resemblance,
                exact, sketch::estimate_from_super_shingles(equal, groups, s, confidence),
                8 * groups, 8 * groups);
}

SketchEstimate min_row(sketch::HashSet a, sketch::HashSet b, double exact,
                       const CompareOptions& options) {
  const sketch::HashSet x = sketch::min_sketch(a, options.smallest);
  const sketch::HashSet y = sketch::min_sketch(b, options.smallest);
  return row_of(fmt::format("MIN_s, s = {}", options.smallest), Measure::resemblance, exact,
                sketch::estimate_resemblance(x, y, options.smallest, options.confidence),
                x.size_bytes(), y.size_bytes());
}

void add_mod_rows(sketch::HashSet a, sketch::HashSet b, const sketch::SetOverlap& overlap,
                  double confidence, std::vector<SketchEstimate>& rows) {
  const sketch::ModSketch x = sketch::mod_sketch(a);
  const sketch::ModSketch y = sketch::mod_sketch(b);
  const sketch::ModEstimate estimate = sketch::estimate_overlap(x, y, confidence);
  const std::string sketch = fmt::format("MOD_m, m = 2^{} and 2^{}", x.level, y.level);
  const auto add = [&](Measure measure, double exact, const Estimate& of) {
    rows.push_back(row_of(sketch, measure, exact, of, 8 * x.values.size(), 8 * y.values.size()));
  };
  add(Measure::resemblance, overlap.resemblance(), estimate.resemblance);
  add(Measure::containment_of_a, overlap.containment_of_a(), estimate.containment_of_a);
  add(Measure::containment_of_b, overlap.containment_of_b(), estimate.containment_of_b);
}

}  // namespace

uint32_t equal_values(std::span<const uint16_t> a, std::span<const uint16_t> b) {
  uint32_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

std::vector<SketchEstimate> estimate_overlap_of(sketch::HashSet a, sketch::HashSet b,
                                                const sketch::SetOverlap& overlap,
                                                const CompareOptions& options) {
  const double exact = overlap.resemblance();
  const double confidence = options.confidence;
  const SignaturePair lanes = signatures_of(a, b, sketch::MinHashFamily::lanes, options.lanes);
  const SignaturePair bins = signatures_of(a, b, sketch::MinHashFamily::bins, options.lanes);
  std::vector<SketchEstimate> rows;
  rows.push_back(minhash_row(lanes, "lanes", exact, confidence));
  rows.push_back(minhash_row(bins, "bins", exact, confidence));
  for (uint32_t bits = sketch::max_packed_bits; bits >= 1; --bits) {
    rows.push_back(packed_row(lanes, bits, exact, confidence));
  }
  rows.push_back(super_shingle_row(lanes, options.super_shingle, exact, confidence));
  rows.push_back(min_row(a, b, exact, options));
  add_mod_rows(a, b, overlap, confidence, rows);
  return rows;
}

void compare_elements(sketch::HashSet a, sketch::HashSet b, ShingleComparison& comparison) {
  const sketch::SetOverlap both = sketch::overlap(a, b);
  comparison.a.elements = both.a;
  comparison.b.elements = both.b;
  comparison.common = both.common;
  comparison.resemblance = both.resemblance();
  comparison.containment_of_a = both.containment_of_a();
  comparison.containment_of_b = both.containment_of_b();
  comparison.shingle_cosine =
      static_cast<double>(both.common) /
      (std::sqrt(static_cast<double>(both.a)) * std::sqrt(static_cast<double>(both.b)));
  comparison.shingle_cosine = std::min(1.0, comparison.shingle_cosine);
  comparison.shingle_fingerprint_a = similar::set_fingerprint(a);
  comparison.shingle_fingerprint_b = similar::set_fingerprint(b);
  comparison.shingle_distance =
      hamming_distance(comparison.shingle_fingerprint_a, comparison.shingle_fingerprint_b);
  comparison.estimates = estimate_overlap_of(a, b, both, comparison.options);
  comparison.estimates.push_back(
      estimate_cosine_of(comparison.shingle_distance, Measure::shingle_cosine,
                         comparison.shingle_cosine, comparison.options.confidence));
}

SketchEstimate estimate_cosine_of(uint32_t distance, Measure measure, double exact,
                                  double confidence) {
  const std::string_view of = measure == Measure::word_cosine      ? " of words"
                              : measure == Measure::shingle_cosine ? " of shingles"
                                                                   : "";
  return row_of(fmt::format("SimHash{}, {} bits", of, sketch::fingerprint_bits), measure, exact,
                sketch::estimate_cosine(distance, confidence), sketch::fingerprint_bits / 8,
                sketch::fingerprint_bits / 8);
}

SketchEstimate estimate_bag_similarity(uint32_t equal, uint32_t lanes, double exact,
                                       double confidence) {
  const uint64_t bytes = uint64_t{lanes} * value_bits / 8;
  return row_of(fmt::format("min-wise signature, {} lanes", lanes), Measure::bag_similarity, exact,
                sketch::estimate_similarity(equal, lanes, value_bits, confidence), bytes, bytes);
}

}  // namespace kith::answers

namespace kith {
namespace {

Result<uint32_t> find(const jobs::DocumentTable& documents, const std::string& directory,
                      const std::string& name) {
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (documents.name(id) != name) continue;
    if (documents.sets().size_of(id) > 0) return id;
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: has no shingles in {}: it resembles nothing", name, directory)};
  }
  return Error{ErrorKind::not_found,
               fmt::format("{} has no document named {}; keep.tsv and groups.tsv have the names",
                           directory, name)};
}

}  // namespace

Result<ShingleComparison> compare_in_dedup(const std::string& directory, const std::string& a,
                                           const std::string& b, const CompareOptions& options) {
  return run::guarded([&]() -> Result<ShingleComparison> {
    KITH_TRY(validate(options));
    storage::FileSystem& fs = storage::posix_file_system();
    KITH_ASSIGN(const auto run, jobs::DedupDirectory::open(fs, directory));
    KITH_TRY(run.verify(jobs::documents_stage));
    KITH_ASSIGN(const auto documents, jobs::DocumentTable::open(fs, directory, {}));
    KITH_ASSIGN(const uint32_t first, find(documents, directory, a));
    KITH_ASSIGN(const uint32_t second, find(documents, directory, b));
    const DedupOptions& made = run.report().options;
    ShingleComparison comparison;
    comparison.options = options;
    comparison.options.characters = made.shingles == ShingleUnit::characters;
    comparison.options.width = made.width;
    comparison.options.bag = made.bag;
    comparison.options.normalize = made.normalize;
    comparison.options.numbers = made.numbers;
    answers::compare_elements(documents.sets()[first], documents.sets()[second], comparison);
    return comparison;
  });
}

}  // namespace kith
