// Bags as vectors of Euclidean length 1, for one topic at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/read_buffer.h"
#include "pairs/neighbour.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"
#include "topics/nodes.h"

namespace kith::topics {

// Coordinates are integers in units of 2^-24, so that sums depend on no order and are exact.
inline constexpr double vector_one = 1 << 24;

struct Coordinate {
  uint32_t term;   // in the numbering of a TopicVectors, ascending in a vector
  uint32_t value;  // > 0, in units of 1 / vector_one
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};
using Vector = std::span<const Coordinate>;

// A bag scaled to length 1, with the terms as they are; entries that round to 0 are left out.
// `vector` has room for all entries; returns what was written.
Vector unit_vector(Bag bag, std::span<Coordinate> vector);

// The number of a term in a topic; of one thread, used for one topic after the other.
class TermNumbers {
 public:
  explicit TermNumbers(size_t terms) : number_(terms, pairs::no_id) {}
  uint32_t& operator[](uint32_t term) { return number_[term]; }

 private:
  std::vector<uint32_t> number_;
};

// The vectors of the nodes of a topic, in their order. Thread-safe once made.
class TopicVectors {
 public:
  // What vectors are read into; of one thread.
  struct Buffer {
    std::vector<BagEntry> bag;
    ReadBuffer<Coordinate> vector;
  };

  // Copies all vectors and numbers their terms from 0, ascending, so that what is kept by term fits
  // the topic. `numbers` are all pairs::no_id before and afterwards.
  static TopicVectors copy(const BagCollection& bags, const Nodes& nodes,
                           std::span<const uint32_t> topic, TermNumbers& numbers);
  // Makes every vector when it is asked for, with the term ids of the bags: for a topic of which a
  // copy would take too much memory. Nothing else is different but the numbers of terms.
  // `topic` outlives this object.
  static TopicVectors in_place(const BagCollection& bags, const Nodes& nodes,
                               std::span<const uint32_t> topic, uint32_t terms);

  size_t size() const { return pages_.size(); }
  // How many pages have the bag of node i.
  uint32_t pages(size_t i) const { return pages_[i]; }
  uint64_t total_pages() const { return total_pages_; }
  uint32_t terms() const { return terms_; }
  // The id in the dictionary of a term.
  uint32_t term_id(uint32_t term) const { return term_ids_.empty() ? term : term_ids_[term]; }
  // Valid until the next call with the same buffer.
  Vector read(size_t i, Buffer& buffer) const;

 private:
  const BagCollection* bags_ = nullptr;
  const Nodes* nodes_ = nullptr;
  std::span<const uint32_t> topic_;  // of vectors in place
  std::vector<uint32_t> pages_;
  uint64_t total_pages_ = 0;
  uint32_t terms_ = 0;
  std::vector<uint32_t> term_ids_;  // of a copy
  std::vector<uint64_t> offsets_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace kith::topics
