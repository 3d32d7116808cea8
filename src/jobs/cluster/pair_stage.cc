#include "jobs/cluster/pair_stage.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "cluster/order.h"
#include "evaluate/brute_force.h"
#include "evaluate/recall_check.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "similar/exact/exact_join.h"
#include "similar/sites.h"
#include "similar/tables/lsh_join.h"

namespace kith::jobs {
namespace {

// What is to be found.
struct Wanted {
  uint32_t top = 0;
  similar::OtherSites others = {};
  uint64_t held = 0;  // by the caller
  bool similar_only = false;

  // What the lists of an id take.
  uint64_t bytes_of_lists() const {
    return similar::TopLists::bytes_of_one(top) +
           (others.top == 0 ? 0 : similar::TopLists::bytes_of_one(others.top));
  }
  // What is held for lists of other hosts and by the caller, besides what the joins charge
  // themselves.
  uint64_t fixed_bytes(uint64_t ids) const {
    if (others.top == 0) return held;
    return held + others.sites->bytes() + ids * similar::OtherSites::bytes_per_id;
  }
};

// What both engines answer.
struct Joined {
  std::vector<uint32_t> degree;
  similar::NearestLists nearest;
  similar::NearestLists other_sites;
  bool has_lists_of_members = false;  // further_lists()
  PairCounts counts;
};

Result<Joined> join_exactly(const sketch::BagCollection& bags, const cluster::SimilarityPlan& plan,
                            const Wanted& wanted, const PairResources& resources,
                            const similar::JoinProgress& progress) {
  similar::ExactJoinOptions options;
  options.min_sum = plan.min_sum;
  options.top = wanted.top;
  options.other_sites = wanted.others;
  options.similar_only = wanted.similar_only;
  options.classes = plan.classes;
  options.memory = run::working_memory(resources.memory, bags.size())
                       .without(Share::sites, wanted.fixed_bytes(bags.size()));
  options.fs = &resources.fs;
  options.scratch = resources.scratch;
  KITH_ASSIGN(auto result,
              similar::exact_join(bags, plan.groups, options, resources.pool, progress));
  return Joined{
      std::move(result.degree), std::move(result.nearest), std::move(result.other_sites), true, {}};
}

Result<Joined> join_by_tables(const sketch::BagCollection& bags,
                              const cluster::SimilarityPlan& plan, const SignatureTable& signatures,
                              const Wanted& wanted, const PairResources& resources,
                              const similar::JoinProgress& progress) {
  similar::LshJoinOptions options;
  options.min_sum = plan.min_sum;
  options.top = wanted.top;
  options.refine = true;
  options.plane_miss = cluster::pair_plane_miss;
  options.other_sites = wanted.others;
  options.classes = plan.classes;
  options.similar_only = wanted.similar_only;
  options.fs = &resources.fs;
  options.scratch = resources.scratch;
  const uint64_t least =
      similar::min_lsh_join_memory(bags, plan.tables.lanes, wanted.top + wanted.others.top, true);
  options.memory = run::working_memory(resources.memory, bags.size());
  KITH_TRY(options.memory.take(Share::sites, wanted.fixed_bytes(bags.size()), least,
                               run::counted(bags.size(), "URLs")));
  KITH_ASSIGN(auto result, similar::lsh_join(bags, plan.groups, signatures.signatures(),
                                             sketch::Tables(plan.tables), options, resources.pool,
                                             nullptr, progress));
  return Joined{std::move(result.degree), std::move(result.nearest), std::move(result.other_sites),
                false, result.counts};
}

// The lists of all ids, in order, from those of the representatives.
class ListReader {
 public:
  ListReader(const Joined& joined, const similar::DuplicateGroups& groups, const Wanted& wanted)
      : joined_(joined), groups_(groups), wanted_(wanted) {
    constexpr uint64_t read_bytes = 4 << 20;  // of lists, that stay until they are given back
    stretch_ = static_cast<uint32_t>(std::max<uint64_t>(1, read_bytes / wanted.bytes_of_lists()));
  }

  // Valid until the next call.
  std::span<const similar::Neighbour> nearest(uint32_t id) {
    const uint32_t own = groups_.representative[id];
    similar::expand_nearest(list(joined_.nearest, own, id), wanted_.top, groups_, id, lists_);
    return lists_;
  }

  // The same on other hosts.
  std::span<const similar::Neighbour> other_sites(uint32_t id) {
    const uint32_t own = groups_.representative[id];
    const uint32_t owner = similar::list_owner(groups_, wanted_.others, id);
    std::vector<similar::Neighbour> of_member;
    std::span<const similar::Neighbour> found;
    if (owner != similar::no_id && owner != own && !joined_.has_lists_of_members) {
      found = of_member = similar::list_of_member(list(joined_.nearest, own, id),
                                                  joined_.other_sites.read(own, other_buffer_),
                                                  wanted_.others, groups_, id);
    } else if (owner != similar::no_id) {
      found = list(joined_.other_sites, owner, id);
    }
    similar::expand_other_sites(found, wanted_.others, groups_, id, lists_);
    return lists_;
  }

  // The lists of an id were read: to be called for all, ascending.
  void done(uint32_t id) const {
    if (id % stretch_ != stretch_ - 1) return;
    joined_.nearest.release();
    if (wanted_.others.top > 0) joined_.other_sites.release();
  }

 private:
  // That of `owner`, when the lists of `id` are read.
  std::span<const similar::Neighbour> list(const similar::NearestLists& lists, uint32_t owner,
                                           uint32_t id) {
    return owner == id ? lists[owner] : lists.read(owner, buffer_);
  }

  const Joined& joined_;
  const similar::DuplicateGroups& groups_;
  const Wanted wanted_;
  uint32_t stretch_;
  std::vector<similar::Neighbour> lists_;
  std::vector<similar::Neighbour> buffer_;
  std::vector<similar::Neighbour> other_buffer_;
};

// Calls add(writer, id) for all ids, each to add the list of that id.
template <class Add>
Status write_lists(storage::FileSystem& fs, const std::string& path, uint64_t ids, const Add& add) {
  KITH_ASSIGN(auto writer, run::NeighboursWriter::create(fs, path));
  for (uint32_t id = 0; id < ids; ++id) KITH_TRY(add(writer, id));
  return writer.finish();
}

Status write_files(const NeighbourFiles& files, const Joined& joined,
                   const similar::DuplicateGroups& groups, const Wanted& wanted,
                   storage::FileSystem& fs) {
  ListReader lists(joined, groups, wanted);
  using Writer = run::NeighboursWriter;
  KITH_TRY(write_lists(fs, files.neighbours, groups.size(), [&](Writer& writer, uint32_t id) {
    Status status = writer.add(lists.nearest(id), joined.degree[id]);
    lists.done(id);
    return status;
  }));
  if (wanted.others.top == 0) return Status::ok();
  return write_lists(fs, files.other_sites, groups.size(), [&](Writer& writer, uint32_t id) {
    const auto list = lists.other_sites(id);
    Status status = writer.add(list, static_cast<uint32_t>(list.size()));
    lists.done(id);
    return status;
  });
}

}  // namespace

Result<PairCounts> write_neighbours(const NeighbourFiles& files, const sketch::BagCollection& bags,
                                    const cluster::SimilarityPlan& plan,
                                    const SignatureTable* signatures,
                                    const PairResources& resources,
                                    const ProgressCallback& progress) {
  const auto show = [&](double share) {
    if (progress) progress({"pairs", share, 1.0, ""});
  };
  bags.release(0, bags.size());
  std::optional<similar::Sites> sites;
  Wanted wanted{.top = files.count, .held = resources.held, .similar_only = files.similar_only};
  if (files.other_count > 0 && files.first_ids.size() > 1) {
    sites.emplace(files.first_ids, plan.groups);
    wanted.others = {files.other_count, &*sites};
  }
  KITH_ASSIGN(Joined joined,
              plan.engine == EngineChoice::exact
                  ? join_exactly(bags, plan, wanted, resources, show)
                  : join_by_tables(bags, plan, *signatures, wanted, resources, show));
  KITH_TRY(write_files(files, joined, plan.groups, wanted, resources.fs));
  joined.counts.hosts = files.first_ids.size();
  return joined.counts;
}

bool needs_pairs(EngineChoice engine, const ClusterOptions& options) {
  return options.neighbours > 0 || engine == EngineChoice::paper ||
         cluster::resolve_order(options.order, engine == EngineChoice::exact) == Order::degree;
}

CheckReport check_run(const sketch::BagCollection& bags, uint32_t min_sum,
                      const similar::Classes& classes, const run::Neighbours& neighbours,
                      const ClusterOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> queries =
      evaluate::sample_queries(bags, options.check_queries, mix64(options.seed ^ 0x636865636bu));
  const evaluate::BruteForceResult truth = evaluate::brute_force(
      bags, queries, {.min_sum = min_sum, .top = options.neighbours, .list_similar = false}, pool);
  const auto listed = [&](uint32_t query, std::vector<similar::Neighbour>& out) {
    const auto list = neighbours[query];
    out.insert(out.end(), list.begin(), list.end());
    neighbours.release();  // reading one maps many others around it
  };
  std::vector<sketch::BagEntry> first;
  std::vector<sketch::BagEntry> second;
  const auto exact_sum = [&](uint32_t a, uint32_t b) {
    return sketch::sum_of_minima(bags.read(a, first), bags.read(b, second));
  };
  const evaluate::RecallReport recall =
      evaluate::check_recall(truth, nullptr, listed, min_sum, exact_sum);

  evaluate::Share pair_recall;
  evaluate::Share pair_precision;
  // Lists are of all classes, degrees of one.
  const evaluate::BruteForceResult within =
      classes.has_one()
          ? evaluate::BruteForceResult()
          : evaluate::brute_force(
                bags, queries,
                {.min_sum = min_sum, .top = 0, .list_similar = false, .classes = classes}, pool);
  uint64_t cut_pairs = 0;
  double sum_of_shares = 0;
  uint64_t with_similar = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const evaluate::QueryTruth& query = classes.has_one() ? truth.queries[i] : within.queries[i];
    cut_pairs += truth.queries[i].degree - query.degree;
    const uint64_t found = neighbours.degree(query.id);
    const uint64_t hits = std::min<uint64_t>(found, query.degree);
    pair_recall.hits += hits;
    pair_recall.of += query.degree;
    pair_precision.hits += hits;
    pair_precision.of += found;
    if (query.degree == 0) continue;
    sum_of_shares += static_cast<double>(hits) / static_cast<double>(query.degree);
    ++with_similar;
  }
  CheckReport report;
  report.queries = static_cast<uint32_t>(queries.size());
  report.true_pairs = pair_recall.of;
  report.cut_pairs = cut_pairs;
  report.pair_recall = pair_recall.value();
  report.pair_precision = pair_precision.value();
  report.recall_upper = evaluate::recall_upper_bound(sum_of_shares, with_similar);
  report.neighbour_recall = recall.neighbour_recall.value();
  report.similar_neighbour_recall = recall.similar_neighbour_recall.value();
  report.neighbour_precision = recall.neighbour_precision.value();
  return report;
}

}  // namespace kith::jobs
