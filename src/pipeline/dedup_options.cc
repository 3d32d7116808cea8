// Ranges and names of the options of `kith dedup`.
#include <fmt/format.h>

#include "kith/dedup.h"

#include "text/shingles.h"

namespace kith {
namespace {

Error usage(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

}  // namespace

Status validate(const DedupOptions& options) {
  constexpr uint64_t least_memory = 64u << 20;
  constexpr uint32_t most_queries = 1u << 16;
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.output.empty()) return usage("no output: name the run directory with -o");
  if (options.width < 1 || options.width > text::ShingleOptions::max_width) {
    return usage(fmt::format("--width {}: must be between 1 and {}", options.width,
                             text::ShingleOptions::max_width));
  }
  if (!(options.similarity > 0 && options.similarity <= 1)) {
    return usage(fmt::format("--similarity {}: must be above 0 and at most 1", options.similarity));
  }
  if (!(options.recall > 0 && options.recall < 1)) {
    return usage(fmt::format("--recall {}: must be between 0 and 1", options.recall));
  }
  if (options.lanes < 16 || options.lanes > 1024 || options.lanes % 16 != 0) {
    return usage(
        fmt::format("--lanes {}: must be a multiple of 16 between 16 and 1024", options.lanes));
  }
  if (options.check_queries > most_queries) {
    return usage(
        fmt::format("check_queries {}: must be at most {}", options.check_queries, most_queries));
  }
  if (options.memory != 0 && options.memory < least_memory) {
    return usage(fmt::format("--memory {}: must be at least 64M", options.memory));
  }
  if (options.threads > 1024) {
    return usage(fmt::format("--threads {}: must be at most 1024", options.threads));
  }
  return Status::ok();
}

std::string_view name(DedupMethod value) {
  return value == DedupMethod::minhash ? "minhash" : "exact";
}

std::string_view name(ShingleUnit value) {
  return value == ShingleUnit::words ? "words" : "characters";
}

std::string_view name(Grouping value) {
  return value == Grouping::center ? "center" : "components";
}

std::string_view name(CenterOrder value) {
  return value == CenterOrder::degree ? "degree" : "keep";
}

std::string_view name(Keep value) {
  if (value == Keep::first) return "first";
  return value == Keep::longest ? "longest" : "shortest";
}

std::string_view name(ListFormat value) {
  return value == ListFormat::tsv ? "tsv" : "jsonl";
}

}  // namespace kith
