#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "cluster/plan/seeds.h"
#include "evaluate/recall_check.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/methods.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"

namespace kith::jobs {
namespace {

class AgainstSearch {
 public:
  AgainstSearch(const DocumentTable& documents, size_t runs, const DedupOptions& options,
                const DedupResources& resources, DedupAgainst& report,
                const ProgressCallback& progress)
      : documents_(documents),
        sets_(documents.sets()),
        options_(options),
        resources_(resources),
        report_(report),
        progress_(progress),
        runs_(runs),
        best_(documents.size()) {
    similar::EqualSets equal = similar::find_equal_sets(
        sets_, [&](uint32_t id) { return content_of(documents, id, options_); }, resources.pool);
    distinct_ = equal.distinct(sets_);
    representative_ = std::move(equal.representative);
    queries_ = evaluate::sample_ids(distinct_, checks() ? options.check_queries : 0,
                                    cluster::seed_for(options, cluster::SeedUse::dedup_check));
    near_.resize(queries_.size());
  }

  // The runs one after the other, in their order.
  Status compare(uint32_t run, const EarlierRun& earlier) {
    KITH_ASSIGN(EarlierDocuments others, earlier.documents());
    const uint64_t count = uint64_t{documents_.size()} + others.table.size();
    KITH_TRY(run::check_memory(resources_.memory, count, "documents"));
    memory_ = run::working_memory(resources_.memory, count);
    report_.runs.push_back({earlier.path(), others.table.size(), 0, {}});
    find_equal(run, others);
    if (needs_sketches(options_)) KITH_TRY(find_similar(run, others));
    mark_near(others);
    others.table.release();
    tables_.push_back(std::move(others.table));
    return Status::ok();
  }

  Status write(AgainstWriter& file) {
    constexpr uint32_t block = 1 << 12;
    for (uint32_t id = 0; id < documents_.size(); ++id) {
      // Documents with equal elements have equal matches.
      EarlierMatch match = best_[representative_[id]];
      if (match.common == 0) continue;
      match.document = id;
      KITH_TRY(file.add(match, tables_[match.run].name(match.match)));
      ++report_.removed;
      ++report_.runs[match.run].removed;
      report_.equal += has_equal(representative_[id]) ? 1 : 0;
      if (report_.removed % block > 0) continue;
      for (const DocumentTable& table : tables_) table.release();
    }
    return file.finish();
  }

  AgainstCheck check() const {
    AgainstCheck check;
    check.queries = static_cast<uint32_t>(queries_.size());
    for (size_t i = 0; i < queries_.size(); ++i) {
      if (!near_[i]) continue;
      ++check.near;
      check.found += best_[queries_[i]].common > 0 ? 1 : 0;
    }
    if (check.near > 0) {
      check.recall = static_cast<double>(check.found) / static_cast<double>(check.near);
    }
    return check;
  }

 private:
  bool checks() const { return options_.method == DedupMethod::minhash; }

  double resemblance(uint32_t id, const EarlierMatch& match) const {
    return sketch::SetOverlap{sets_.size_of(id), match.size, match.common}.resemblance();
  }

  // Those of equal texts never do.
  bool titles_differ(uint32_t id, const DocumentTable& others, uint32_t other) const {
    return tells_titles_apart(options_) && documents_[id].text != others[other].text &&
           similar::subjects_differ(documents_.titles()[id], others.titles()[other]);
  }

  // Keeps the better one; of equal ones that of the earlier run, and then the lower id.
  void offer(uint32_t id, const EarlierMatch& match) {
    EarlierMatch& best = best_[id];
    const double now = resemblance(id, match);
    const double before = resemblance(id, best);
    if (now > before || (now == before && match.run == best.run && match.match < best.match)) {
      best = match;
    }
  }

  // Different sets of this run equal different ones of the other, so that no two threads find the
  // same.
  void find_equal(uint32_t run, const EarlierDocuments& others) {
    std::vector<KeyId> mine;
    for (const uint32_t id : distinct_) {
      mine.push_back({content_of(documents_, id, options_), id});
    }
    {
      std::vector<KeyId> scratch(mine.size());
      radix_sort(mine, scratch, resources_.pool);
    }
    const similar::HashSets& other_sets = others.table.sets();
    constexpr size_t grain = 1 << 12;
    resources_.pool.for_chunks(
        others.distinct.size(), grain, [&](size_t begin, size_t end, unsigned) {
          for (size_t i = begin; i < end; ++i) {
            const uint32_t other = others.distinct[i];
            const uint64_t content = content_of(others.table, other, options_);
            const auto size = static_cast<uint32_t>(other_sets.size_of(other));
            for (auto entry = std::ranges::lower_bound(mine, content, {}, &KeyId::key);
                 entry != mine.end() && entry->key == content; ++entry) {
              if (!similar::same_set(sets_, entry->id, other_sets, other)) continue;
              offer(entry->id, {entry->id, run, other, size, size});
            }
          }
        });
  }

  // What has an equal document already has none that is more like it.
  bool has_equal(uint32_t id) const { return resemblance(id, best_[id]) == 1; }

  Status find_similar(uint32_t run, const EarlierDocuments& others) {
    std::vector<uint32_t> ids;
    for (const uint32_t id : distinct_) {
      if (!has_equal(id)) ids.push_back(id);
    }
    const similar::SetSide mine{sets_, documents_.signatures(), ids};
    const similar::SetSide theirs{others.table.sets(), others.table.signatures(), others.distinct};
    if (mine.ids.empty() || theirs.ids.empty()) return Status::ok();
    // The side with more documents says what buckets hold.
    const similar::SetSide& larger = mine.ids.size() > theirs.ids.size() ? mine : theirs;
    KITH_ASSIGN(const DedupPlan plan,
                plan_tables(larger.signatures, larger.ids, options_, resources_.pool));
    const auto keep = [&](std::span<const similar::SetPair> sorted) {
      for (const similar::SetPair& pair : sorted) {
        if (titles_differ(pair.a, others.table, pair.b)) continue;
        const auto size = static_cast<uint32_t>(theirs.sets.size_of(pair.b));
        offer(pair.a, {pair.a, run, pair.b, size, pair.common});
      }
      return Status::ok();
    };
    KITH_ASSIGN(
        const similar::SetJoinStats stats,
        similar::set_cross_join(
            mine, theirs, sketch::Tables(plan.tables),
            {.similarity = options_.similarity, .memory = memory_.share(Share::against_join)},
            resources_.pool, keep, [&](double share) {
              if (progress_) {
                progress_({against_stage, run + share, static_cast<double>(runs_), ""});
              }
            }));
    report_.runs[run].tables = *std::ranges::find(plan.considered, true, &DedupTables::chosen);
    report_.collisions += stats.collisions;
    report_.candidates += stats.candidates;
    report_.similar += stats.similar;
    report_.split_buckets += stats.splits.buckets;
    return Status::ok();
  }

  // Which of the sampled documents really have one like them, by brute force.
  void mark_near(const EarlierDocuments& others) {
    if (queries_.empty()) return;
    // Bytes, not bits: all threads write them.
    std::vector<std::atomic<uint8_t>> near(queries_.size());
    evaluate::find_similar_across(
        sets_, queries_, others.table.sets(), others.distinct, {.similarity = options_.similarity},
        resources_.pool, memory_.bytes(Share::against_check),
        [&](const evaluate::FoundSet& found, unsigned) {
          if (titles_differ(queries_[found.query], others.table, found.id)) return;
          near[found.query].store(1);
        });
    for (size_t i = 0; i < near.size(); ++i) near_[i] = near_[i] || near[i] != 0;
  }

  const DocumentTable& documents_;
  const similar::HashSets& sets_;
  const DedupOptions& options_;
  const DedupResources& resources_;
  DedupAgainst& report_;
  const ProgressCallback& progress_;
  const size_t runs_;
  Budget memory_;  // to work with
  std::vector<uint32_t> representative_;
  std::vector<uint32_t> distinct_;
  std::vector<EarlierMatch> best_;     // by representative
  std::vector<DocumentTable> tables_;  // of the runs so far, for their names
  std::vector<uint32_t> queries_;      // ascending
  std::vector<bool> near_;             // by query
};

}  // namespace

Status write_against(const std::string& path, const DocumentTable& documents,
                     std::span<const EarlierRun> runs, const DedupOptions& options,
                     const DedupResources& resources, DedupReport& report,
                     const ProgressCallback& progress) {
  report.against = {};
  AgainstSearch search(documents, runs.size(), options, resources, report.against, progress);
  for (uint32_t run = 0; run < runs.size(); ++run) KITH_TRY(search.compare(run, runs[run]));
  report.against.check = search.check();
  KITH_ASSIGN(AgainstWriter file, AgainstWriter::create(resources.fs, path));
  return search.write(file);
}

}  // namespace kith::jobs
