#include "jobs/stream/state.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "jobs/stream/page_input.h"
#include "run/guarded.h"
#include "text/words/terms.h"

namespace kith::jobs {
namespace {

// The most entries of a mean: as many as a bag of the run has.
uint32_t mean_terms(const WordDictionary* dictionary) {
  const uint32_t most = dictionary == nullptr ? 0 : dictionary->words().max_terms();
  return most > 0 ? most : usual_mean_terms;
}

// The record of a page, which views the page and what the makers hold.
Result<Record> record_of(RecordKind kind, const StreamPage& page, const StreamOptions& options,
                         FeatureMaker& maker, PageWordReader& words) {
  if (kind == RecordKind::page) KITH_TRY(check_page(page));
  if (page.name.empty()) return usage_error("a page without a name");
  Record record;
  record.kind = kind;
  record.name = page.name;
  record.time = page.time_ms;
  record.source = page.source;
  record.next = page.next;
  if (kind == RecordKind::removal) return record;
  KITH_ASSIGN(record.features, maker.of_page(page));
  // For the theme of a cluster; none where no themes are made.
  if (keeps_themes(options) && !page.text.empty()) record.words = words.read(page);
  return record;
}

Result<State::Words> dictionary_of(const StreamOptions& options) {
  if (!options.dictionary.empty()) return WordDictionary::open(options.dictionary);
  return State::Words();
}

bool is_sound(const Record& of, const StreamOptions& options) {
  return of.kind == RecordKind::source ? of.features.size() == 2 : are_sound(options, of.features);
}

}  // namespace

Status check_page(const StreamPage& page) {
  if (page.name.empty()) return usage_error("a page without a name");
  if (!page.text.empty() && !page.elements.empty()) {
    return usage_error("a page with both a text and elements; give one of them");
  }
  return text::check_size(page.text);
}

State::State(const StreamOptions& options, Words words)
    : dictionary_(std::move(words)),
      engine_(options, mean_terms(dictionary_.get())),
      maker_(options, dictionary_.get()) {
  if (dictionary_ != nullptr) stored_.dictionary = dictionary_->key();
}

Result<std::unique_ptr<State>> State::make(const StreamOptions& options) {
  KITH_ASSIGN(Words words, dictionary_of(options));
  return std::unique_ptr<State>(new State(options, std::move(words)));
}

Result<std::unique_ptr<State>> State::open(storage::FileSystem& fs, const std::string& directory,
                                           const StreamOptions& options,
                                           const StreamRecovery& recovery) {
  KITH_ASSIGN(Words words, dictionary_of(options));
  KITH_ASSIGN(const StreamOptions settled, settle_themes(fs, directory, options));
  std::unique_ptr<State> state(new State(settled, std::move(words)));
  KITH_ASSIGN(state->store_, Store::open(fs, directory, state->engine_, state->stored_));
  KITH_TRY(state->resume(recovery));
  return state;
}

Result<std::unique_ptr<State>> State::read(const std::string& directory) {
  KITH_ASSIGN(const Snapshot snapshot, open_snapshot(storage::posix_file_system(), directory));
  std::unique_ptr<State> state(new State(snapshot.head().options, nullptr));
  KITH_TRY(snapshot.read(state->engine_));
  state->stored_ = snapshot.head().progress;
  state->progress_ = {state->stored_.answers, state->stored_.told, state->stored_.last, false, {}};
  state->is_read_only_ = true;
  return state;
}

// Answers since the snapshot are made again, and given as far as they have not arrived.
Status State::resume(const StreamRecovery& recovery) {
  progress_ = {stored_.answers, stored_.told, stored_.last, false, {}};
  if (!store_->is_new()) KITH_TRY(store_->look_through(progress_, engine_.options().repair));
  const uint64_t before = stored_.answers;
  uint64_t arrived = UINT64_MAX;
  if (recovery.begin) {
    KITH_ASSIGN(arrived, recovery.begin(progress_));
  }
  if (arrived < before) {
    return Error{ErrorKind::usage,
                 fmt::format("{} of the answers up to the last snapshot are missing where they are "
                             "written to, and only later ones can be made again; write to another "
                             "place",
                             before - arrived)};
  }
  if (store_->is_new()) return Status::ok();
  AnswerBatches answers(recovery.take ? recovery.take
                                      : [](const StreamAnswer&) { return Status::ok(); });
  answers.skip(arrived - before);
  const auto take = [&](const Record& record) -> Status {
    if (!is_sound(record, engine_.options())) {
      return Error{ErrorKind::corrupt, "a record whose features are of no page"};
    }
    return apply(record, answers);
  };
  KITH_TRY(store_->replay(take));
  if (recovery.take) KITH_TRY(answers.pass_on());
  progress_.answers = stored_.answers;
  progress_.told = stored_.told;
  return store_->go_on();
}

Status State::check_writable() {
  if (is_read_only_) return usage_error("the stream was opened to be read only");
  // Places of documents are numbers of 32 bits.
  if (engine_.pages().size() >= nobody - 1) return usage_error("the stream has 2^32 documents");
  KITH_TRY(failure_);
  return is_log_lost() ? store_->log().flush() : Status::ok();
}

template <class Change>
Status State::guard(Change&& change) {
  failure_ = run::guarded(change);
  return failure_;
}

bool State::is_ahead(int64_t time, int64_t clock) const {
  const auto most = static_cast<uint64_t>(engine_.options().max_skew_ms);
  if (most == 0 || time <= clock) return false;
  const int64_t latest = std::max(clock, now_ms());
  return time > latest && static_cast<uint64_t>(time) - static_cast<uint64_t>(latest) > most;
}

// The log has the time that was taken, so that it is the same again.
void State::settle_time(Record& of, int64_t clock) const {
  of.is_ahead = is_ahead(of.time, clock);
  if (of.is_ahead) of.time = clock == INT64_MIN ? now_ms() : clock;
}

void State::append(const Record& of) {
  if (!store_) return;
  encode(of, record_);
  store_->log().append(record_);
}

Status State::flush_or_take_back(uint64_t log_bytes) {
  Status done = run::guarded([&] { return store_->log().flush(); });
  if (!done) store_->log().take_back(log_bytes);
  return done;
}

// Settles the times of the pages, and brings all of them into the log.
Status State::log_all(std::span<const std::string> prepared, std::vector<SettledTime>& times) {
  int64_t clock = engine_.clock();
  for (const std::string& bytes : prepared) {
    KITH_ASSIGN(Record of, decode(bytes, buffers_));
    settle_time(of, clock);
    clock = std::max(clock, of.time);
    times.emplace_back(of.time, of.is_ahead);
    append(of);
  }
  return store_ ? store_->log().flush() : Status::ok();
}

Status State::take(RecordKind kind, const StreamPage& page, AnswerBatches& answers) {
  KITH_TRY(check_writable());
  KITH_ASSIGN(Record of, record_of(kind, page, engine_.options(), maker_, word_reader_));
  settle_time(of, engine_.clock());
  const uint64_t before = log_bytes();
  append(of);
  if (store_ && store_->log().is_full()) KITH_TRY(flush_or_take_back(before));
  return guard([&] { return take_logged(of, answers); });
}

Status State::take_all(std::span<const std::string> prepared, AnswerBatches& answers) {
  KITH_TRY(check_writable());
  std::vector<SettledTime> times;
  const uint64_t before = log_bytes();
  Status logged = run::guarded([&] { return log_all(prepared, times); });
  if (!logged && store_) store_->log().take_back(before);
  KITH_TRY(std::move(logged));
  return guard([&]() -> Status {
    for (size_t i = 0; i < prepared.size(); ++i) {
      KITH_ASSIGN(Record of, decode(prepared[i], buffers_));
      std::tie(of.time, of.is_ahead) = times[i];
      KITH_TRY(take_logged(of, answers));
    }
    return Status::ok();
  });
}

Status State::take_logged(const Record& of, AnswerBatches& answers) {
  KITH_TRY(apply(of, answers));
  make_room();
  return Status::ok();
}

Status State::begin_source(std::string_view name, const StreamSource& as) {
  KITH_TRY(check_writable());
  const uint64_t known[] = {as.size, as.hash};
  Record of;
  of.kind = RecordKind::source;
  of.source = name;
  of.next = as.next;
  of.features = known;
  append(of);
  AnswerBatches none;
  return guard([&] { return apply(of, none); });
}

Status State::apply(const Record& of, AnswerBatches& answers) {
  switch (of.kind) {
    case RecordKind::told:
      stored_.told = std::min(of.next, stored_.answers);
      return Status::ok();
    case RecordKind::forgotten:
      engine_.forget_oldest(of.next);
      return Status::ok();
    case RecordKind::source:
      stored_.sources.insert_or_assign(std::string(of.source),
                                       StreamSource{of.next, of.features[0], of.features[1]});
      return Status::ok();
    case RecordKind::page:
    case RecordKind::removal:
      break;
  }
  apply_page(of, answers);
  return Status::ok();
}

void State::apply_page(const Record& of, AnswerBatches& answers) {
  const uint64_t before = answers.made();
  const bool pairs = engine_.options().pairs;
  decisions_.clear();
  if (of.is_ahead) engine_.count_ahead();
  if (of.kind == RecordKind::page) {
    engine_.add(
        of.name, of.features, of.time, decisions_,
        [&](StreamPair pair) { answers.add(std::move(pair)); }, of.words);
  } else {
    engine_.remove(of.name, of.time, decisions_);
  }
  for (StreamDecision& made : decisions_) {
    if (pairs) break;
    if (engine_.options().decision_themes) made.theme = engine_.themes().theme(made.cluster);
    answers.add(std::move(made));
  }
  stored_.answers += answers.made() - before;
  stored_.last = of.name;
  if (!of.source.empty()) stored_.sources[std::string(of.source)].next = of.next;
}

// How many bytes the engine takes depends on when it was made. So the log says what was forgotten.
void State::make_room() {
  Record of;
  of.kind = RecordKind::forgotten;
  of.next = engine_.make_room();
  if (of.next > 0) append(of);
}

Status State::flush() {
  if (!store_ || !failure_) return failure_;
  return store_->log().flush();
}

Status State::sync() {
  if (!store_ || !failure_) return failure_;
  return store_->log().sync();
}

Status State::snapshot() {
  if (!store_) return Status::ok();
  KITH_TRY(failure_);
  return run::guarded([&] { return store_->snapshot(engine_, stored_); });
}

Status State::told() {
  if (!store_ || stored_.told == stored_.answers) return Status::ok();
  KITH_TRY(check_writable());
  Record of;
  of.kind = RecordKind::told;
  of.next = stored_.answers;
  append(of);
  AnswerBatches none;
  return apply(of, none);
}

uint64_t State::log_bytes() const {
  return store_ ? store_->log().bytes() : 0;
}

PagePreparer::PagePreparer(const State& state)
    : options_(state.engine().options()), maker_(options_, state.dictionary()) {}

Result<std::string> PagePreparer::prepare(RecordKind kind, const StreamPage& page) {
  KITH_ASSIGN(const Record of, record_of(kind, page, options_, maker_, word_reader_));
  std::string bytes;
  encode(of, bytes);
  return bytes;
}

}  // namespace kith::jobs
