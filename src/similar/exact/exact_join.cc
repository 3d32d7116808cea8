#include "similar/exact/exact_join.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "similar/exact/exact_blocks.h"
#include "similar/sites.h"

namespace kith::similar {
namespace {

uint64_t bytes_of_lists(const ExactJoinOptions& options) {
  const uint32_t others = options.other_sites.top;
  return TopLists::bytes_of_one(options.top) + (others == 0 ? 0 : TopLists::bytes_of_one(others));
}

// One join on its way, block by block of the index and of the lists.
class ExactJoin {
 public:
  // memory: in place of that of the options.
  ExactJoin(const sketch::BagCollection& bags, const DuplicateGroups& groups,
            const ExactJoinOptions& options, const Budget& memory, ThreadPool& pool,
            const JoinProgress& progress)
      : bags_(bags),
        groups_(groups),
        options_(options),
        memory_(memory),
        pool_(pool),
        progress_(progress),
        ids_(distinct_bags(bags, groups)),
        asking_(ids_) {
    const size_t ids_of_part =
        std::max<size_t>(1, memory.bytes(Share::block_lists) / bytes_of_lists(options));
    result_.degree.resize(bags.size());
    result_.nearest =
        NearestLists(bags.size(), ids_of_part, options.top, {options.fs, options.scratch});
    if (!has_other_sites()) return;
    result_.other_sites = NearestLists(bags.size(), ids_of_part, options.other_sites.top,
                                       {options.fs, options.scratch, "other-sites"});
    const std::vector<uint32_t> further = further_lists(groups, options.other_sites);
    asking_.insert(asking_.end(), further.begin(), further.end());
    std::ranges::sort(asking_);
  }

  Result<ExactJoinResult> run() && {
    KITH_ASSIGN(blocks_, cut_into_blocks(bags_, ids_, memory_, pool_.size()));
    const size_t count = blocks_.ids.size();
    // An id has most of its neighbours near it: those of its own block tell what the others must
    // reach.
    for (size_t i = 0; i < count; ++i) KITH_TRY(ask_block(i, true));
    for (size_t i = 0; i < count && count > 1; ++i) KITH_TRY(ask_block(i, false));
    bags_.release(0, bags_.size());
    KITH_TRY(finish());
    return std::move(result_);
  }

 private:
  struct Lists {
    TopLists& nearest;
    TopLists* other_sites;  // null if not asked for
  };

  bool has_other_sites() const { return options_.other_sites.top > 0; }
  bool is_whole() const { return blocks_.ids.size() == 1; }
  uint32_t min_near() const { return options_.similar_only ? options_.min_sum : 0; }

  static Ids from_to(Ids ids, size_t first, size_t last) {
    const auto begin = std::ranges::lower_bound(ids, first);
    return {begin, std::ranges::lower_bound(ids, last)};
  }

  // Calls visit(lists, ids) for the blocks of lists.
  template <class Visit>
  Status for_each_part(const Visit& visit) {
    NearestLists& nearest = result_.nearest;
    NearestLists& others = result_.other_sites;
    for (size_t part = 0; part < nearest.blocks(); ++part) {
      KITH_TRY(nearest.open(part));
      if (has_other_sites()) KITH_TRY(others.open(part));
      const Lists lists{nearest.block(part), has_other_sites() ? &others.block(part) : nullptr};
      KITH_TRY(visit(lists, from_to(asking_, nearest.first_of(part), nearest.first_of(part + 1))));
      KITH_TRY(nearest.close(part));
      if (has_other_sites()) KITH_TRY(others.close(part));
    }
    return Status::ok();
  }

  // Asks a block for the ids that stand where it does, or for all others.
  Status ask_block(size_t i, bool own) {
    const size_t first = blocks_.ids[i].front();
    const size_t end = i + 1 < blocks_.ids.size() ? blocks_.ids[i + 1].front() : bags_.size();
    IndexedBlock index(bags_, groups_, blocks_.ids[i], blocks_.tables_weights, pool_,
                       options_.other_sites);
    const auto ask_part = [&](const Lists& lists, Ids part) -> Status {
      if (own) return ask(index, from_to(part, first, end), lists, own);
      KITH_TRY(ask(index, from_to(part, 0, first), lists, own));
      return ask(index, from_to(part, end, bags_.size()), lists, own);
    };
    KITH_TRY(for_each_part(ask_part));
    result_.work += index.work();
    bags_.release(first, end);
    return Status::ok();
  }

  Status ask(IndexedBlock& index, Ids asking, const Lists& lists, bool own) {
    const auto take = [&](size_t, uint32_t id, const Answer& answer) {
      keep(lists.nearest, id, answer.nearest);
      if (has_other_sites()) keep(*lists.other_sites, id, answer.other_sites);
      // The others of its own group are in one block with it.
      const uint64_t twins = own && options_.min_sum > 0 ? groups_.multiplicity[id] - 1 : 0;
      uint32_t& degree = result_.degree[id];
      degree = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, degree + answer.count + twins));
    };
    const auto after = [&](Ids ids) {
      asked_ += ids.size();
      const size_t all = asking_.size() * blocks_.ids.size();
      if (progress_) progress_(static_cast<double>(asked_) / static_cast<double>(all));
      return Status::ok();
    };
    const uint64_t answer_bytes =
        2 * (uint64_t{options_.top} + options_.other_sites.top) * sizeof(Neighbour);
    return index.ask(
        asking, [&](uint32_t id) { return question(index, id, lists); },
        memory_.bytes(Share::block_answers), answer_bytes, take, after);
  }

  // What the lists so far leave to ask for.
  Question question(const IndexedBlock& index, uint32_t id, const Lists& lists) const {
    Question asked{.multiplicity = groups_.multiplicity, .other_sites = index.other_sites_of(id)};
    if (has_other_sites()) {
      asked.other_sites.min_near = std::max(min_near(), lists.other_sites->min_sum(id));
    }
    if (groups_.is_representative(id)) {
      asked.min_sum = options_.min_sum;
      asked.of_class = {options_.classes, options_.classes.of(id)};
      asked.top = options_.top;
      asked.min_near = std::max(min_near(), lists.nearest.min_sum(id));
    }
    return asked;
  }

  // The answer of the only block is the list.
  void keep(TopLists& lists, uint32_t id, std::span<const Neighbour> found) const {
    if (is_whole()) return lists.assign(id, found);
    for (const Neighbour& near : found) lists.offer(id, near);
  }

  Status finish() {
    KITH_TRY(for_each_part([&](const Lists& lists, Ids part) {
      if (is_whole()) return Status::ok();
      for (const uint32_t id : part) {
        lists.nearest.sort(id);
        if (has_other_sites()) lists.other_sites->sort(id);
      }
      return Status::ok();
    }));
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      result_.degree[id] = result_.degree[groups_.representative[id]];
    }
    KITH_TRY(result_.nearest.finish());
    return has_other_sites() ? result_.other_sites.finish() : Status::ok();
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const ExactJoinOptions& options_;
  const Budget memory_;
  ThreadPool& pool_;
  const JoinProgress& progress_;
  const std::vector<uint32_t> ids_;
  std::vector<uint32_t> asking_;  // these, and further members of groups
  IndexBlocks blocks_;
  uint64_t asked_ = 0;  // ids, in all blocks together
  ExactJoinResult result_;
};

}  // namespace

Result<ExactJoinResult> exact_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                                   const ExactJoinOptions& options, ThreadPool& pool,
                                   const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  const uint64_t whole =
      whole_block_bytes(bags, pool.size()) + bags.size() * bytes_of_lists(options);
  const Budget memory = whole <= options.memory.bytes() ? Budget() : options.memory;
  return ExactJoin(bags, groups, options, memory, pool, progress).run();
}

}  // namespace kith::similar
