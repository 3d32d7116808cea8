#include "kith/stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json_walk.h"
#include "jobs/stream/features.h"
#include "jobs/stream/leader_index.h"
#include "jobs/stream/page_words.h"
#include "jobs/stream/state.h"
#include "run/guarded.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

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
  KITH_TRY(text::UrlRules::parse(options.url_rules).status());
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

namespace {

Error unknown(std::string_view name) {
  return {ErrorKind::not_found, fmt::format("the stream does not know {}", name)};
}

StreamCluster cluster_at(const jobs::Engine& engine, const jobs::ClusterEntry& entry) {
  StreamCluster cluster;
  cluster.number = entry.number;
  cluster.theme = engine.themes().theme(entry.number);
  const jobs::ClusterTable& all = engine.clusters();
  for (uint32_t page = entry.leader; page != jobs::nobody; page = all.next(page)) {
    cluster.members.push_back({std::string(engine.pages().name(page)), all.similarity(page)});
  }
  return cluster;
}

Result<std::vector<StreamMatch>> matches_of(const jobs::State& state, const StreamPage& page) {
  const jobs::Engine& engine = state.engine();
  jobs::FeatureMaker own_maker(engine.options(), state.dictionary());
  KITH_ASSIGN(const jobs::Features features, own_maker.of_page(page));
  std::vector<StreamMatch> found;
  const int64_t time =
      state.is_ahead(page.time_ms) ? engine.clock() : std::max(page.time_ms, engine.clock());
  for (const jobs::LeaderMatch& match : engine.matches(features, time)) {
    const jobs::ClusterEntry& entry = engine.clusters()[match.cluster];
    found.push_back(
        {std::string(engine.pages().name(entry.leader)), entry.number, match.similarity});
  }
  std::ranges::sort(found, [](const StreamMatch& a, const StreamMatch& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.cluster < b.cluster;
  });
  return found;
}

Result<StreamAnswer> take(jobs::State& state, jobs::RecordKind kind, const StreamPage& page) {
  return run::guarded([&]() -> Result<StreamAnswer> {
    jobs::AnswerBatches answers;
    KITH_TRY(state.take(kind, page, answers));
    return answers.take();
  });
}

// All that are related to a document.
std::vector<StreamMember> related_to(const jobs::Engine& engine, uint32_t asked) {
  const jobs::PageTable& pages = engine.pages();
  const jobs::ClusterTable& clusters = engine.clusters();
  const jobs::LoadedFeatures features = pages.features(asked);
  std::vector<StreamMember> found;
  const auto take = [&](uint32_t page) {
    if (page == asked) return;
    found.push_back({std::string(pages.name(page)), engine.similarity(asked, page)});
  };
  const uint32_t own = pages[asked].cluster;
  for (uint32_t page = clusters[own].leader; page != jobs::nobody; page = clusters.next(page)) {
    take(page);
  }
  for (const jobs::LeaderMatch& match : engine.matches(features.view(), pages.time(asked))) {
    if (match.cluster != own) take(clusters[match.cluster].leader);
  }
  std::ranges::sort(found, [](const StreamMember& a, const StreamMember& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.document < b.document;
  });
  return found;
}

}  // namespace

Stream::Stream(std::unique_ptr<jobs::State> state) : state_(std::move(state)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

Result<Stream> Stream::make(const StreamOptions& options) {
  return run::guarded([&]() -> Result<Stream> {
    KITH_TRY(validate(options));
    KITH_ASSIGN(auto state, jobs::State::make(options));
    return Stream(std::move(state));
  });
}

Result<Stream> Stream::open(const std::string& directory, const StreamOptions& options,
                            const StreamRecovery& recovery) {
  return jobs::Opener::open(storage::posix_file_system(), directory, options, recovery);
}

Result<Stream> jobs::Opener::open(storage::FileSystem& fs, const std::string& directory,
                                  const StreamOptions& options, const StreamRecovery& recovery) {
  return run::guarded([&]() -> Result<Stream> {
    KITH_TRY(validate(options));
    KITH_ASSIGN(auto state, jobs::State::open(fs, directory, options, recovery));
    return Stream(std::move(state));
  });
}

Result<Stream> Stream::read(const std::string& directory) {
  return run::guarded([&]() -> Result<Stream> {
    KITH_ASSIGN(auto state, jobs::State::read(directory));
    return Stream(std::move(state));
  });
}

const StreamOptions& Stream::options() const {
  return state_->engine().options();
}

StreamCounts Stream::counts() const {
  return state_->engine().counts();
}

Result<StreamAnswer> Stream::add(const StreamPage& page) {
  return take(*state_, jobs::RecordKind::page, page);
}

Result<StreamAnswer> Stream::remove(const StreamPage& page) {
  return take(*state_, jobs::RecordKind::removal, page);
}

Result<std::vector<StreamMatch>> Stream::find(const StreamPage& page) const {
  return run::guarded([&]() -> Result<std::vector<StreamMatch>> {
    KITH_TRY(jobs::check_page(page));
    return matches_of(*state_, page);
  });
}

Status Stream::flush() {
  return run::guarded([&] { return state_->flush(); });
}

Status Stream::sync() {
  return run::guarded([&] { return state_->sync(); });
}

Status Stream::snapshot() {
  return run::guarded([&] { return state_->snapshot(); });
}

uint64_t Stream::log_bytes() const {
  return state_->log_bytes();
}

const StreamProgress& Stream::progress() const {
  return state_->progress();
}

int64_t Stream::time_ms() const {
  return state_->engine().clock();
}

Status Stream::told() {
  return run::guarded([&] { return state_->told(); });
}

StreamSource Stream::source(std::string_view name) const {
  const auto found = state_->stored().sources.find(name);
  return found == state_->stored().sources.end() ? StreamSource() : found->second;
}

Status Stream::begin_source(std::string_view name, const StreamSource& as) {
  return run::guarded([&] { return state_->begin_source(name, as); });
}

std::vector<std::string> Stream::theme(uint64_t cluster) const {
  return state_->engine().themes().theme(cluster);
}

bool Stream::has(std::string_view name) const {
  return state_->engine().pages().find(name).has_value();
}

std::vector<StreamCluster> Stream::clusters() const {
  std::vector<StreamCluster> clusters;
  const jobs::ClusterTable& all = state_->engine().clusters();
  for (uint32_t at = all.oldest(); at != jobs::nobody; at = all[at].newer) {
    clusters.push_back(cluster_at(state_->engine(), all[at]));
  }
  std::ranges::sort(clusters, {}, &StreamCluster::number);
  return clusters;
}

Result<StreamCluster> Stream::cluster_of(std::string_view name) const {
  const jobs::Engine& engine = state_->engine();
  const auto page = engine.pages().find(name);
  if (!page) return unknown(name);
  return cluster_at(engine, engine.clusters()[engine.pages()[*page].cluster]);
}

Result<std::vector<StreamMember>> Stream::related(std::string_view name, size_t n) const {
  const jobs::PageTable& pages = state_->engine().pages();
  std::optional<uint32_t> asked = pages.find(name);
  text::Url url;
  if (!asked && text::parse_url(name, nullptr, url)) {
    text::UrlRules::of_valid(state_->engine().options().url_rules).apply(url);
    asked = pages.find(url.href);
  }
  if (!asked) return unknown(name);
  return run::guarded([&]() -> Result<std::vector<StreamMember>> {
    std::vector<StreamMember> found = related_to(state_->engine(), *asked);
    found.resize(std::min(n, found.size()));
    return found;
  });
}

bool is_stream(const std::string& directory) {
  return storage::posix_file_system().exists(directory + "/" + std::string(jobs::snapshot_file));
}

}  // namespace kith
