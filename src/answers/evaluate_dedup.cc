// kith::evaluate_dedup: a run beside labels.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/evaluate.h"

#include "evaluate/agreement.h"
#include "evaluate/label_table.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/stage_files.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith {
namespace {

using evaluate::LabelledItems;
using evaluate::LabelSets;
using evaluate::LabelTable;

// Labels may spell a URL in another way; an id stands for itself.
std::string key_of(std::string_view name, const text::UrlRules& rules) {
  text::Url url;
  if (!text::parse_url(name, nullptr, url)) return std::string(name);
  rules.apply(url);
  return url.href;
}

// Several documents may have one name, such as the captures of a URL.
LabelledItems find_documents(const LabelTable& table, const jobs::DocumentTable& documents,
                             const text::UrlRules& rules, uint64_t& missing) {
  boost::unordered_flat_map<std::string, std::vector<uint32_t>> names;
  for (uint32_t name = 0; name < table.names.size(); ++name) {
    names[key_of(table.names[name], rules)].push_back(name);
  }
  std::vector<evaluate::NamedItem> named;
  std::vector<bool> is_found(table.names.size());
  for (uint32_t id = 0; id < documents.size(); ++id) {
    const auto own = names.find(key_of(documents.name(id), rules));
    if (own == names.end()) continue;
    for (const uint32_t name : own->second) {
      named.push_back({id, name});
      is_found[name] = true;
    }
  }
  missing = static_cast<uint64_t>(std::ranges::count(is_found, false));
  return evaluate::join_names(table, std::move(named));
}

std::vector<uint32_t> pick(std::span<const uint32_t> values, std::span<const uint32_t> ids) {
  std::vector<uint32_t> picked;
  picked.reserve(ids.size());
  for (const uint32_t id : ids) picked.push_back(values[id]);
  return picked;
}

// The labelled documents of every representative; those with equal labels are one entry.
class RepresentativeLabels {
 public:
  RepresentativeLabels(std::span<const uint32_t> representative, const LabelSets& classes)
      : classes_(classes) {
    std::vector<uint32_t> items(representative.size());
    for (uint32_t i = 0; i < items.size(); ++i) items[i] = i;
    std::ranges::sort(items, [&](uint32_t a, uint32_t b) {
      if (representative[a] != representative[b]) return representative[a] < representative[b];
      return std::ranges::lexicographical_compare(classes[a], classes[b]);
    });
    for (const uint32_t item : items) {
      std::vector<Entry>& own = entries_[representative[item]];
      if (own.empty() || !std::ranges::equal(classes[own.back().item], classes[item])) {
        own.push_back({item, 0});
      }
      ++own.back().count;
    }
  }

  // Adds the pairs of a document of `a` with one of `b`, and those of them that share a label.
  void count(uint32_t a, uint32_t b, PairAgreement& pairs) const {
    const auto first = entries_.find(a);
    const auto second = entries_.find(b);
    if (first == entries_.end() || second == entries_.end()) return;
    for (const Entry& one : first->second) {
      for (const Entry& other : second->second) {
        const uint64_t met = one.count * other.count;
        pairs.found += met;
        if (classes_.share(one.item, other.item)) pairs.correct += met;
      }
    }
  }

 private:
  struct Entry {
    uint32_t item;
    uint64_t count;
  };
  const LabelSets& classes_;
  boost::unordered_flat_map<uint32_t, std::vector<Entry>> entries_;
};

// The pairs of documents within clusters.
PairAgreement pairs_within(std::span<const uint32_t> clusters, const LabelSets& classes) {
  PairAgreement pairs;
  pairs.found = evaluate::count_pairs(evaluate::count_cells(clusters, classes.first()).rows);
  pairs.correct = evaluate::count_sharing_pairs(clusters, classes);
  return pairs;
}

void divide(uint64_t truth, PairAgreement& pairs) {
  pairs.truth = truth;
  const auto correct = static_cast<double>(pairs.correct);
  if (pairs.found > 0) pairs.precision = correct / static_cast<double>(pairs.found);
  if (truth > 0) pairs.recall = correct / static_cast<double>(truth);
}

struct DedupFiles {
  jobs::DocumentTable documents;
  jobs::Matches matches;
  jobs::Groups groups;
};

Result<DedupFiles> open_files(storage::FileSystem& fs, const jobs::DedupDirectory& run) {
  for (const std::string_view stage :
       {jobs::documents_stage, jobs::matches_stage, jobs::groups_stage}) {
    KITH_TRY(run.verify(stage));
  }
  DedupFiles files;
  KITH_ASSIGN(files.documents,
              jobs::DocumentTable::open(
                  fs, run.path(),
                  {.sketches = jobs::needs_signatures(run.report().options), .titles = true}));
  KITH_ASSIGN(files.matches,
              jobs::Matches::open(fs, run.file(jobs::matches_file), files.documents.size()));
  KITH_ASSIGN(files.groups,
              jobs::Groups::open(fs, run.file(jobs::groups_file), files.documents.size()));
  return files;
}

Status evaluate_pairs(storage::FileSystem& fs, const jobs::DedupDirectory& run,
                      const DedupFiles& files, const LabelledItems& labelled, uint64_t truth,
                      DedupEvaluation& evaluation) {
  const auto representative = pick(files.matches.representative(), labelled.items);
  const RepresentativeLabels labels(representative, labelled.classes);
  evaluation.verified = pairs_within(representative, labelled.classes);
  ThreadPool pool(0);
  const jobs::DedupResources resources{fs, run.path(), run.scratch(), run::memory_or_default(0),
                                       pool};
  KITH_TRY(jobs::for_each_listed_pair(files.documents, files.matches, files.groups,
                                      run.report().options, resources,
                                      [&](const similar::SetPair& pair) {
                                        labels.count(pair.a, pair.b, evaluation.verified);
                                        return Status::ok();
                                      }));
  divide(truth, evaluation.verified);
  return Status::ok();
}

void evaluate_groups(std::span<const uint32_t> kept, const LabelledItems& labelled, uint64_t truth,
                     DedupEvaluation& evaluation) {
  std::vector<uint32_t> sizes(kept.size());
  for (const uint32_t own : kept) ++sizes[own];
  const auto group = pick(kept, labelled.items);
  evaluation.alone = static_cast<uint64_t>(
      std::ranges::count_if(group, [&](uint32_t own) { return sizes[own] == 1; }));
  evaluation.groups = evaluate::measure_agreement(group, labelled.classes);
  evaluation.grouped = pairs_within(group, labelled.classes);
  divide(truth, evaluation.grouped);
}

}  // namespace

Result<DedupEvaluation> evaluate_dedup(const EvaluateOptions& options) {
  return run::guarded([&]() -> Result<DedupEvaluation> {
    storage::FileSystem& fs = storage::posix_file_system();
    KITH_ASSIGN(const auto run, jobs::DedupDirectory::open(fs, options.run));
    KITH_ASSIGN(const std::string bytes, run::read_whole_file(options.labels));
    const std::string file = run::name_of_input(options.labels);
    KITH_ASSIGN(const LabelTable table, evaluate::parse_labels(bytes, file, options.columns));
    KITH_ASSIGN(const DedupFiles files, open_files(fs, run));
    uint64_t missing = 0;
    const LabelledItems labelled = find_documents(
        table, files.documents, text::UrlRules::of_valid(run.report().options.url_rules), missing);
    if (labelled.items.empty()) return evaluate::nothing_labelled(file, options.run, missing);
    DedupEvaluation evaluation;
    evaluation.labels = evaluate::count_labels(table, labelled, files.documents.size(), missing);
    const uint64_t truth = evaluate::count_sharing_pairs(labelled.classes);
    KITH_TRY(evaluate_pairs(fs, run, files, labelled, truth, evaluation));
    evaluate_groups(files.groups.kept(), labelled, truth, evaluation);
    return evaluation;
  });
}

}  // namespace kith
