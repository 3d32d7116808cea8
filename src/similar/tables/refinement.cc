#include "similar/tables/refinement.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"
#include "base/memory.h"
#include "similar/tables/block_rows.h"

namespace kith::similar {
namespace {

constexpr size_t links_per_chunk = 1 << 13;

std::span<const Neighbour> first_of(std::span<const Neighbour> list, uint32_t most) {
  return list.first(std::min<size_t>(list.size(), most));
}

}  // namespace

Result<NeighbourGraph> NeighbourGraph::freeze(const NearestLists& lists, uint32_t top,
                                              const ListSpill& spill, ThreadPool& pool) {
  NeighbourGraph graph(top);
  const auto links_of = [&](size_t ids) { return LargeArray<uint32_t>(ids * graph.width_); };
  if (spill.fs == nullptr) {
    graph.rows_ = links_of(lists.first_of(lists.blocks()));
    for (size_t block = 0; block < lists.blocks(); ++block) {
      const size_t first = lists.first_of(block) * size_t{graph.width_};
      const size_t last = lists.first_of(block + 1) * size_t{graph.width_};
      graph.fill(lists, block, graph.rows_.span().subspan(first, last - first), pool);
    }
    return graph;
  }
  const std::string path = spill.folder + "/links";
  KITH_ASSIGN(const auto file, spill.fs->create(path));
  for (size_t block = 0; block < lists.blocks(); ++block) {
    LargeArray<uint32_t> rows = links_of(lists.first_of(block + 1) - lists.first_of(block));
    graph.fill(lists, block, rows.span(), pool);
    KITH_TRY(file->append(std::as_bytes(rows.span())));
  }
  KITH_TRY(file->close());
  KITH_ASSIGN(graph.file_, spill.fs->map(path));
  KITH_TRY(spill.fs->remove(path));
  return graph;
}

// Every worker has a share of the ids of the block and reads all lists: no locks.
TopLists NeighbourGraph::reverse_lists(const NearestLists& lists, size_t block,
                                       ThreadPool& pool) const {
  const uint32_t first = lists.first_of(block);
  const uint32_t last = lists.first_of(block + 1);
  const uint32_t most = width_ / 2;
  TopLists reverse(last - first, most, first);
  const size_t share = (last - first) / pool.size() + 1;
  for (size_t from = 0; from < lists.blocks(); ++from) {
    pool.for_chunks(last - first, share, [&](size_t begin, size_t end, unsigned) {
      for (uint32_t id = lists.first_of(from); id < lists.first_of(from + 1); ++id) {
        for (const Neighbour neighbour : first_of(lists[id], most)) {
          const size_t row = neighbour.id - first;
          if (row >= begin && row < end) {
            reverse.offer(neighbour.id, {id, neighbour.sum_of_minima});
          }
        }
      }
    });
    lists.release();
  }
  return reverse;
}

void NeighbourGraph::fill(const NearestLists& lists, size_t block, std::span<uint32_t> rows,
                          ThreadPool& pool) const {
  TopLists reverse = reverse_lists(lists, block, pool);
  const uint32_t first = lists.first_of(block);
  pool.for_chunks(reverse.size(), links_per_chunk, [&](size_t begin, size_t end, unsigned) {
    for (size_t row = begin; row < end; ++row) {
      const uint32_t id = first + static_cast<uint32_t>(row);
      const std::span<uint32_t> links = rows.subspan(row * width_, width_);
      size_t count = 0;
      for (const Neighbour own : first_of(lists[id], width_ / 2)) {
        links[count++] = own.id;
      }
      const std::span<const uint32_t> own = links.first(count);
      reverse.sort(id);
      for (const Neighbour other : reverse[id]) {
        if (std::ranges::find(own, other.id) == own.end()) links[count++] = other.id;
      }
      std::ranges::fill(links.subspan(count), no_id);
    }
  });
  lists.release();
}

void NeighbourGraph::prefetch(uint32_t id) const {
  if (file_ == nullptr) kith::prefetch(rows_.span().subspan(size_t{id} * width_, width_));
}

std::span<const uint32_t> NeighbourGraph::links(uint32_t id, std::vector<uint32_t>& buffer) const {
  std::span<const uint32_t> links;
  if (file_ == nullptr) {
    links = rows_.span().subspan(size_t{id} * width_, width_);
  } else {
    buffer.resize(width_);
    const size_t bytes = width_ * sizeof(uint32_t);
    file_->copy(file_->bytes().subspan(id * bytes, bytes),
                std::as_writable_bytes(std::span(buffer)).data());
    links = buffer;
  }
  return links.first(static_cast<size_t>(std::ranges::find(links, no_id) - links.begin()));
}

namespace {

constexpr size_t lists_per_chunk = 256;

// A set of ids that is filled and cleared again and again.
class IdSet {
 public:
  // Has room for so many, at most half of the places.
  explicit IdSet(size_t most) : places_(std::bit_ceil(2 * most), no_id) {}

  // False where the id is in it already.
  bool insert(uint32_t id) {
    const size_t last = places_.size() - 1;
    size_t place = mix64(id) & last;
    for (; places_[place] != no_id; place = (place + 1) & last) {
      if (places_[place] == id) return false;
    }
    places_[place] = id;
    used_.push_back(static_cast<uint32_t>(place));
    return true;
  }
  void clear() {
    for (const uint32_t place : used_) places_[place] = no_id;
    used_.clear();
  }

 private:
  std::vector<uint32_t> places_;
  std::vector<uint32_t> used_;
};

struct Candidate {
  uint32_t id;
  uint32_t count;  // of low bytes equal to those of the id at hand
};

bool comes_first(const Candidate& a, const Candidate& b) {
  return a.count != b.count ? a.count > b.count : a.id < b.id;
}

// What a thread works with.
struct alignas(worker_alignment) RefinementPlace {
  explicit RefinementPlace(uint32_t top) : seen(max_seen + top) {}
  // An id, its links and theirs, beside the list.
  static constexpr size_t max_seen =
      1 + 2 * NeighbourGraph::max_links +
      size_t{4} * NeighbourGraph::max_links * NeighbourGraph::max_links;

  IdSet seen;
  std::vector<Candidate> candidates;
  std::vector<Neighbour> nearest;
  std::vector<uint32_t> links;
  std::vector<uint32_t> others;
  LowRowBuffer own_row;
  LowRowBuffer row;
  std::vector<sketch::BagEntry> own_bag;
  std::vector<sketch::BagEntry> bag;
  RefinementStats stats;
};

// Refines one list after the other.
class Refiner {
 public:
  Refiner(const Refined& refined, const RefinementOptions& options, const NeighbourGraph& graph,
          ThreadPool& pool)
      : refined_(refined),
        options_(options),
        graph_(graph),
        rows_(refined.signatures, options.spill.fs == nullptr, pool),
        count_equal_(sketch::count_equal_kernel()),
        min_count_(min_refinement_count(options, rows_.lanes())),
        min_near_(options.similar_only ? options.min_sum : 1),
        expected_(expected_sums(rows_.lanes())) {}

  // The list of an id as it becomes, nearest first, of the one that it has; valid until the next
  // call with the same workplace.
  std::span<const Neighbour> refine(uint32_t id, QueryWeights& weights,
                                    RefinementPlace& place) const {
    const std::span<const Neighbour> before = refined_.lists[id];
    place.nearest.assign(before.begin(), before.end());
    collect(id, place);
    count(id, place);
    if (!place.candidates.empty()) compare(id, weights, place);
    std::sort(place.nearest.begin(), place.nearest.end(), nearer);
    return place.nearest;
  }

 private:
  void collect(uint32_t id, RefinementPlace& place) const {
    place.candidates.clear();
    place.seen.clear();
    place.seen.insert(id);
    const size_t listed = std::min<size_t>(place.nearest.size(), size_t{NeighbourGraph::max_links});
    const std::span<const uint32_t> links = graph_.links(id, place.links);
    for (const uint32_t link : links) graph_.prefetch(link);
    // Of a longer list the graph has the beginning.
    for (const Neighbour neighbour : place.nearest) place.seen.insert(neighbour.id);
    for (const uint32_t link : links.subspan(listed)) add(link, place);
    for (const uint32_t link : links) {
      for (const uint32_t other : graph_.links(link, place.others)) add(other, place);
    }
  }
  static void add(uint32_t id, RefinementPlace& place) {
    if (place.seen.insert(id)) place.candidates.push_back({id, 0});
  }

  // Leaves the candidates that have enough equal bytes, in the order in which they are compared.
  void count(uint32_t id, RefinementPlace& place) const {
    constexpr size_t ahead = 12;
    std::vector<Candidate>& candidates = place.candidates;
    const auto fetch = [&](size_t i) {
      if (i < candidates.size()) rows_.prefetch(candidates[i].id);
    };
    for (size_t i = 0; i < ahead; ++i) fetch(i);
    const uint8_t* const own = rows_.read(id, place.own_row);
    for (size_t i = 0; i < candidates.size(); ++i) {
      fetch(i + ahead);
      candidates[i].count =
          count_equal_(own, rows_.read(candidates[i].id, place.row), rows_.lanes());
    }
    place.stats.candidates += candidates.size();
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return candidate.count < min_count_; });
    std::sort(candidates.begin(), candidates.end(), comes_first);
  }

  void compare(uint32_t id, QueryWeights& weights, RefinementPlace& place) const {
    constexpr size_t ahead = 4;
    std::vector<Neighbour>& nearest = place.nearest;
    std::make_heap(nearest.begin(), nearest.end(), nearer);
    weights.set(bag(id, place.own_bag), options_.term_limit);
    for (size_t i = 0; i < place.candidates.size(); ++i) {
      const Candidate candidate = place.candidates[i];
      const bool is_full = nearest.size() == options_.top;
      const uint32_t bar = is_full ? nearest.front().sum_of_minima : min_near_ - 1;
      if (expected_[candidate.count] <= bar) break;
      fetch_bag(place.candidates, i + ahead);
      const Neighbour found{candidate.id, weights.sum_with(bag(candidate.id, place.bag))};
      ++place.stats.compared;
      if (found.sum_of_minima < min_near_ || (is_full && !nearer(found, nearest.front()))) continue;
      if (is_full) {
        std::pop_heap(nearest.begin(), nearest.end(), nearer);
        nearest.pop_back();
      }
      nearest.push_back(found);
      std::push_heap(nearest.begin(), nearest.end(), nearer);
      ++place.stats.found;
    }
    weights.clear();
  }

  void fetch_bag(std::span<const Candidate> candidates, size_t i) const {
    constexpr size_t further = 4;
    if (!rows_.in_memory()) return;
    if (i + further < candidates.size()) refined_.bags.prefetch_place(candidates[i + further].id);
    if (i < candidates.size()) refined_.bags.prefetch_entries(candidates[i].id);
  }
  sketch::Bag bag(uint32_t id, std::vector<sketch::BagEntry>& buffer) const {
    return rows_.in_memory() ? refined_.bags[id] : refined_.bags.read(id, buffer);
  }

  const Refined& refined_;
  const RefinementOptions& options_;
  const NeighbourGraph& graph_;
  const LowRows rows_;
  const sketch::CountEqualKernel count_equal_;
  const uint32_t min_count_;
  const uint32_t min_near_;               // sum of a neighbour
  const std::vector<uint32_t> expected_;  // by count
};

}  // namespace

RefinementStats& RefinementStats::operator+=(const RefinementStats& more) {
  candidates += more.candidates;
  compared += more.compared;
  found += more.found;
  return *this;
}

uint32_t min_refinement_count(const RefinementOptions& options, uint32_t lanes) {
  constexpr double far_share = 0.3;
  constexpr double miss = 0.1;
  if (options.min_sum == 0) return 0;
  const double share = options.similar_only ? 1 : far_share;
  return sketch::min_equal(share * sketch::similarity_of(options.min_sum), lanes,
                           sketch::plane_bits, miss);
}

std::vector<uint32_t> expected_sums(uint32_t lanes) {
  constexpr double miss = 0.2;
  constexpr double step = 1.0 / 512;
  std::vector<uint32_t> sums;
  double similarity = step;
  for (uint32_t count = 0; count <= lanes; ++count) {
    while (similarity < 1 &&
           sketch::min_equal(similarity, lanes, sketch::plane_bits, miss) <= count) {
      similarity += step;
    }
    sums.push_back(similarity < 1 ? sketch::min_sum_of_minima(similarity) : sketch::bag_total);
  }
  return sums;
}

size_t refinement_bytes_of_one(uint32_t lanes, uint32_t top) {
  return std::max(NeighbourGraph::bytes_while_frozen(top),
                  NeighbourGraph::bytes_of_one(top) + lanes * sizeof(uint8_t));
}

Result<RefinementStats> refine(const Refined& refined, const RefinementOptions& options,
                               std::span<QueryWeights> weights, ThreadPool& pool) {
  NearestLists& lists = refined.lists;
  KITH_ASSIGN(const NeighbourGraph graph,
              NeighbourGraph::freeze(lists, options.top, options.spill, pool));
  const Refiner refiner(refined, options, graph, pool);
  std::vector<RefinementPlace> places(pool.size(), RefinementPlace(options.top));
  const bool in_files = lists.blocks() > 1;
  for (size_t block = 0; block < lists.blocks(); ++block) {
    const uint32_t first = lists.first_of(block);
    const uint32_t count = lists.first_of(block + 1) - first;
    TopLists others(in_files ? count : 0, options.top, first);
    TopLists& after = in_files ? others : lists.block(block);
    pool.for_chunks(count, lists_per_chunk, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t row = begin; row < end; ++row) {
        const uint32_t id = first + static_cast<uint32_t>(row);
        after.assign(id, refiner.refine(id, weights[worker], places[worker]));
      }
    });
    if (in_files) KITH_TRY(lists.replace(block, std::move(others)));
  }
  RefinementStats stats;
  for (const RefinementPlace& place : places) stats += place.stats;
  return stats;
}

}  // namespace kith::similar
