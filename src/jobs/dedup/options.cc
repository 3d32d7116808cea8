// Ranges and names of the options of `kith dedup`.
#include <algorithm>

#include <fmt/format.h>

#include "kith/dedup.h"

#include "base/check.h"
#include "base/json_walk.h"
#include "run/memory_budget.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/signature.h"
#include "text/words/shingles.h"

namespace kith {
namespace {

// A document is removed only where it is contained in the one that is kept.
Status check_containment(const DedupOptions& options) {
  if (options.method != DedupMethod::containment) return Status::ok();
  if (options.groups == Grouping::components) {
    return usage_error(
        "groups = components would remove documents that are not contained in what is kept: with "
        "method = containment groups have centers");
  }
  if (options.order == CenterOrder::degree) {
    return usage_error(
        "order = degree: with method = containment the longest documents become centers first, so "
        "that none is removed for one that lies in it");
  }
  if (options.keep == Keep::shortest) {
    return usage_error(
        "keep = shortest: with method = containment the document that contains the others is kept; "
        "keep = longest decides among documents of equally many shingles only");
  }
  return Status::ok();
}

// What would find no more without verification, or what has none.
Status check_verification(const DedupOptions& options) {
  if (options.verify) return Status::ok();
  if (options.method == DedupMethod::containment) {
    return usage_error("verify = false: method = containment verifies every pair");
  }
  if (options.method == DedupMethod::exact) {
    return usage_error(
        "verify = false: method = exact finds equal documents only, and always compares them");
  }
  if (options.similarity == 1 && options.method != DedupMethod::simhash) {
    return usage_error(
        "verify = false: at similarity = 1 only equal documents are looked for, and always "
        "compared; "
        "give a lower similarity");
  }
  return Status::ok();
}

// Equal texts are equal to their last word.
Status check_boilerplate(const DedupOptions& options) {
  if (options.boilerplate != Boilerplate::remove || options.method != DedupMethod::exact) {
    return Status::ok();
  }
  return usage_error(
      "boilerplate = remove: method = exact compares whole texts; give similarity = 1 to find "
      "pages "
      "that are equal except for their frames");
}

// Of a text as it stands every byte counts.
Status check_numbers(bool normalize, Numbers numbers) {
  if (normalize || numbers == Numbers::keep) return Status::ok();
  return usage_error(fmt::format(
      "numbers = {}: a text that is compared as it is (normalize = false) keeps its numbers",
      name(numbers)));
}

// Documents of two runs meet by their MinHash sketches, or by all their elements.
Status check_against(const DedupOptions& options) {
  if (options.against.empty()) return Status::ok();
  if (std::ranges::find(options.against, "") != options.against.end()) {
    return usage_error("against = '': names no run directory");
  }
  if (options.method == DedupMethod::minhash || options.method == DedupMethod::exact) {
    return Status::ok();
  }
  return usage_error(fmt::format("against = {}: not with method = {}; use minhash or exact",
                                 options.against.front(), name(options.method)));
}

}  // namespace

Status validate(const ShingleOptions& options) {
  if (options.width < 1 || options.width > text::ShingleOptions::max_width) {
    return usage_error(fmt::format("width = {}: must be from 1 to {}", options.width,
                                   text::ShingleOptions::max_width));
  }
  return check_numbers(options.normalize, options.numbers);
}

Status validate(const DedupOptions& options) {
  constexpr uint32_t max_queries = 1u << 16;
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.output.empty()) return usage_error("no output: name the run directory with -o");
  if (options.width < 1 || options.width > text::ShingleOptions::max_width) {
    return usage_error(fmt::format("width = {}: must be between 1 and {}", options.width,
                                   text::ShingleOptions::max_width));
  }
  if (!(options.similarity > 0 && options.similarity <= 1)) {
    return usage_error(
        fmt::format("similarity = {}: must be above 0 and at most 1", options.similarity));
  }
  if (!(options.recall > 0 && options.recall < 1)) {
    return usage_error(fmt::format("recall = {}: must be between 0 and 1", options.recall));
  }
  KITH_TRY(sketch::check_lanes(options.lanes));
  if (options.distance > sketch::max_distance) {
    return usage_error(
        fmt::format("distance = {}: must be at most {}", options.distance, sketch::max_distance));
  }
  KITH_TRY(check_numbers(options.normalize, options.numbers));
  KITH_TRY(check_boilerplate(options));
  KITH_TRY(check_containment(options));
  KITH_TRY(check_verification(options));
  if (options.check_queries > max_queries) {
    return usage_error(
        fmt::format("check_queries = {}: must be at most {}", options.check_queries, max_queries));
  }
  KITH_TRY(check_against(options));
  return run::check_resources(options.memory, options.threads);
}

std::string_view name(DedupMethod value) {
  return word_of(value, {"minhash", "simhash", "supershingle", "containment", "exact"});
}
std::string_view name(ShingleUnit value) {
  return word_of(value, {"words", "characters"});
}
std::string_view name(Numbers value) {
  return word_of(value, {"keep", "mask", "drop"});
}
std::string_view name(Grouping value) {
  return word_of(value, {"center", "components"});
}
std::string_view name(CenterOrder value) {
  return word_of(value, {"degree", "keep"});
}
std::string_view name(Keep value) {
  return word_of(value, {"first", "longest", "shortest", "inlinks"});
}
std::string_view name(PairList value) {
  return word_of(value, {"centers", "all"});
}

}  // namespace kith
