#include "kith/stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "jobs/stream/state.h"
#include "run/guarded.h"
#include "text/url/url.h"

namespace kith {
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
  if (!asked && text::parse_url(name, nullptr, url)) asked = pages.find(url.href);
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
