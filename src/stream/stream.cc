#include "kith/stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/errors.h"
#include "run/guarded.h"
#include "stream/dictionary.h"
#include "stream/engine.h"
#include "stream/opener.h"
#include "stream/page_features.h"
#include "stream/page_words.h"
#include "stream/record.h"
#include "stream/store.h"
#include "text/url/url.h"
#include "text/words/text_size.h"

namespace kith {
namespace {

Error unknown(std::string_view name) {
  return {ErrorKind::not_found, fmt::format("the stream does not know {}", name)};
}

Status check_page(const StreamPage& page) {
  if (page.name.empty()) return usage_error("a page without a name");
  if (!page.text.empty() && !page.elements.empty()) {
    return usage_error("a page with both a text and elements; give one of them");
  }
  return text::check_size(page.text);
}

// The most entries of a mean: as many as a bag of the run has.
uint32_t mean_terms(const stream::WordDictionary* dictionary) {
  const uint32_t most = dictionary == nullptr ? 0 : dictionary->words().max_terms();
  return most > 0 ? most : stream::usual_mean_terms;
}

stream::Record record_of(stream::RecordKind kind, const StreamPage& page, stream::Features features,
                         stream::PageWords words) {
  return {kind, page.name, page.time_ms, page.source, page.next, features, words};
}

Result<std::unique_ptr<const stream::WordDictionary>> dictionary_of(const StreamOptions& options) {
  if (!options.dictionary.empty()) return stream::WordDictionary::open(options.dictionary);
  return std::unique_ptr<const stream::WordDictionary>();
}

}  // namespace

struct Stream::State {
  using Words = std::unique_ptr<const stream::WordDictionary>;
  State(const StreamOptions& options, Words words)
      : dictionary(std::move(words)),
        engine(options, mean_terms(dictionary.get())),
        maker(options, dictionary.get()) {
    if (dictionary != nullptr) stored.dictionary = dictionary->key();
  }

  // For the theme of a cluster; none where no themes are made.
  stream::PageWords words_of(const StreamPage& page);
  Result<StreamAnswer> take(const stream::Record& record);
  Result<StreamAnswer> log_and_take(const stream::Record& record);
  Status make_room();
  Status replay(std::string_view bytes);
  Status check_writable() const;
  StreamCluster cluster(const stream::ClusterEntry& entry) const;
  Result<std::vector<StreamMatch>> find(const StreamPage& page) const;
  // All that are related to a document.
  std::vector<StreamMember> related(uint32_t asked) const;

  // Goes last: it keeps other processes out of the folder, in which the engine has a file.
  std::optional<stream::Store> store;
  Words dictionary;
  stream::Engine engine;
  stream::FeatureMaker maker;
  stream::PageWordReader word_reader;
  stream::StoredProgress stored;
  StreamProgress progress;
  StreamAnswer recovered;
  bool is_read_only = false;
  Status failure;
  std::string record;  // as bytes
  stream::RecordBuffers replayed;
};

Status Stream::State::check_writable() const {
  if (is_read_only) return usage_error("the stream was opened to be read only");
  // Places of documents are numbers of 32 bits.
  if (engine.pages().size() >= stream::nobody - 1)
    return usage_error("the stream has 2^32 documents");
  return failure;
}

stream::PageWords Stream::State::words_of(const StreamPage& page) {
  if (!stream::keeps_themes(engine.options()) || page.text.empty()) return {};
  return word_reader.read(page);
}

// What a record changes, whether it comes now or from the log.
Result<StreamAnswer> Stream::State::take(const stream::Record& of) {
  StreamAnswer answer;
  if (of.kind == stream::RecordKind::told) {
    stored.told = stored.answers;
    return answer;
  }
  if (of.kind == stream::RecordKind::forgotten) {
    engine.forget_oldest(of.next);
    return answer;
  }
  if (of.kind == stream::RecordKind::page) {
    engine.add(of.name, of.features, of.time, answer.decisions, answer.pairs, of.words);
  } else {
    engine.remove(of.name, of.time, answer.decisions);
  }
  if (engine.options().pairs) answer.decisions.clear();
  if (engine.options().decision_themes) {
    for (StreamDecision& made : answer.decisions) made.theme = engine.themes().theme(made.cluster);
  }
  stored.answers += answer.size();
  stored.last = of.name;
  if (!of.source.empty()) stored.sources.insert_or_assign(std::string(of.source), of.next);
  return answer;
}

Result<StreamAnswer> Stream::State::log_and_take(const stream::Record& of) {
  Result<StreamAnswer> answer = pipeline::guarded([&]() -> Result<StreamAnswer> {
    if (store) {
      encode(of, record);
      KITH_TRY(store->log().append(record));
    }
    KITH_ASSIGN(StreamAnswer given, take(of));
    KITH_TRY(make_room());
    return given;
  });
  if (!answer) failure = answer.error();
  return answer;
}

// How many bytes the engine takes depends on when it was made. So the log says what was forgotten.
Status Stream::State::make_room() {
  stream::Record of;
  of.kind = stream::RecordKind::forgotten;
  of.next = engine.make_room();
  if (of.next == 0 || !store) return Status::ok();
  encode(of, record);
  return store->log().append(record);
}

Status Stream::State::replay(std::string_view bytes) {
  KITH_ASSIGN(const stream::Record of, stream::decode(bytes, replayed));
  if (!stream::are_sound(engine.options(), of.features)) {
    return Error{ErrorKind::corrupt, "a record of the log whose features are of no page"};
  }
  KITH_ASSIGN(StreamAnswer answer, take(of));
  std::ranges::move(answer.decisions, std::back_inserter(recovered.decisions));
  std::ranges::move(answer.pairs, std::back_inserter(recovered.pairs));
  return Status::ok();
}

StreamCluster Stream::State::cluster(const stream::ClusterEntry& entry) const {
  StreamCluster cluster;
  cluster.number = entry.number;
  cluster.theme = engine.themes().theme(entry.number);
  const stream::ClusterTable& all = engine.clusters();
  for (uint32_t page = entry.leader; page != stream::nobody; page = all.next(page)) {
    cluster.members.push_back({std::string(engine.pages().name(page)), all.similarity(page)});
  }
  return cluster;
}

Stream::Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

Result<Stream> Stream::make(const StreamOptions& options) {
  KITH_TRY(validate(options));
  return pipeline::guarded([&]() -> Result<Stream> {
    KITH_ASSIGN(auto dictionary, dictionary_of(options));
    return Stream(std::make_unique<State>(options, std::move(dictionary)));
  });
}

Result<Stream> Stream::open(const std::string& directory, const StreamOptions& options) {
  return stream::Opener::open(storage::posix_file_system(), directory, options);
}

Result<Stream> stream::Opener::open(storage::FileSystem& fs, const std::string& directory,
                                    const StreamOptions& options) {
  KITH_TRY(validate(options));
  return pipeline::guarded([&]() -> Result<Stream> {
    KITH_ASSIGN(auto dictionary, dictionary_of(options));
    KITH_ASSIGN(const StreamOptions settled, stream::settle_themes(fs, directory, options));
    auto state = std::make_unique<Stream::State>(settled, std::move(dictionary));
    const auto replay = [&](std::string_view bytes) { return state->replay(bytes); };
    KITH_ASSIGN(state->store, stream::Store::open(fs, directory, state->engine, state->stored,
                                                  replay, state->progress.was_cut));
    state->progress.answers = state->stored.answers;
    state->progress.told = state->stored.told;
    state->progress.last = state->stored.last;
    return Stream(std::move(state));
  });
}

Result<Stream> Stream::read(const std::string& directory) {
  return pipeline::guarded([&]() -> Result<Stream> {
    KITH_ASSIGN(const stream::Snapshot snapshot,
                stream::open_snapshot(storage::posix_file_system(), directory));
    auto state = std::make_unique<State>(snapshot.head().options, nullptr);
    KITH_TRY(snapshot.read(state->engine));
    state->stored = snapshot.head().progress;
    state->progress = {state->stored.answers, state->stored.told, state->stored.last, false};
    state->is_read_only = true;
    return Stream(std::move(state));
  });
}

const StreamOptions& Stream::options() const {
  return state_->engine.options();
}

StreamCounts Stream::counts() const {
  return state_->engine.counts();
}

Result<StreamAnswer> Stream::add(const StreamPage& page) {
  KITH_TRY(state_->check_writable());
  KITH_TRY(check_page(page));
  KITH_ASSIGN(const stream::Features features, state_->maker.of_page(page));
  return state_->log_and_take(
      record_of(stream::RecordKind::page, page, features, state_->words_of(page)));
}

Result<StreamAnswer> Stream::remove(const StreamPage& page) {
  KITH_TRY(state_->check_writable());
  if (page.name.empty()) return usage_error("a page without a name");
  return state_->log_and_take(record_of(stream::RecordKind::removal, page, {}, {}));
}

Result<std::vector<StreamMatch>> Stream::find(const StreamPage& page) const {
  KITH_TRY(check_page(page));
  return pipeline::guarded([&] { return state_->find(page); });
}

Result<std::vector<StreamMatch>> Stream::State::find(const StreamPage& page) const {
  stream::FeatureMaker own_maker(engine.options(), dictionary.get());
  KITH_ASSIGN(const stream::Features features, own_maker.of_page(page));
  std::vector<StreamMatch> found;
  const int64_t time = std::max(page.time_ms, engine.clock());
  for (const stream::LeaderMatch& match : engine.matches(features, time)) {
    const stream::ClusterEntry& entry = engine.clusters()[match.cluster];
    found.push_back(
        {std::string(engine.pages().name(entry.leader)), entry.number, match.similarity});
  }
  std::ranges::sort(found, [](const StreamMatch& a, const StreamMatch& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.cluster < b.cluster;
  });
  return found;
}

Status Stream::flush() {
  if (!state_->store || !state_->failure) return state_->failure;
  return state_->store->log().flush();
}

Status Stream::sync() {
  if (!state_->store || !state_->failure) return state_->failure;
  return state_->store->log().sync();
}

Status Stream::snapshot() {
  if (!state_->store) return Status::ok();
  KITH_TRY(state_->check_writable());
  Status done =
      pipeline::guarded([&] { return state_->store->snapshot(state_->engine, state_->stored); });
  if (!done) state_->failure = done;
  return done;
}

uint64_t Stream::log_bytes() const {
  return state_->store && state_->failure ? state_->store->log().bytes() : 0;
}

const StreamProgress& Stream::progress() const {
  return state_->progress;
}

const StreamAnswer& Stream::recovered() const {
  return state_->recovered;
}

int64_t Stream::time_ms() const {
  return state_->engine.clock();
}

Status Stream::told() {
  if (!state_->store || state_->stored.told == state_->stored.answers) return Status::ok();
  KITH_TRY(state_->check_writable());
  const stream::Record record{stream::RecordKind::told, {}, 0, {}, 0, {}, {}};
  encode(record, state_->record);
  KITH_TRY(state_->store->log().append(state_->record));
  return state_->take(record).status();
}

uint64_t Stream::next_of(std::string_view source) const {
  const auto found = state_->stored.sources.find(source);
  return found == state_->stored.sources.end() ? 0 : found->second;
}

std::vector<std::string> Stream::theme(uint64_t cluster) const {
  return state_->engine.themes().theme(cluster);
}

bool Stream::has(std::string_view name) const {
  return state_->engine.pages().find(name).has_value();
}

std::vector<StreamCluster> Stream::clusters() const {
  std::vector<StreamCluster> clusters;
  const stream::ClusterTable& all = state_->engine.clusters();
  for (uint32_t at = all.oldest(); at != stream::nobody; at = all[at].newer) {
    clusters.push_back(state_->cluster(all[at]));
  }
  std::ranges::sort(clusters, {}, &StreamCluster::number);
  return clusters;
}

Result<StreamCluster> Stream::cluster_of(std::string_view name) const {
  const auto page = state_->engine.pages().find(name);
  if (!page) return unknown(name);
  return state_->cluster(state_->engine.clusters()[state_->engine.pages()[*page].cluster]);
}

Result<std::vector<StreamMember>> Stream::related(std::string_view name, size_t n) const {
  const stream::PageTable& pages = state_->engine.pages();
  std::optional<uint32_t> asked = pages.find(name);
  text::Url url;
  if (!asked && text::parse_url(name, nullptr, url)) asked = pages.find(url.href);
  if (!asked) return unknown(name);
  return pipeline::guarded([&]() -> Result<std::vector<StreamMember>> {
    std::vector<StreamMember> found = state_->related(*asked);
    found.resize(std::min(n, found.size()));
    return found;
  });
}

std::vector<StreamMember> Stream::State::related(uint32_t asked) const {
  const stream::PageTable& pages = engine.pages();
  const stream::ClusterTable& clusters = engine.clusters();
  const stream::LoadedFeatures features = pages.features(asked);
  std::vector<StreamMember> found;
  const auto take = [&](uint32_t page) {
    if (page == asked) return;
    found.push_back({std::string(pages.name(page)), engine.similarity(asked, page)});
  };
  const uint32_t own = pages[asked].cluster;
  for (uint32_t page = clusters[own].leader; page != stream::nobody; page = clusters.next(page)) {
    take(page);
  }
  for (const stream::LeaderMatch& match : engine.matches(features.view(), pages.time(asked))) {
    if (match.cluster != own) take(clusters[match.cluster].leader);
  }
  std::ranges::sort(found, [](const StreamMember& a, const StreamMember& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.document < b.document;
  });
  return found;
}

bool is_stream(const std::string& directory) {
  return storage::posix_file_system().exists(directory + "/" + std::string(stream::snapshot_file));
}

}  // namespace kith
