#include "kith/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/json_walk.h"
#include "crawl/read/http.h"
#include "run/memory_budget.h"
#include "run/page_filter.h"
#include "sketch/signature.h"
#include "text/url/url_rules.h"
#include "text/words/language.h"

namespace kith {

Status validate(const ShardOptions& options, const std::vector<std::string>& inputs) {
  constexpr uint32_t max_shards = 10000;
  if (options.shard == 0 && options.shards == 0) return Status::ok();
  if (options.shard == 0 || options.shard > options.shards || options.shards > max_shards) {
    return usage_error(fmt::format("shard = {}/{}: must be I/N with 1 <= I <= N <= {}",
                                   options.shard, options.shards, max_shards));
  }
  if (std::ranges::find(inputs, "-") != inputs.end()) {
    return usage_error(
        fmt::format("shard = {}/{}: standard input cannot be divided; name files or folders",
                    options.shard, options.shards));
  }
  return Status::ok();
}

namespace {

Status check_related(const ClusterOptions& options) {
  if (!options.related || options.related == RelatedPages::plain) return Status::ok();
  if (options.engine == EngineChoice::paper) {
    return usage_error(fmt::format("related = {}: is not for the paper's pipeline; leave it out",
                                   name(*options.related)));
  }
  if (options.neighbours == 0) {
    return usage_error(
        fmt::format("related = {}: neighbours = 0 keeps no related pages; leave one of them out",
                    name(*options.related)));
  }
  return Status::ok();
}

Status check_within(const ClusterOptions& options) {
  if (options.within.empty()) return Status::ok();
  if (options.within == "-") {
    return usage_error("within = -: the table is read more than once; name a file");
  }
  if (options.shards > 0) {
    return usage_error(
        fmt::format("within = {}: a shard is not clustered; merge the shards, then 'kith cluster "
                    "RUN --within TABLE -o OTHER'",
                    options.within));
  }
  if (options.engine == EngineChoice::paper) {
    return usage_error(fmt::format(
        "within = {}: the paper's pipeline knows no classes; leave it out", options.within));
  }
  return Status::ok();
}

Status check_paper(const ClusterOptions& options) {
  if (options.engine != EngineChoice::paper) return Status::ok();
  if (options.order == Order::url && options.assign == Assign::first && options.similarity &&
      options.other_sites == 0) {
    return Status::ok();
  }
  return usage_error(
      "engine = paper: has a threshold, scans in the order of URLs, joins the first similar "
      "center, and makes no lists of other sites; leave out `order`, `assign` and "
      "`other_sites`");
}

}  // namespace

std::string_view name(BagKind value) {
  return word_of(value, {"both", "anchor", "content"});
}

std::string_view name(Boilerplate value) {
  return word_of(value, {"remove", "keep"});
}

std::string_view name(UrlScope value) {
  return word_of(value, {"seen", "fetched", "all"});
}

std::string_view name(LinkScope value) {
  return word_of(value, {"all", "external"});
}
std::string_view name(RelatedPages value) {
  return word_of(value, {"smoothed", "plain", "similar"});
}
std::string_view name(Captures value) {
  return word_of(value, {"first", "last", "all"});
}
std::string_view name(Weighting value) {
  return word_of(value, {"tf-idf", "nmdf", "tf"});
}
std::string_view name(EngineChoice value) {
  return word_of(value, {"auto", "exact", "lsh", "paper"});
}
std::string_view name(Order value) {
  return word_of(value, {"auto", "degree", "mass", "inlinks", "url", "random"});
}
std::string_view name(TopicGraph value) {
  return word_of(value, {"full", "mutual", "clusters", "none"});
}
std::string_view name(Assign value) {
  return word_of(value, {"first", "best"});
}

Status validate(const ReadOptions& options) {
  if (options.inputs.empty()) return usage_error("no input: name a crawl file, a folder, or -");
  if (options.max_page < 1024 || options.max_page > (uint64_t{1} << 30)) {
    return usage_error(fmt::format("max_page = {}: must be between 1K and 1G", options.max_page));
  }
  if (const auto set = crawl::StatusSet::parse(options.status); !set) return set.error();
  if (const auto filter = run::PageFilter::parse(options); !filter) return filter.error();
  if (const auto rules = text::UrlRules::parse(options.url_rules); !rules) return rules.error();
  if (!options.language.empty() && !text::language_of_tag(options.language)) {
    return usage_error(
        fmt::format("language = {}: no stemmer or stop words of that language; name one by its "
                    "tag or its English name, as in 'de' or 'german'",
                    options.language));
  }
  return Status::ok();
}

Status validate(const BagOptions& options) {
  if (window_of(options) > 1000) {
    return usage_error(
        fmt::format("window = {}: must be between 0 and 1000 words", *options.window));
  }
  if (!(options.content_share > 0 && options.content_share < 1)) {
    return usage_error(
        fmt::format("content_share = {}: must be between 0 and 1, both excluded; for one kind of "
                    "bags alone set bags = anchor or content",
                    options.content_share));
  }
  for (const std::string& word : options.stop_words) {
    if (with_valid_utf8(word) != word) {
      return usage_error(
          fmt::format("stop_words = {}: is no word in UTF-8", *with_valid_utf8(word)));
    }
  }
  if (options.min_df == 0) return usage_error("min_df = 0: must be at least 1");
  if (!(options.max_df > 0 && options.max_df <= 1)) {
    return usage_error(
        fmt::format("max_df = {}: must be a share above 0 and up to 1", options.max_df));
  }
  return Status::ok();
}

Status validate(const SimilarityOptions& options) {
  if (options.similarity && !(*options.similarity > 0 && *options.similarity <= 1)) {
    return usage_error(
        fmt::format("similarity = {}: must be 'auto' or above 0 and up to 1", *options.similarity));
  }
  if (!(options.recall > 0 && options.recall < 1)) {
    return usage_error(
        fmt::format("recall = {}: must be between 0 and 1, both excluded; for recall 1 "
                    "use engine = exact",
                    options.recall));
  }
  KITH_TRY(sketch::check_lanes(options.lanes));
  if (options.max_tables == 0 || options.max_tables > 1024) {
    return usage_error(
        fmt::format("max_tables = {}: must be between 1 and 1024", options.max_tables));
  }
  if (options.min_words == 0) return usage_error("min_words = 0: must be at least 1");
  return Status::ok();
}

Status validate(const Resources& resources) {
  return run::check_resources(resources.memory, resources.threads);
}

Status validate(const ClusterOptions& options) {
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.output.empty()) return usage_error("no output: name a run directory with -o DIR");
  KITH_TRY(validate(static_cast<const BagOptions&>(options)));
  KITH_TRY(validate(static_cast<const SimilarityOptions&>(options)));
  KITH_TRY(check_paper(options));
  if (options.other_sites > 1000) {
    return usage_error(fmt::format("other_sites = {}: must be at most 1000", options.other_sites));
  }
  if (options.neighbours > 1000) {
    return usage_error(fmt::format("neighbours = {}: must be at most 1000", options.neighbours));
  }
  KITH_TRY(check_related(options));
  if (options.captures == Captures::all) {
    return usage_error(
        "captures = all: a URL is one page in clusters; captures = first or last chooses the one, "
        "and 'kith dedup' compares all captures");
  }
  KITH_TRY(validate(options, options.inputs));
  KITH_TRY(check_within(options));
  return validate(static_cast<const Resources&>(options));
}

Status validate(const MergeOptions& options) {
  if (options.shards.empty()) return usage_error("no shard: name the directories of all shards");
  if (options.output.empty()) return usage_error("no output: name a run directory with -o DIR");
  return validate(static_cast<const Resources&>(options));
}

Status validate(const PairOptions& options) {
  if (options.scratch.empty()) return usage_error("no folder for temporary files");
  return validate(static_cast<const Resources&>(options));
}

uint32_t window_of(const BagOptions& options) {
  return options.window.value_or(options.bags == BagKind::both ? 16 : 8);
}

bool folds_aliases(const BagOptions& options) {
  return options.aliases.value_or(options.bags == BagKind::both);
}

uint32_t max_terms_of(const BagOptions& options) {
  return options.max_terms.value_or(options.bags == BagKind::both ? 160 : 0);
}

RelatedPages related_of(const ClusterOptions& options) {
  const bool has_choice = options.neighbours > 0 && options.engine != EngineChoice::paper;
  return has_choice ? options.related.value_or(RelatedPages::smoothed) : RelatedPages::plain;
}

void paper_preset(ClusterOptions& options) {
  options.engine = EngineChoice::paper;
  if (options.bags == BagKind::both) options.bags = BagKind::anchor;
  options.urls = UrlScope::all;
  options.boilerplate = Boilerplate::keep;
  options.order = Order::url;
  options.min_words = 1;
  options.other_sites = 0;
  options.topics = TopicGraph::none;
  if (!options.similarity) options.similarity = 0.2;
}

Result<uint64_t> parse_size(std::string_view text) {
  const Error error = usage_error(fmt::format(
      "'{}' is no size: write bytes, or a number with K, M, G or T, e.g. 512M or 4G", text));
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !(number >= 0)) return error;
  std::string unit = to_ascii_lower(text.substr(static_cast<size_t>(end - text.data())));
  if (unit.ends_with("ib") && unit.size() == 3) unit.resize(1);
  if (unit.ends_with('b')) unit.pop_back();
  constexpr std::string_view units = "kmgt";
  if (unit.size() == 1 && units.find(unit[0]) != std::string_view::npos) {
    number *= std::pow(1024.0, static_cast<double>(units.find(unit[0]) + 1));
  } else if (!unit.empty()) {
    return error;
  }
  if (number >= 0x1p63) return error;
  return static_cast<uint64_t>(number);
}

uint64_t usual_memory() {
  return run::memory_or_default(0);
}

}  // namespace kith
