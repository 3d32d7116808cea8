// Equal bags: their groups, their representatives, and how pairs of these become pairs of all; and
// what all joins of bags start from: classes, and copies of bags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "base/stores.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"
#include "storage/external_sort.h"

namespace kith::similar {

// Classes within which clusters are made (docs/algorithms/classify.md).

// The class of every id, 0 for none, which is a class as well: bags of different classes are not
// similar, whatever they hold. Without an array all ids are of one class. A view; thread-safe.
class Classes {
 public:
  Classes() = default;
  // by_id: outlives this object.
  explicit Classes(std::span<const uint32_t> by_id) : by_id_(by_id) {}

  bool has_one() const { return by_id_.empty(); }
  uint32_t of(uint32_t id) const { return has_one() ? 0 : by_id_[id]; }
  bool share(uint32_t a, uint32_t b) const { return has_one() || by_id_[a] == by_id_[b]; }

  // The key of an id with the class as one more coordinate: 64 bits, well-mixed where the class is
  // not 0, equal for ids of two classes with a chance of 2^-64.
  uint64_t key(uint64_t key_without, uint32_t id) const {
    const uint64_t own = of(id);
    return own == 0 ? key_without : mix64(key_without + own * golden);
  }

 private:
  std::span<const uint32_t> by_id_;
};

// Some bags of a collection, as of a sample.

// Bag i is that of ids[i]. Copies: bags that lie anywhere would bring most of a mapped collection
// into the resident set.
class BagCopies {
 public:
  BagCopies(const sketch::BagCollection& bags, std::span<const uint32_t> ids) {
    std::vector<sketch::BagEntry> buffer;
    for (const uint32_t id : ids) bags_.push_back(store_.copy(bags.read(id, buffer)));
  }

  size_t size() const { return bags_.size(); }
  sketch::Bag operator[](size_t i) const { return bags_[i]; }

 private:
  StableStore store_;
  std::vector<sketch::Bag> bags_;
};

// A copy of a collection of bags, to be read in any order. Internal to this folder.

// The same bags in huge pages: bags of a mapped file that lie anywhere miss the address cache, too,
// and take twice the time. The pages of the file are given back.
class BagsInMemory {
 public:
  BagsInMemory(const sketch::BagCollection& bags, ThreadPool& pool);

  // As long as this object lives. It may be moved.
  const sketch::BagCollection& bags() const { return bags_; }

 private:
  LargeArray<uint64_t> offsets_;
  LargeArray<sketch::BagEntry> entries_;
  sketch::BagCollection bags_;
};

// Groups of equal bags: collapsed before any join, since a crawl has many and equal bags have
// equal neighbours. Lossless.

// Arrays of n, indexed by id. Equal means the same terms with the same weights. An empty bag is
// alone in its group: it is similar to nothing, not even to another empty bag.
struct DuplicateGroups {
  std::vector<uint32_t> representative;  // the lowest id with the same bag
  std::vector<uint32_t> next;            // the next higher id with the same bag, or no_id
  std::vector<uint32_t> multiplicity;    // the size of the group of an id, >= 1

  size_t size() const { return representative.size(); }
  bool is_representative(uint32_t id) const { return representative[id] == id; }
  // Whether another id has the same bag.
  bool has_copies(uint32_t id) const { return multiplicity[id] > 1; }
  // The number of groups, and of the ids that are not a representative.
  size_t groups() const;
  size_t duplicates() const { return size() - groups(); }

  // Calls visit(id) for the members of a group, ascending. visit returns false to stop.
  template <class Visit>
  void for_each_member(uint32_t representative_id, Visit&& visit) const {
    for (uint32_t id = representative_id; id != no_id; id = next[id]) {
      if (!visit(id)) return;
    }
  }
};

// Finds the groups by a hash of each bag, verified entry by entry; bags of different classes are in
// different groups. The same for any number of threads. Time linear in the entries; 32 bytes per
// bag of working memory, and the bags are released behind the passes over them.
DuplicateGroups find_duplicates(const sketch::BagCollection& bags, ThreadPool& pool,
                                const Classes& classes = {});

// Every bag a group of its own: for callers that do not collapse.
DuplicateGroups no_duplicates(size_t n);

// The ids that a join works on: the representatives of non-empty bags, ascending.
std::vector<uint32_t> distinct_bags(const sketch::BagCollection& bags,
                                    const DuplicateGroups& groups);

// From pairs of distinct bags to the pairs of all URLs, sorted, beyond memory.

// Takes pairs of representatives in any order, each once, and gives the pairs of all ids,
// duplicates expanded (expand_pairs()); pairs of equal bags are included. A pair is written
// for each member of its groups that has one above it, and not for each pair of members, so that
// what is sorted is never longer than what is given. Memory: that of the sort, 4 bytes per id, and
// the pairs of one id. The result is the same for any memory and threads. Not thread-safe.
class PairExpander {
 public:
  // All outlive the expander; `sort` says where and within what pairs are sorted.
  PairExpander(const DuplicateGroups& groups, storage::FileSystem& fs, ThreadPool& pool,
               storage::ExternalSortOptions sort);

  // Not from inside a job of the pool.
  Status append(std::span<const Pair> pairs);

  // To be called once, after the last pair. An error of the sink ends it.
  Status finish(const PairSink& sink);

 private:
  Status append_members(uint32_t group, Neighbour other);

  const DuplicateGroups& groups_;
  std::vector<uint32_t> last_member_;  // by id of a representative
  storage::ExternalSort sort_;         // key: member << 32 | representative; id: sum of minima
};

}  // namespace kith::similar
