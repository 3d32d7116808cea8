#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json_walk.h"
#include "jobs/stream/features.h"
#include "jobs/stream/leader_index.h"
#include "jobs/stream/page_words.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith {
namespace {

Status check_similarity(const StreamOptions& options) {
  if (options.similarity > 0 && options.similarity <= 1) return Status::ok();
  return usage_error(
      fmt::format("similarity = {}: must be above 0 and at most 1", options.similarity));
}

Status check_tables(const StreamOptions& options) {
  KITH_TRY(check_similarity(options));
  KITH_TRY(sketch::check_lanes(options.lanes));
  const double similarity = jobs::plan_similarity(options.similarity);
  // First as it is given: an error names it.
  for (const double recall : {options.recall, jobs::table_recall(options)}) {
    KITH_TRY(
        sketch::choose_tables(similarity, recall, options.lanes, options.max_tables, options.seed)
            .status());
  }
  return Status::ok();
}

Status check_shingles(const StreamOptions& options) {
  KITH_TRY(validate(options.shingles));
  if (options.measure == StreamMeasure::resemblance) return check_tables(options);
  KITH_TRY(check_similarity(options));
  if (options.recall > 0 && options.recall < 1) return Status::ok();
  return usage_error(fmt::format("recall = {}: must be between 0 and 1", options.recall));
}

Status check_kind(const StreamOptions& options) {
  if (options.by != StreamBy::shingles && options.measure != StreamMeasure::resemblance) {
    return usage_error(fmt::format("measure = containment: not with by = {}", name(options.by)));
  }
  if (options.by != StreamBy::bags && !options.dictionary.empty()) {
    return usage_error(
        fmt::format("dictionary = {}: not with by = {}", options.dictionary, name(options.by)));
  }
  if (options.by != StreamBy::bags && options.leader == StreamLeader::mean) {
    return usage_error(
        fmt::format("leader = mean: not with by = {}: only bags have a mean", name(options.by)));
  }
  if (options.pairs && options.leader == StreamLeader::mean) {
    return usage_error("leader = mean: with pairs = true nothing is joined");
  }
  switch (options.by) {
    case StreamBy::shingles:
      return check_shingles(options);
    case StreamBy::simhash:
      if (options.distance > sketch::max_distance) {
        return usage_error(fmt::format("distance = {}: must be at most {}", options.distance,
                                       sketch::max_distance));
      }
      KITH_TRY(validate(options.shingles));
      return sketch::choose_design(1, options.distance, options.max_tables).status();
    case StreamBy::fingerprint:
      if (options.bits < 16 || options.bits > 64) {
        return usage_error(fmt::format("bits = {}: must be from 16 to 64", options.bits));
      }
      if (options.half_life_ms > 0) {
        return usage_error("`half_life_ms`: fingerprints are equal or not; use `forget_after_ms`");
      }
      return validate(options.shingles);
    case StreamBy::bags:
      return check_tables(options);
  }
  return Status::ok();
}

}  // namespace

Status validate(const StreamOptions& options) {
  KITH_TRY(check_kind(options));
  if (options.forget_after_ms < 0 || options.half_life_ms < 0 || options.max_skew_ms < 0) {
    return usage_error("`forget_after_ms`, `half_life_ms`, `max_skew_ms`: a time is not negative");
  }
  if (options.forget_after_ms > 0 && options.forget_after_pages > 0) {
    return usage_error(
        "`forget_after_ms`, `forget_after_pages`: a time or a number of pages, not both");
  }
  if (options.half_life_ms > 0 && jobs::min_similarity(options) == 1) {
    return usage_error(
        "`half_life_ms`: at a similarity of 1 nothing may be any older; use `forget_after_ms`");
  }
  constexpr size_t most = jobs::PageWordReader::most;
  if (options.themes > most) {
    return usage_error(fmt::format("themes = {}: must be at most {}", *options.themes, most));
  }
  return Status::ok();
}

std::string_view name(StreamBy value) {
  return word_of(value, {"shingles", "simhash", "fingerprint", "bags"});
}
std::string_view name(StreamMeasure value) {
  return word_of(value, {"resemblance", "containment"});
}
std::string_view name(StreamLeader value) {
  return word_of(value, {"first", "mean"});
}
std::string_view name(StreamRole value) {
  return word_of(value, {"leader", "member", "duplicate", "updated", "moved", "deleted"});
}

}  // namespace kith
