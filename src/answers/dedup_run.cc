// kith::DedupRun: a finished run, to be read.
#include "kith/dedup_run.h"

#include <algorithm>
#include <functional>
#include <mutex>

#include <fmt/format.h>

#include "answers/document.h"
#include "base/dates.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/match.h"
#include "run/guarded.h"

namespace kith {
namespace {

using similar::SetPair;

DocumentOverlap overlap_of(const sketch::SetOverlap& both) {
  return {both.a,
          both.b,
          both.common,
          both.resemblance(),
          both.containment_of_a(),
          both.containment_of_b()};
}

// The pairs whose first document is `a`.
std::span<const SetPair> pairs_from(std::span<const SetPair> pairs, uint32_t a) {
  return {std::ranges::lower_bound(pairs, a, {}, &SetPair::a),
          std::ranges::upper_bound(pairs, a, {}, &SetPair::a)};
}

}  // namespace

struct DedupRun::State {
  DedupReport report;
  std::string directory;
  jobs::DocumentTable documents;
  jobs::Matches matches;
  jobs::Groups groups;
  jobs::Against against;
  jobs::GroupIndex index;
  std::optional<answers::DocumentTexts> texts;
  std::once_flag has_names;
  std::optional<answers::NameIndex> names;
  Status names_status;

  Status open(const std::string& path);
  // Before anything is touched that no check has seen: see storage::MappedFile.
  Status check_sizes() const {
    KITH_TRY(documents.check_sizes());
    KITH_TRY(matches.check_size());
    KITH_TRY(groups.check_size());
    return against.check_size();
  }
  DocumentOverlap overlap(uint32_t a, uint32_t b, uint64_t common) const {
    return overlap_of({documents.sets().size_of(a), documents.sets().size_of(b), common});
  }
  Status add_pairs(uint32_t a, const std::function<void(const DocumentPair&)>& add) const;
};

Status DedupRun::State::open(const std::string& path) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, jobs::DedupDirectory::open(fs, path));
  directory = path;
  report = run.report();
  KITH_ASSIGN(documents, jobs::DocumentTable::open(fs, path, {}));
  const uint32_t count = documents.size();
  KITH_ASSIGN(matches, jobs::Matches::open(fs, run.file(jobs::matches_file), count));
  KITH_ASSIGN(groups, jobs::Groups::open(fs, run.file(jobs::groups_file), count));
  if (!report.options.against.empty()) {
    KITH_ASSIGN(against, jobs::Against::open(fs, run.file(jobs::against_file), count,
                                             report.options.against.size()));
  }
  KITH_TRY(groups.check(groups.kept()));
  index = jobs::GroupIndex(groups.kept());
  KITH_ASSIGN(texts, answers::DocumentTexts::make(report.options, documents));
  return Status::ok();
}

DedupRun::DedupRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
DedupRun::~DedupRun() = default;
DedupRun::DedupRun(DedupRun&&) noexcept = default;
DedupRun& DedupRun::operator=(DedupRun&&) noexcept = default;

Result<DedupRun> DedupRun::open(const std::string& directory) {
  return run::guarded([&]() -> Result<DedupRun> {
    auto state = std::make_unique<State>();
    KITH_TRY(state->open(directory));
    return DedupRun(std::move(state));
  });
}

const DedupReport& DedupRun::report() const {
  return state_->report;
}

uint32_t DedupRun::documents() const {
  return state_->documents.size();
}

Result<std::string_view> DedupRun::name(DocumentId id) const {
  KITH_TRY(state_->documents.check(id));
  return state_->documents.name(id);
}

Result<DocumentFacts> DedupRun::document(DocumentId id) const {
  const jobs::DocumentTable& documents = state_->documents;
  KITH_TRY(state_->check_sizes());
  KITH_TRY(documents.check(id));
  KITH_TRY(state_->groups.check(state_->groups.common().subspan(id, 1)));
  const jobs::Document& row = documents[id];
  DocumentFacts facts;
  facts.name = documents.name(id);
  facts.kept = state_->groups.kept()[id];
  const uint64_t group = state_->index.find(facts.kept);
  if (group < groups()) facts.group = group;
  facts.text_bytes = row.bytes;
  facts.file = documents.file(row.file);
  facts.record = row.record;
  facts.offset = row.offset;
  facts.date = date_text(row.time);
  facts.with_kept = state_->overlap(id, facts.kept, state_->groups.common()[id]);
  return facts;
}

Result<DocumentId> DedupRun::find(std::string_view name) const {
  State& state = *state_;
  std::call_once(state.has_names, [&] {
    state.names_status = run::guarded([&]() -> Status {
      KITH_TRY(state.documents.check_names());
      state.names.emplace(state.documents);
      return Status::ok();
    });
  });
  KITH_TRY(state.names_status);
  if (const auto id = state.names->find(name)) return *id;
  return Error{ErrorKind::not_found,
               fmt::format("{} has no document named {}; keep.tsv and groups.tsv have the names",
                           state.directory, name)};
}

uint64_t DedupRun::groups() const {
  return state_->index.size();
}

std::span<const DocumentId> DedupRun::group(uint64_t number) const {
  return state_->index[number];
}

uint64_t DedupRun::pairs() const {
  return state_->matches.pairs().size() + state_->groups.center_pairs().size();
}

Result<DocumentPair> DedupRun::pair(uint64_t number) const {
  KITH_TRY(state_->check_sizes());
  const std::span<const SetPair> listed = state_->matches.pairs();
  const bool is_listed = number < listed.size();
  const SetPair& pair =
      is_listed ? listed[number] : state_->groups.center_pairs()[number - listed.size()];
  const std::span<const SetPair> one(&pair, 1);
  KITH_TRY(is_listed ? state_->matches.check(one) : state_->groups.check(one));
  return DocumentPair{pair.a, pair.b, state_->overlap(pair.a, pair.b, pair.common)};
}

// Those of document a with others of its group.
Status DedupRun::State::add_pairs(uint32_t a,
                                  const std::function<void(const DocumentPair&)>& add) const {
  std::span<const SetPair> listed = pairs_from(matches.pairs(), a);
  std::span<const SetPair> found = pairs_from(groups.center_pairs(), a);
  KITH_TRY(matches.check(listed));
  KITH_TRY(groups.check(found));
  while (!listed.empty() || !found.empty()) {
    const bool first = !listed.empty() && (found.empty() || listed.front() <= found.front());
    const SetPair pair = first ? listed.front() : found.front();
    for (std::span<const SetPair>* const from : {&listed, &found}) {
      if (!from->empty() && from->front() == pair) *from = from->subspan(1);
    }
    if (groups.kept()[pair.a] != groups.kept()[pair.b]) continue;
    add({pair.a, pair.b, overlap(pair.a, pair.b, pair.common)});
  }
  return Status::ok();
}

Result<DedupRun::PairsPart> DedupRun::pairs_of_group(uint64_t number, uint64_t begin, uint64_t end,
                                                     std::optional<DocumentId> of) const {
  KITH_TRY(state_->check_sizes());
  const std::span<const DocumentId> members = group(number);
  std::vector<DocumentId> ids(members.begin(), members.end());
  std::ranges::sort(ids);
  PairsPart part;
  const auto add = [&](const DocumentPair& pair) {
    if (of && pair.a != *of && pair.b != *of) return;
    if (part.all >= begin && part.all < end) part.pairs.push_back(pair);
    ++part.all;
  };
  for (const DocumentId id : ids) KITH_TRY(state_->add_pairs(id, add));
  for (const DocumentId id : ids) {
    KITH_ASSIGN(const DocumentId own, equal_to(id));
    if (own != id) add({own, id, state_->overlap(own, id, state_->documents.sets().size_of(id))});
  }
  return part;
}

Result<DocumentId> DedupRun::equal_to(DocumentId id) const {
  const std::span<const uint32_t> representative = state_->matches.representative();
  KITH_TRY(state_->matches.check(representative.subspan(id, 1)));
  return representative[id];
}

Result<std::optional<EarlierDocument>> DedupRun::earlier(DocumentId id) const {
  const jobs::Against& against = state_->against;
  KITH_TRY(state_->check_sizes());
  const auto at = std::ranges::lower_bound(against.rows(), id, {}, &jobs::EarlierMatch::document);
  if (at == against.rows().end() || at->document != id) return std::optional<EarlierDocument>();
  const auto row = static_cast<size_t>(at - against.rows().begin());
  KITH_TRY(against.check(row));
  const sketch::SetOverlap both{state_->documents.sets().size_of(id), at->size, at->common};
  return std::optional(EarlierDocument{std::string(against.name(row)), at->run, overlap_of(both)});
}

Result<DocumentOverlap> DedupRun::overlap(DocumentId a, DocumentId b) const {
  KITH_TRY(state_->check_sizes());
  return run::guarded([&]() -> Result<DocumentOverlap> {
    for (const DocumentId id : {a, b}) KITH_TRY(state_->documents.check_elements(id));
    const similar::HashSets& sets = state_->documents.sets();
    return overlap_of(similar::set_overlap(sets, a, sets, b));
  });
}

Result<DocumentText> DedupRun::text(DocumentId id, std::chrono::milliseconds patience) const {
  return run::guarded([&] { return state_->texts->read(id, patience); });
}

}  // namespace kith
