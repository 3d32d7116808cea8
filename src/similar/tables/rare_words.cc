#include <algorithm>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "similar/tables/refinement.h"
#include "similar/tables/word_lists.h"

namespace kith::similar {
namespace {

constexpr size_t bags_per_chunk = 256;

// A list while it is made better.
struct GrowingList {
  std::vector<Neighbour> nearest;  // a heap, the farthest on top
  size_t top = 0;                  // 0: not asked for
  bool is_good = true;             // was good enough at the start
  uint32_t bar = 0;                // the K-th sum; 0 while it is short

  void start(std::span<const Neighbour> list, uint32_t most, uint32_t good) {
    nearest.assign(list.begin(), list.end());
    std::make_heap(nearest.begin(), nearest.end(), nearer);
    top = most;
    raise_bar();
    is_good = bar >= good;
  }
  // Whether a sum over rare words may be of a pair that is taken.
  bool may_take(uint32_t sum) const { return !is_good && sum + sum_of_frequent_words > bar; }
  bool offer(Neighbour found) {
    const bool is_full = nearest.size() == top;
    if (found.sum_of_minima == 0 || (is_full && !nearer(found, nearest.front()))) return false;
    if (is_full) {
      std::pop_heap(nearest.begin(), nearest.end(), nearer);
      nearest.pop_back();
    }
    nearest.push_back(found);
    std::push_heap(nearest.begin(), nearest.end(), nearer);
    raise_bar();
    return true;
  }
  void raise_bar() { bar = nearest.size() == top ? nearest.front().sum_of_minima : 0; }
};

struct Word {
  size_t list;
  uint32_t weight;  // in the bag of the id at hand
  uint32_t count;   // of bags in the list
};

bool weighs_more(const Word& a, const Word& b) {
  const uint64_t left = uint64_t{a.weight} * b.count;
  const uint64_t right = uint64_t{b.weight} * a.count;
  return left != right ? left > right : a.list < b.list;
}

// The bags that have a word of the id at hand.
struct WeighedList {
  std::span<const Posting> bags;
  uint32_t weight;  // of the word in the bag of the id
};

// What a thread works with.
struct alignas(worker_alignment) SearchPlace {
  explicit SearchPlace(const RareWordOptions& options)
      : bounds(options.max_postings),
        parts(size_t{options.max_postings} + 1),
        sums(options.max_postings) {}
  static uint64_t bytes(const RareWordOptions& options) {
    return SumBounds::bytes(options.max_postings) + SumTable::bytes(options.max_postings) +
           (uint64_t{options.max_postings} + 1) * sizeof(Neighbour);
  }
  SumBounds bounds;
  std::vector<Neighbour> parts;  // of sums: one for each bag that is read, and room for one more
  SumTable sums;
  std::vector<Word> words;
  std::vector<WeighedList> lists;
  std::vector<Neighbour> candidates;
  GrowingList own;
  GrowingList elsewhere;
  IdRange site;
  std::vector<sketch::BagEntry> own_bag;
  std::vector<sketch::BagEntry> bag;
  RareWordStats stats;
};

// Ids and their candidates.
class RareWordSearch {
 public:
  RareWordSearch(const RareWordLists& lists, const RareWordOptions& options,
                 const WordCounts& counts)
      : lists_(lists), options_(options), counts_(counts), good_(good_sum(options.min_sum)) {}

  // The candidates of an id among the ids of some lists of words, and among `others`, candidates
  // from other lists: the best, in no order, valid until the next call with the same workplace.
  std::span<const Neighbour> collect(uint32_t id, const WordLists& words,
                                     std::span<const Neighbour> others, SearchPlace& place) const {
    place.candidates.assign(others.begin(), others.end());
    if (!start(id, place)) return place.candidates;
    choose_words(bag(id, place.own_bag), place);
    open_lists(words, place);
    find_best(id, place);
    return place.candidates;
  }

  // Compares the candidates of an id, nearest first. Its lists are those of the workplace then.
  // False where there is nothing to do, and they are as they were.
  bool compare(uint32_t id, std::span<const Neighbour> candidates, QueryWeights& weights,
               SearchPlace& place) const {
    if (candidates.empty() || !start(id, place)) return false;
    weights.set(bag(id, place.own_bag), options_.tabled_terms);
    for (size_t i = 0; i < candidates.size(); ++i) {
      const Neighbour candidate = candidates[i];
      if (!may_enter(candidate, place)) continue;
      fetch_bag(candidates, i + 4);
      offer(candidate.id, weights.sum_with(bag(candidate.id, place.bag)), place);
    }
    weights.clear();
    std::sort(place.own.nearest.begin(), place.own.nearest.end(), nearer);
    std::sort(place.elsewhere.nearest.begin(), place.elsewhere.nearest.end(), nearer);
    return true;
  }

 private:
  bool has_other_sites() const { return options_.other_sites.top > 0; }

  // Makes the lists of an id those of the workplace; false where they are good enough.
  bool start(uint32_t id, SearchPlace& place) const {
    if (!lists_.groups.is_representative(id)) return false;
    place.own.start(lists_.nearest[id], options_.top, good_);
    if (!has_other_sites()) return !place.own.is_good;
    place.site = options_.other_sites.sites->site_of(id);
    place.elsewhere.start(lists_.other_sites[id], options_.other_sites.top, good_);
    return !place.own.is_good || !place.elsewhere.is_good;
  }

  // Those of the most weight per posting, as many as may be read.
  void choose_words(sketch::Bag bag, SearchPlace& place) const {
    std::vector<Word>& words = place.words;
    words.clear();
    for (const sketch::BagEntry entry : bag) {
      const size_t list = counts_.list_of(entry.term);
      if (!counts_.is_listed(list, options_.max_postings)) continue;
      words.push_back({list, entry.weight, counts_[list]});
    }
    std::sort(words.begin(), words.end(), weighs_more);
    uint32_t left = options_.max_postings;
    std::erase_if(words, [&](const Word& word) {
      if (word.count > left) return true;
      left -= word.count;
      return false;
    });
  }

  // Their lists, and the bounds of the sums.
  void open_lists(const WordLists& words, SearchPlace& place) const {
    constexpr size_t beginning = 16;
    place.lists.clear();
    size_t postings = 0;
    for (const Word& word : place.words) {
      const std::span<const Posting> list = words[word.list];
      prefetch(list.first(std::min(list.size(), beginning)));
      place.lists.push_back({list, word.weight});
      postings += list.size();
    }
    place.stats.postings += postings;
    place.bounds.start(postings);
    for (const WeighedList& list : place.lists) {
      for (const Posting posting : list.bags) {
        place.bounds.add(posting.id, std::min(posting.weight, list.weight));
      }
    }
  }

  // The candidates become the best of themselves and of the ids that have sums: first of the ids
  // that may have one of the largest sums, and if these are too few, of all that may enter a list.
  void find_best(uint32_t id, SearchPlace& place) const {
    const uint32_t bar = place.own.is_good         ? place.elsewhere.bar
                         : place.elsewhere.is_good ? place.own.bar
                                                   : std::min(place.own.bar, place.elsewhere.bar);
    const uint32_t least = std::max(bar, sum_of_frequent_words) - sum_of_frequent_words;
    const size_t before = place.candidates.size();
    const size_t known =
        lists_.nearest[id].size() + (has_other_sites() ? lists_.other_sites[id].size() : 0) + 1;
    for (size_t wanted = 3 * (options_.max_candidates + known);; wanted *= 4) {
      const uint32_t level = place.bounds.exceeded_by(wanted, least);
      take_above(level, id, place);
      if (level == least || has_enough_above(level, place)) break;
      place.candidates.resize(before);
    }
    cut_candidates(place);
  }

  // Adds the ids that may enter a list: all whose sum exceeds `least`, and some others.
  void take_above(uint32_t least, uint32_t id, SearchPlace& place) const {
    add_up(least, place);
    leave_out(id, place);
    take(place);
  }
  bool has_enough_above(uint32_t level, const SearchPlace& place) const {
    const auto above = std::ranges::count_if(
        place.candidates, [&](Neighbour candidate) { return candidate.sum_of_minima > level; });
    return above >= static_cast<ptrdiff_t>(options_.max_candidates);
  }

  // The sums of all ids that exceed `least`, and of some others.
  void add_up(uint32_t least, SearchPlace& place) const {
    const SumBounds::Above above = place.bounds.above(least);
    Neighbour* end = place.parts.data();
    for (const WeighedList& list : place.lists) {
      for (const Posting posting : list.bags) {
        *end = {posting.id, std::min(posting.weight, list.weight)};
        end += above(posting.id);  // without a branch, which would often be foretold wrongly
      }
    }
    const auto parts = std::span(place.parts.data(), end);
    place.sums.start(parts.size());
    for (const Neighbour part : parts) place.sums.add(part.id, part.sum_of_minima);
  }

  void leave_out(uint32_t id, SearchPlace& place) const {
    place.sums.leave_out(id);
    for (const Neighbour known : lists_.nearest[id]) place.sums.leave_out(known.id);
    if (!has_other_sites()) return;
    for (const Neighbour known : lists_.other_sites[id]) {
      place.sums.leave_out(lists_.groups.representative[known.id]);
    }
  }

  void take(SearchPlace& place) const {
    std::vector<Neighbour>& candidates = place.candidates;
    place.sums.take([&](Neighbour candidate) {
      if (may_enter(candidate, place)) candidates.push_back(candidate);
    });
  }
  void cut_candidates(SearchPlace& place) const {
    std::vector<Neighbour>& candidates = place.candidates;
    if (candidates.size() <= options_.max_candidates) return;
    std::nth_element(candidates.begin(), candidates.begin() + options_.max_candidates,
                     candidates.end(), nearer);
    candidates.resize(options_.max_candidates);
  }

  bool may_enter(Neighbour candidate, const SearchPlace& place) const {
    if (place.own.may_take(candidate.sum_of_minima)) return true;
    return place.elsewhere.may_take(candidate.sum_of_minima) &&
           options_.other_sites.sites->first_outside(candidate.id, place.site) != no_id;
  }

  void offer(uint32_t id, uint32_t sum, SearchPlace& place) const {
    ++place.stats.compared;
    bool is_found = place.own.offer({id, sum});
    if (has_other_sites()) {
      const uint32_t other = options_.other_sites.sites->first_outside(id, place.site);
      if (other != no_id && place.elsewhere.offer({other, sum})) is_found = true;
    }
    place.stats.found += is_found;
  }

  void fetch_bag(std::span<const Neighbour> candidates, size_t i) const {
    constexpr size_t further = 4;
    if (!options_.bags_in_memory) return;
    if (i + further < candidates.size()) lists_.bags.prefetch_place(candidates[i + further].id);
    if (i < candidates.size()) lists_.bags.prefetch_entries(candidates[i].id);
  }
  sketch::Bag bag(uint32_t id, std::vector<sketch::BagEntry>& buffer) const {
    return options_.bags_in_memory ? lists_.bags[id] : lists_.bags.read(id, buffer);
  }

  const RareWordLists& lists_;
  const RareWordOptions& options_;
  const WordCounts& counts_;
  const uint32_t good_;
};

// How ids are cut to fit the memory.
struct Cut {
  std::vector<IdRange> ranges;  // whose words are listed at a time
  uint32_t stretch = 0;         // ids whose candidates are kept at a time
};

Cut cut(const RareWordLists& lists, const RareWordOptions& options, const WordCounts& counts,
        unsigned threads) {
  constexpr uint32_t usual_stretch = 1 << 15;
  const auto n = static_cast<uint32_t>(lists.bags.size());
  const uint64_t bytes = TopLists::bytes_of_one(options.max_candidates);
  if (!options.memory.is_limited()) return {{{0, n}}, usual_stretch};
  const uint64_t fixed = counts.lists() * (sizeof(uint32_t) + sizeof(uint64_t)) +
                         threads * SearchPlace::bytes(options);
  const Budget free = options.memory.without(Share::rare_words, fixed);
  if (counts.postings(options.max_postings) * sizeof(Posting) + usual_stretch * bytes <=
      free.bytes()) {
    return {{{0, n}}, usual_stretch};
  }
  Cut result;
  const std::span<const uint64_t> offsets = lists.bags.offsets();
  const uint64_t entries =
      std::max<uint64_t>(free.bytes(Share::rare_postings) / sizeof(Posting), 1);
  for (uint32_t begin = 0; begin < n;) {
    const auto behind = std::ranges::upper_bound(offsets, offsets[begin] + entries);
    const auto end = static_cast<uint32_t>(behind - offsets.begin() - 1);
    result.ranges.push_back({begin, std::max(end, begin + 1)});
    begin = result.ranges.back().end;
  }
  // All bags are read again for every stretch if there are several ranges: then as few as fit.
  const uint64_t most = result.ranges.size() > 1 ? n : usual_stretch;
  const uint64_t fitting = free.bytes(Share::rare_candidates) / bytes;
  result.stretch =
      static_cast<uint32_t>(std::max<uint64_t>(std::min(fitting, most), bags_per_chunk));
  return result;
}

// Ids in stretches, and the words of ids in ranges.
class RareWordPass {
 public:
  RareWordPass(const RareWordLists& lists, const RareWordOptions& options,
               std::span<QueryWeights> weights, ThreadPool& pool)
      : lists_(lists),
        options_(options),
        weights_(weights),
        pool_(pool),
        counts_(lists.bags, lists.groups, options.term_limit, pool),
        cut_(cut(lists, options, counts_, pool.size())),
        search_(lists, options, counts_),
        places_(pool.size(), SearchPlace(options)) {}

  Result<RareWordStats> run() {
    NearestLists& nearest = lists_.nearest;
    NearestLists& other_sites = lists_.other_sites;
    TopLists none;
    for (size_t block = 0; block < nearest.blocks(); ++block) {
      const IdRange ids{nearest.first_of(block), nearest.first_of(block + 1)};
      if (in_memory()) {
        improve(ids, nearest.block(block), has_other_sites() ? other_sites.block(block) : none);
        continue;
      }
      TopLists better(ids.end - ids.begin, options_.top, ids.begin);
      TopLists elsewhere(ids.end - ids.begin, options_.other_sites.top, ids.begin);
      improve(ids, better, elsewhere);
      KITH_TRY(nearest.replace(block, std::move(better)));
      if (has_other_sites()) KITH_TRY(other_sites.replace(block, std::move(elsewhere)));
    }
    RareWordStats stats;
    for (const SearchPlace& place : places_) stats += place.stats;
    return stats;
  }

 private:
  // Lists of several blocks lie in files.
  bool in_memory() const { return lists_.nearest.blocks() == 1; }
  bool has_other_sites() const { return options_.other_sites.top > 0; }

  // Leaves the lists of a block of ids in `nearest` and `other_sites`, which may be those before.
  void improve(IdRange ids, TopLists& nearest, TopLists& other_sites) {
    for (uint32_t begin = ids.begin; begin < ids.end;) {
      const uint32_t end = begin + std::min(ids.end - begin, cut_.stretch);
      improve_stretch({begin, end}, nearest, other_sites);
      if (!in_memory()) release_lists();
      begin = end;
    }
  }

  void improve_stretch(IdRange stretch, TopLists& nearest, TopLists& other_sites) {
    TopLists candidates(stretch.end - stretch.begin, options_.max_candidates, stretch.begin);
    // The range that the stretch before ended with is listed already.
    std::ranges::reverse(cut_.ranges);
    for (const IdRange range : cut_.ranges) {
      list_words(range);
      for_each(stretch, [&](uint32_t id, unsigned worker) {
        candidates.assign(id, search_.collect(id, words_, candidates[id], places_[worker]));
      });
    }
    for_each(stretch, [&](uint32_t id, unsigned worker) {
      SearchPlace& place = places_[worker];
      candidates.sort(id);
      const bool is_new = search_.compare(id, candidates[id], weights_[worker], place);
      if (!is_new && in_memory()) return;
      nearest.assign(id, is_new ? place.own.nearest : lists_.nearest[id]);
      if (!has_other_sites()) return;
      other_sites.assign(id, is_new ? place.elsewhere.nearest : lists_.other_sites[id]);
    });
  }

  void release_lists() const {
    lists_.nearest.release();
    lists_.other_sites.release();
  }

  void list_words(IdRange range) {
    if (range == listed_) return;
    words_ = {};
    words_ = WordLists(lists_.bags, lists_.groups, counts_, options_.max_postings, range, pool_);
    listed_ = range;
  }

  template <class Visit>
  void for_each(IdRange stretch, const Visit& visit) {
    pool_.for_chunks(stretch.end - stretch.begin, bags_per_chunk,
                     [&](size_t begin, size_t end, unsigned worker) {
                       for (size_t i = begin; i < end; ++i) {
                         visit(stretch.begin + static_cast<uint32_t>(i), worker);
                       }
                     });
  }

  const RareWordLists& lists_;
  const RareWordOptions& options_;
  const std::span<QueryWeights> weights_;
  ThreadPool& pool_;
  const WordCounts counts_;
  Cut cut_;
  const RareWordSearch search_;
  std::vector<SearchPlace> places_;
  WordLists words_;
  IdRange listed_;  // whose words these are
};

}  // namespace

RareWordStats& RareWordStats::operator+=(const RareWordStats& more) {
  postings += more.postings;
  compared += more.compared;
  found += more.found;
  return *this;
}

uint32_t good_sum(uint32_t min_sum) {
  constexpr double share = 0.6;
  return min_sum == 0 ? sketch::bag_total
                      : sketch::min_sum_of_minima(share * sketch::similarity_of(min_sum));
}

Result<RareWordStats> find_by_rare_words(const RareWordLists& lists, const RareWordOptions& options,
                                         std::span<QueryWeights> weights, ThreadPool& pool) {
  return RareWordPass(lists, options, weights, pool).run();
}

}  // namespace kith::similar
