#include "similar/tables/lsh_join.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/query_weights.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/candidate_search.h"
#include "similar/tables/refinement.h"
#include "similar/tables/verification.h"

namespace kith::similar {
namespace {

// Above all terms.
uint64_t term_limit(const sketch::BagCollection& bags, ThreadPool& pool) {
  std::vector<uint64_t> limits(pool.size());
  std::vector<sketch::BagBuffer> buffers(pool.size());
  const size_t stretch = bags.bags_in(1 << 20);
  pool.for_chunks(bags.size(), stretch, [&](size_t begin, size_t end, unsigned worker) {
    const sketch::BagBlock block = bags.block(begin, end, buffers[worker]);
    uint64_t limit = limits[worker];
    for (size_t id = begin; id < end; ++id) {
      if (!block[id].empty()) limit = std::max(limit, block[id].back().term + uint64_t{1});
    }
    limits[worker] = limit;
  });
  return *std::ranges::max_element(limits);
}

// How the ids are cut to fit the memory.
struct Blocks {
  size_t count = 1;
  size_t ids = 1;               // in each but the last
  size_t candidates = 1 << 24;  // held at a time
};

// Where tables of weights do not fit their share bags are merged.
uint64_t tabled_terms(uint64_t terms, const LshJoinOptions& options, unsigned threads) {
  const uint64_t tables = threads * QueryWeights::bytes(terms);
  return tables <= options.memory.bytes(Share::weight_tables) ? terms : UINT64_MAX;
}

// Of the bag of an id and its lists.
uint64_t lasting_bytes_of_id(const sketch::BagCollection& bags, uint32_t top) {
  const uint64_t bag_bytes = bags.entries().size() * sizeof(sketch::BagEntry) / bags.size() + 1;
  return bag_bytes + sizeof(uint64_t) + top * sizeof(Neighbour);
}

uint64_t bytes_of_id(const sketch::BagCollection& bags, uint32_t lanes, uint32_t top, bool refine) {
  const uint64_t search = CandidateSearch::bytes_per_row(lanes);
  const uint64_t refinement = refine ? refinement_bytes_of_one(lanes, top) : 0;
  return lasting_bytes_of_id(bags, top) + std::max(search, refinement);
}

constexpr uint64_t bytes_per_candidate = 32;
constexpr size_t min_candidates = 1 << 12;

// Nothing where that makes for more than 64 blocks.
std::optional<Blocks> cut(const sketch::BagCollection& bags, const LshJoinOptions& options,
                          uint32_t lanes, uint64_t table_bytes) {
  const uint64_t n = bags.size();
  Blocks blocks;
  blocks.ids = std::max<uint64_t>(n, 1);
  if (!options.memory.is_limited() || n == 0) return blocks;
  const uint64_t id_bytes =
      bytes_of_id(bags, lanes, options.top + options.other_sites.top, options.refine);
  // A candidate costs memory as well, but a batch of few costs time.
  blocks.candidates =
      std::clamp<uint64_t>(options.memory.bytes(Share::candidates) / bytes_per_candidate,
                           min_candidates, blocks.candidates);
  const uint64_t others = blocks.candidates * bytes_per_candidate + table_bytes;
  const uint64_t free = std::max(options.memory.bytes(), others) - others;
  if (n * id_bytes <= free) return blocks;
  const uint64_t fitting = free / (2 * id_bytes);
  if (fitting < min_block_rows(n)) return std::nullopt;
  blocks.count = (n + fitting - 1) / fitting;
  blocks.ids = (n + blocks.count - 1) / blocks.count;
  blocks.count = (n + blocks.ids - 1) / blocks.ids;
  return blocks;
}

// Bags of a large bucket that are similar to each other stay together. Where pairs are listed they
// are compared; else they are counted, and their nearest are looked for in parts of the bucket.
BucketSplits splits_of(const sketch::BagCollection& bags, const sketch::Tables& tables,
                       const LshJoinOptions& options, bool lists_pairs) {
  const uint32_t lanes = tables.params().lanes;
  const PivotRule pivots = options.min_sum == 0
                               ? PivotRule()
                               : close_pivot_rule(sketch::similarity_of(options.min_sum), lanes);
  return BucketSplits(tables, options.largest_bucket, pivots,
                      lists_pairs ? WholePartUse::compared : WholePartUse::sampled,
                      lists_pairs ? 0 : static_cast<uint32_t>(bags.size()));
}

// The degrees and the lists of a join on its way.
class BagJoin {
 public:
  BagJoin(const sketch::BagCollection& bags, const DuplicateGroups& groups,
          const LshJoinOptions& options, Blocks blocks, uint64_t table_terms, ThreadPool& pool)
      : bags_(bags),
        groups_(groups),
        options_(options),
        blocks_(blocks),
        table_terms_(table_terms),
        pool_(pool),
        ids_(distinct_bags(bags, groups)),
        verification_(bags, groups, options.classes, options.min_sum, options.similar_only,
                      table_terms, pool),
        lists_(bags.size(), blocks.ids, options.top, {options.fs, options.scratch}),
        degree_(bags.size()) {
    if (!has_other_sites()) return;
    other_lists_ = NearestLists(bags.size(), blocks.ids, options.other_sites.top,
                                {options.fs, options.scratch, "other-sites"});
  }

  Status run(const sketch::Signatures& signatures, const sketch::Tables& tables,
             const PairRunSink& sink, const JoinProgress& progress) {
    const MappedRows rows(signatures, ids_);
    const uint32_t min_equal = min_candidate_count(options_, tables.params().lanes);
    BlockJoin join(
        rows, row_blocks(), tables, splits_of(bags_, tables, options_, sink != nullptr),
        {min_equal, blocks_.candidates, options_.memory.bytes()},
        {.candidates = [&](auto& found) { return verification_.verify(found, answers_, sink); },
         .whole_part = [&](auto& of, auto, auto members) { return count_whole_part(of, members); },
         .open = [&](size_t i, size_t j) { return open(i, j); },
         .close = [&](size_t i, size_t j) { return close(i, j); }},
        pool_);
    KITH_ASSIGN(found_, join.run(progress));
    verification_.free_batches();
    if (has_other_sites()) KITH_TRY(other_lists_.finish());
    return lists_.finish();
  }

  // The lists become those of the tables and of what shares rare words.
  Status look_at_rare_words(uint64_t term_limit) {
    RareWordOptions options{.top = options_.top,
                            .min_sum = options_.min_sum,
                            .other_sites = options_.other_sites,
                            .term_limit = term_limit,
                            .tabled_terms = table_terms_};
    options.bags_in_memory = bags_fit(options_.memory.bytes(Share::rare_words_of_bags));
    options.memory = memory_of_words(options.bags_in_memory);
    KITH_ASSIGN(rare_, find_by_rare_words(
                           {bags_to_read(options.bags_in_memory), groups_, lists_, other_lists_},
                           options, verification_.weights(), pool_));
    release_bags();
    return Status::ok();
  }

  // And of the neighbours of neighbours.
  Status refine(const sketch::Signatures& signatures) {
    RefinementOptions options{.top = options_.top,
                              .min_sum = options_.min_sum,
                              .similar_only = options_.similar_only,
                              .term_limit = table_terms_};
    const uint64_t beside_bags =
        bags_.size() * refinement_bytes_of_one(signatures.lanes(), options_.top) +
        blocks_.ids * TopLists::bytes_of_one(options_.top);
    const bool fit = bags_fit(beside_bags);
    if (!fit) options.spill = {options_.fs, options_.scratch};
    KITH_ASSIGN(refined_, similar::refine({bags_to_read(fit), signatures, lists_}, options,
                                          verification_.weights(), pool_));
    release_bags();
    return Status::ok();
  }

  LshJoinResult result() && {
    for (uint32_t id = 0; id < bags_.size(); ++id) {
      if (bags_[id].empty() || options_.min_sum == 0) continue;
      const uint32_t own = groups_.representative[id];
      if (own == id && !in_whole_part_.empty()) {
        degree_[id] = std::max(degree_[id], in_whole_part_[id]);
      }
      if (own == id) degree_[id] += groups_.multiplicity[id] - 1;
      degree_[id] = degree_[own];
    }
    return {std::move(degree_), std::move(lists_), std::move(other_lists_), counts()};
  }

 private:
  PairCounts counts() const {
    return {.collisions = found_.collisions,
            .passed = found_.passed,
            .candidates = verification_.verified(),
            .similar = verification_.similar(),
            .split_buckets = found_.splits.buckets,
            .split_members = found_.splits.members,
            .largest_split = found_.splits.largest,
            .rare_postings = rare_.postings,
            .rare_compared = rare_.compared,
            .rare_found = rare_.found,
            .refined_candidates = refined_.candidates,
            .refined_compared = refined_.compared,
            .refined_found = refined_.found,
            .blocks = blocks_.count};
  }

  Status count_whole_part(const SignatureRows& rows, std::span<const uint32_t> members) {
    boost::unordered_flat_map<uint32_t, uint64_t> bags;  // by class
    for (const uint32_t row : members) {
      bags[options_.classes.of(rows.id(row))] += groups_.multiplicity[rows.id(row)];
    }
    if (in_whole_part_.empty()) in_whole_part_.resize(bags_.size());
    for (const uint32_t row : members) {
      const uint64_t of_class = bags.find(options_.classes.of(rows.id(row)))->second;
      const uint64_t others = of_class - groups_.multiplicity[rows.id(row)];
      uint32_t& most = in_whole_part_[rows.id(row)];
      most = std::max(most, static_cast<uint32_t>(std::min<uint64_t>(others, UINT32_MAX)));
    }
    return Status::ok();
  }

  // The rows of the ids of a block.
  RowRange rows_of(size_t block) const {
    const auto row_of = [&](uint32_t id) {
      return static_cast<size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin());
    };
    return {row_of(lists_.first_of(block)), row_of(lists_.first_of(block + 1))};
  }
  RowBlocks row_blocks() const {
    RowBlocks blocks;
    for (size_t block = 0; block < blocks_.count; ++block) blocks.first.push_back(rows_of(block));
    return blocks;
  }

  // Block i, which comes first with itself, stays until it has been joined with the last.
  Status open(size_t i, size_t j) {
    KITH_TRY(lists_.open(j));
    answers_ = {degree_, &lists_.block(i), &lists_.block(j)};
    if (!has_other_sites()) return Status::ok();
    KITH_TRY(other_lists_.open(j));
    answers_.sites = options_.other_sites.sites;
    answers_.first_elsewhere = &other_lists_.block(i);
    answers_.second_elsewhere = &other_lists_.block(j);
    return Status::ok();
  }
  Status close(size_t i, size_t j) {
    if (j > i) KITH_TRY(put_away(j));
    if (j + 1 < blocks_.count) return Status::ok();
    constexpr size_t chunk = 1 << 14;
    const RowRange rows = rows_of(i);
    pool_.for_chunks(rows.size(), chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t at = begin; at < end; ++at) {
        lists_.block(i).sort(ids_[rows.begin + at]);
        if (has_other_sites()) other_lists_.block(i).sort(ids_[rows.begin + at]);
      }
    });
    return put_away(i);
  }
  Status put_away(size_t block) {
    if (blocks_.count == 1) return Status::ok();
    bags_.release(lists_.first_of(block), lists_.first_of(block + 1));
    if (has_other_sites()) KITH_TRY(other_lists_.close(block));
    return lists_.close(block);
  }
  void release_bags() const {
    if (blocks_.count > 1) bags_.release(0, bags_.size());
  }
  bool has_other_sites() const { return options_.other_sites.top > 0; }

  // What all bags, the lists that are in memory and tables of weights take. Of lists in files those
  // of a block are, while others are made.
  uint64_t bytes_with_bags() const {
    const uint64_t list_bytes =
        TopLists::bytes_of_one(options_.top) + TopLists::bytes_of_one(options_.other_sites.top);
    return bags_.entries().size_bytes() + bags_.offsets().size_bytes() + blocks_.ids * list_bytes +
           pool_.size() * QueryWeights::bytes(table_terms_);
  }
  // Whether all bags fit into the memory beside so much more. Those of a single block do.
  bool bags_fit(uint64_t others) const {
    return blocks_.count == 1 || bytes_with_bags() + others <= options_.memory.bytes();
  }
  // All bags, to be read in any order: a copy of those of several blocks where it fits.
  const sketch::BagCollection& bags_to_read(bool fit) {
    if (!fit) copy_.reset();
    if (!fit || blocks_.count == 1) return bags_;
    if (!copy_) copy_.emplace(bags_, pool_);
    return copy_->bags();
  }
  // Where bags are read one by one, the other half is for lists.
  Budget memory_of_words(bool bags_in_memory) const {
    if (bags_.size() == 0) return {};
    if (!bags_in_memory) return options_.memory.share(Share::rare_words);
    return options_.memory.without(Share::bag_index, bytes_with_bags());
  }

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const LshJoinOptions& options_;
  const Blocks blocks_;
  const uint64_t table_terms_;
  ThreadPool& pool_;
  const std::vector<uint32_t> ids_;
  Verification verification_;
  NearestLists lists_;
  NearestLists other_lists_;  // if asked for
  std::optional<BagsInMemory> copy_;
  std::vector<uint32_t> degree_;
  Answers answers_ = {};                 // of the blocks that are joined
  std::vector<uint32_t> in_whole_part_;  // by id: others in its largest whole part, if there is any
  SearchStats found_;
  RareWordStats rare_;
  RefinementStats refined_;
};

}  // namespace

uint32_t min_candidate_count(const LshJoinOptions& options, uint32_t lanes) {
  constexpr uint32_t never = UINT32_MAX;
  const double threshold = sketch::similarity_of(options.min_sum);
  const uint32_t similar =
      options.min_sum == 0
          ? never
          : sketch::min_equal(threshold, lanes, sketch::plane_bits, options.plane_miss);
  const bool is_refined = options.refine && options.min_sum > 0;
  const bool looks_far = options.top > 0 && !is_refined && !options.similar_only;
  const uint32_t near = !looks_far ? never
                                   : sketch::min_equal(options.near_share * threshold, lanes,
                                                       sketch::plane_bits, options.near_miss);
  return std::min(similar, near);
}

uint64_t min_lsh_join_memory(const sketch::BagCollection& bags, uint32_t lanes, uint32_t top,
                             bool refine) {
  if (bags.size() == 0) return 0;
  const uint64_t need = 2 * bytes_of_id(bags, lanes, top, refine) * min_block_rows(bags.size());
  // Candidates have more than their share where that is little.
  return std::max(least_with(Share::joined_ids, need), need + bytes_per_candidate * min_candidates);
}

Result<LshJoinResult> lsh_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                               const sketch::Signatures& signatures, const sketch::Tables& tables,
                               const LshJoinOptions& options, ThreadPool& pool,
                               const PairRunSink& sink, const JoinProgress& progress) {
  KITH_CHECK(groups.size() == bags.size());
  KITH_CHECK(bags.size() == 0 || signatures.size() == bags.size());
  KITH_CHECK(options.largest_bucket >= 2);
  KITH_CHECK(options.classes.has_one() || sink == nullptr);
  KITH_CHECK(!options.similar_only || options.min_sum > 0);
  const uint32_t lanes = tables.params().lanes;
  const uint64_t all_terms = term_limit(bags, pool);
  uint64_t table_terms = tabled_terms(all_terms, options, pool.size());
  std::optional<Blocks> blocks =
      cut(bags, options, lanes, pool.size() * QueryWeights::bytes(table_terms));
  if (!blocks) {
    table_terms = UINT64_MAX;
    blocks = cut(bags, options, lanes, 0);
  }
  if (!blocks) {
    return too_little_memory(
        options.memory.bytes(),
        min_lsh_join_memory(bags, lanes, options.top + options.other_sites.top, options.refine),
        bags.size(), "URLs");
  }
  KITH_CHECK(blocks->count == 1 || options.fs != nullptr);
  std::optional<BagsInMemory> copy;
  if (blocks->count == 1) copy.emplace(bags, pool);
  BagJoin join(copy ? copy->bags() : bags, groups, options, *blocks, table_terms, pool);
  KITH_TRY(join.run(signatures, tables, sink, progress));
  if (options.refine && options.top > 0) {
    if (!options.similar_only) KITH_TRY(join.look_at_rare_words(all_terms));
    KITH_TRY(join.refine(signatures));
  }
  return std::move(join).result();
}

}  // namespace kith::similar
