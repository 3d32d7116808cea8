#include "similar/exact/exact_join.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "similar/exact/question.h"
#include "similar/exact/tiled_index.h"
#include "similar/sites.h"

namespace kith::similar {
namespace {

// One join on its way: asks for `todo` in rounds of a batch per thread or more; after each, a
// sink gets its pairs.
class ExactJoin {
 public:
  ExactJoin(const sketch::BagCollection& bags, const DuplicateGroups& groups,
            const ExactJoinOptions& options, ThreadPool& pool, bool with_pairs)
      : bags_(bags),
        groups_(groups),
        options_(options),
        pool_(pool),
        with_pairs_(with_pairs),
        distinct_(distinct_bags(bags, groups)),
        order_(options.other_sites, distinct_),
        slot_of_(bags.size(), no_id),
        index_(bags, order_.ids(), pool),
        workers_(pool.size()) {
    KITH_CHECK(!with_pairs || options.other_sites.top == 0);
    for (uint32_t slot = 0; slot < distinct_.size(); ++slot) slot_of_[order_.ids()[slot]] = slot;
    if (with_pairs) find_last_members();
    result_.degree.assign(bags.size(), 0);
    result_.nearest = TopLists(bags.size(), options.top);
    if (options.other_sites.top > 0) {
      result_.other_sites = TopLists(bags.size(), options.other_sites.top);
    }
  }

  Status run(const PairSink& sink, const JoinProgress& progress) {
    const std::vector<uint32_t> todo = with_pairs_ ? non_empty() : asking();
    const size_t batch = batch_of(todo.size());
    const size_t round = batch * pool_.size() * (with_pairs_ ? 1 : 4);
    for (size_t begin = 0; begin < todo.size(); begin += round) {
      const auto ids = std::span(todo).subspan(begin, std::min(round, todo.size() - begin));
      if (with_pairs_) lists_.resize(ids.size());
      pool_.for_chunks(ids.size(), batch, [&](size_t first, size_t last, unsigned worker) {
        for (size_t at = first; at < last; at += batch) {
          look_up(ids, at, std::min(last, at + batch), workers_[worker]);
        }
      });
      if (with_pairs_) KITH_TRY(give_pairs(ids, sink));
      if (progress) {
        progress(static_cast<double>(begin + ids.size()) / static_cast<double>(todo.size()));
      }
    }
    return Status::ok();
  }

  ExactJoinResult result() && {
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      result_.degree[id] = result_.degree[groups_.representative[id]];
    }
    result_.pairs = std::accumulate(result_.degree.begin(), result_.degree.end(), uint64_t{0}) / 2;
    for (const Worker& worker : workers_) result_.work += worker.scratch.work;
    return std::move(result_);
  }

 private:
  struct alignas(worker_alignment) Worker {
    TiledIndex::Scratch scratch;
    std::vector<TiledIndex::Query> queries;
    std::vector<Answer> answers;
  };

  // Small enough for all threads to have work, and the same for any number of them, but where the
  // pairs of a batch of each might not fit the memory.
  size_t batch_of(size_t queries) const {
    const size_t batch = std::clamp<size_t>(queries / 64, 16, exact_join_batch);
    if (!with_pairs_ || options_.memory == 0) return batch;
    // The answer, and the list that is made of it.
    const uint64_t most =
        std::max<uint64_t>(1, 2 * sizeof(Neighbour) * bags_.size() * pool_.size());
    return std::clamp<uint64_t>(options_.memory / most, 1, batch);
  }

  // Further members of a group, for their nearest on other hosts, come last.
  std::vector<uint32_t> asking() const {
    std::vector<uint32_t> ids = distinct_;
    const std::vector<uint32_t> further = further_lists(groups_, options_.other_sites);
    ids.insert(ids.end(), further.begin(), further.end());
    return ids;
  }

  std::vector<uint32_t> non_empty() const {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      if (!bags_[id].empty()) ids.push_back(id);
    }
    return ids;
  }

  void find_last_members() {
    last_member_.resize(bags_.size());
    for (uint32_t id = 0; id < bags_.size(); ++id) last_member_[groups_.representative[id]] = id;
  }

  TiledIndex::Query query_of(uint32_t id) const {
    const uint32_t own = groups_.representative[id];
    const uint32_t min_near = options_.similar_only ? options_.min_sum : 0;
    OtherSitesQuestion others = order_.question(id);
    others.min_near = min_near;
    return {bags_[id],
            {.min_sum = options_.min_sum,
             // A further member of a group does not need them.
             .top = own == id ? options_.top : 0,
             .min_near = min_near,
             .list = with_pairs_,
             .except = slot_of_[own],
             .multiplicity = groups_.multiplicity,
             // A pair is listed at its smaller id.
             .list_key = last_member_,
             .list_above = id,
             .of_class = {options_.classes, options_.classes.of(id)},
             .other_sites = others}};
  }

  void look_up(std::span<const uint32_t> ids, size_t begin, size_t end, Worker& worker) {
    worker.queries.clear();
    for (size_t i = begin; i < end; ++i) worker.queries.push_back(query_of(ids[i]));
    worker.answers.resize(worker.queries.size());
    index_.ask(worker.queries, worker.scratch, worker.answers);
    for (size_t i = begin; i < end; ++i) {
      const Answer& answer = worker.answers[i - begin];
      if (groups_.is_representative(ids[i])) keep(ids[i], answer);
      if (options_.other_sites.top > 0) result_.other_sites.assign(ids[i], answer.other_sites);
      if (with_pairs_) list_pairs(ids[i], answer.similar, lists_[i]);
    }
  }

  void keep(uint32_t id, const Answer& answer) {
    const uint64_t twins = options_.min_sum == 0 ? 0 : groups_.multiplicity[id] - 1;
    result_.degree[id] = answer.count + twins;
    result_.nearest.assign(id, answer.nearest);
  }

  void list_pairs(uint32_t id, std::span<const Neighbour> similar,
                  std::vector<Neighbour>& list) const {
    list.clear();
    if (options_.min_sum == 0) return;
    const Neighbour twins{groups_.representative[id], sketch::bag_total};
    expand_similar({&twins, 1}, groups_, id, list);
    expand_similar(similar, groups_, id, list);
    std::sort(list.begin(), list.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.id < b.id; });
  }

  Status give_pairs(std::span<const uint32_t> ids, const PairSink& sink) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (!lists_[i].empty()) KITH_TRY(sink(ids[i], lists_[i]));
    }
    return Status::ok();
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const ExactJoinOptions& options_;
  ThreadPool& pool_;
  const bool with_pairs_;
  const std::vector<uint32_t> distinct_;
  const SlotOrder order_;
  std::vector<uint32_t> slot_of_;      // by id of a representative
  std::vector<uint32_t> last_member_;  // by id of a representative: the highest of its group
  const TiledIndex index_;
  std::vector<Worker> workers_;
  std::vector<std::vector<Neighbour>> lists_;  // the pairs of a round
  ExactJoinResult result_;
};

}  // namespace

Result<ExactJoinResult> exact_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                                   const ExactJoinOptions& options, ThreadPool& pool,
                                   const PairSink& sink, const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  ExactJoin join(bags, groups, options, pool, sink != nullptr);
  KITH_TRY(join.run(sink, progress));
  return std::move(join).result();
}

}  // namespace kith::similar
