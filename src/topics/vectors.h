// Sparse vectors of nodes, and values of groups by term.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"
#include "topics/neighbour_graph.h"

namespace kith::topics {

// Values of some groups by term.

// Those of a term side by side.
template <class Value>
class TermMatrix {
 public:
  TermMatrix() = default;
  TermMatrix(size_t terms, size_t groups)
      : terms_(terms), groups_(groups), values_(terms * groups + beyond) {}
  size_t groups() const { return groups_; }
  size_t terms() const { return terms_; }
  std::span<Value> operator[](size_t term) {
    return std::span(values_).subspan(term * groups_, groups_);
  }
  std::span<const Value> operator[](size_t term) const {
    return std::span(values_).subspan(term * groups_, groups_);
  }

  // So many values behind a row may be read, and mean nothing: a processor loads whole vectors.
  static constexpr size_t beyond = 3;
  const Value* row(size_t term) const { return values_.data() + term * groups_; }

 private:
  size_t terms_ = 0;
  size_t groups_ = 0;
  std::vector<Value> values_;
};

// The numbers of the terms of a topic, among those of the dictionary.

// A set of terms in which each has its rank: a bit per term, so few that they stay in the cache,
// and a summary of these bits, so that a small set of a large dictionary takes little time. Of one
// thread but for see(); used for one topic after the other.
class TermNumbers {
 public:
  explicit TermNumbers(size_t terms)
      : bits_((terms + 63) / 64), summary_((bits_.size() + 63) / 64), number_(terms) {}

  // Puts a term into the set. Thread-safe.
  void see(uint32_t term) {
    if (set(bits_, term)) set(summary_, term / 64);
  }

  // Numbers the terms of the set from 0 and returns them, ascending.
  std::vector<uint32_t> number() {
    std::vector<uint32_t> terms;
    for_words([&](uint32_t word) {
      for (uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
        const uint32_t term = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        number_[term] = static_cast<uint32_t>(terms.size());
        terms.push_back(term);
      }
    });
    return terms;
  }
  // REQUIRES: number() was called since the term was put into the set.
  uint32_t operator[](uint32_t term) const { return number_[term]; }

  void clear() {
    for_words([&](uint32_t word) { bits_[word] = 0; });
    std::ranges::fill(summary_, 0);
  }

 private:
  // False where the bit was set already.
  static bool set(std::vector<uint64_t>& words, uint32_t i) {
    const uint64_t bit = uint64_t{1} << i % 64;
    const std::atomic_ref word(words[i / 64]);
    return (word.load(std::memory_order_relaxed) & bit) == 0 &&
           (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

  // Those of bits_ that are not 0, ascending.
  template <class Visit>
  void for_words(const Visit& visit) const {
    for (uint32_t i = 0; i < summary_.size(); ++i) {
      for (uint64_t bits = summary_[i]; bits != 0; bits &= bits - 1) {
        visit(i * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  std::vector<uint64_t> bits_;     // by term: it is in the set
  std::vector<uint64_t> summary_;  // by word of bits_: it is not 0
  std::vector<uint32_t> number_;   // by term, of those in the set
};

// Whole numbers as floating-point numbers.

// The same as static_cast<double>(n), and faster: most processors convert signed numbers only.
// REQUIRES: n < 2^63.
constexpr double as_double(uint64_t n) {
  return static_cast<double>(static_cast<int64_t>(n));
}
// REQUIRES: n < 2^31.
constexpr double as_double(uint32_t n) {
  return static_cast<double>(static_cast<int32_t>(n));
}

// Bags as vectors of Euclidean length 1, for one topic at a time.

// Coordinates are integers in units of 2^-24, so that sums depend on no order and are exact.
inline constexpr double vector_one = 1 << 24;

struct Coordinate {
  uint32_t term;   // in the numbering of a TopicVectors, ascending in a vector
  uint32_t value;  // > 0, in units of 1 / vector_one
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};
using Vector = std::span<const Coordinate>;

// A bag scaled to length 1, with the terms as they are. `vector` has room for all entries; returns
// what was written.
Vector unit_vector(sketch::Bag bag, std::span<Coordinate> vector);

// What copies of vectors are made in: of one thread, used for one topic after the other, since
// memory that was just used is faster than that which the system gives.
class VectorRoom {
 public:
  // `terms`: of the dictionary.
  explicit VectorRoom(size_t terms) : numbers_(terms) {}
  // Gives back what copies took. REQUIRES: there are none in it.
  void release() { coordinates_ = {}; }

 private:
  friend class TopicVectors;
  std::span<Coordinate> room_for(size_t coordinates) {
    if (coordinates > coordinates_.size()) {
      coordinates_ = {};
      coordinates_ = LargeArray<Coordinate>(coordinates);
    }
    return coordinates_.span().first(coordinates);
  }

  TermNumbers numbers_;  // empty but while a copy is made
  LargeArray<Coordinate> coordinates_;
};

// The vectors of the nodes of a topic, in their order. Thread-safe once made.
class TopicVectors {
 public:
  // What vectors are read into; of one thread.
  struct Buffer {
    std::vector<sketch::BagEntry> bag;
    ReadBuffer<Coordinate> vector;
  };

  // Copies all vectors and numbers their terms from 0, ascending, so that what is kept by term fits
  // the topic. Valid until the next copy into the same room.
  static TopicVectors copy(const sketch::BagCollection& bags, const Nodes& nodes,
                           std::span<const uint32_t> topic, VectorRoom& room, ThreadPool& pool);
  // Makes every vector when it is asked for, with the term ids of the bags: for a topic of which a
  // copy would take too much memory. Nothing else is different but the numbers of terms.
  // `topic` outlives this object, and is ascending.
  static TopicVectors in_place(const sketch::BagCollection& bags, const Nodes& nodes,
                               std::span<const uint32_t> topic, uint32_t terms);

  // What a copy takes.
  static constexpr uint64_t bytes_of_copy(uint64_t nodes, uint64_t entries) {
    return nodes * sizeof(uint64_t) + entries * sizeof(Coordinate);
  }
  // The same of these vectors; 0 in place.
  uint64_t copied_bytes() const { return bytes_of_copy(offsets_.size(), coordinates_.size()); }

  // Where copies are, any vector is read in little time.
  bool is_copied() const { return bags_ == nullptr; }
  size_t size() const { return pages_.size(); }
  // How many pages have the bag of node i.
  uint32_t pages(size_t i) const { return pages_[i]; }
  uint64_t total_pages() const { return total_pages_; }
  uint32_t terms() const { return terms_; }
  // The id in the dictionary of a term.
  uint32_t term_id(uint32_t term) const { return term_ids_.empty() ? term : term_ids_[term]; }
  // Valid until the next call with the same buffer.
  Vector read(size_t i, Buffer& buffer) const;

  // For a pass over some of the nodes [first, last), all or nearly all of them: where vectors are
  // made of the bags, these are read together. Of one thread; lives no longer than the vectors.
  class Stretch;
  // Nodes of a stretch: some hundred bags are a read of a hundred kilobytes.
  static constexpr size_t grain = 512;

 private:
  void fill(VectorRoom& room, ThreadPool& pool);
  void number_terms(TermNumbers& numbers, ThreadPool& pool);
  // Of vectors in place: the pages [low, high) of the nodes [first, last) and what lies between.
  std::pair<uint32_t, uint32_t> pages_between(size_t first, size_t last) const;

  const sketch::BagCollection* bags_ = nullptr;
  const Nodes* nodes_ = nullptr;
  std::span<const uint32_t> topic_;  // of vectors in place
  std::vector<uint32_t> pages_;
  uint64_t total_pages_ = 0;
  uint32_t terms_ = 0;
  std::vector<uint32_t> term_ids_;  // of a copy
  std::vector<uint64_t> offsets_;
  std::span<Coordinate> coordinates_;
};

class TopicVectors::Stretch {
 public:
  // REQUIRES: first < last <= vectors.size().
  Stretch(const TopicVectors& vectors, size_t first, size_t last)
      : vectors_(vectors), first_(first), last_(last) {}

  // Valid until the next call. REQUIRES: first <= i < last.
  Vector operator[](size_t i);
  // The bag that the vector is made of; likewise. REQUIRES: vectors are not copied.
  sketch::Bag bag(size_t i);

 private:
  // Bags that are worth reading with all that lies between them; none where vectors are copies.
  bool is_dense() const;

  const TopicVectors& vectors_;
  const size_t first_;
  const size_t last_;
  bool is_begun_ = false;
  sketch::BagBuffer entries_;
  std::optional<sketch::BagBlock> block_;  // of a dense stretch that was begun
  Buffer buffer_;
};

// Sums of the vectors of a topic.

// The sum of the vectors of all pages, by term, in units of 1 / vector_one. Exact.
std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool);

// The square of the length of a sum over so many pages: the mean of the products of all pairs of
// its vectors, each with itself included. In [0, 1].
double mean_square(std::span<const uint64_t> sum, uint64_t pages);

// The products of a vector with the directions of groups.

// Groups whose products are made together, and how many values more an array of products has.
inline constexpr size_t product_lanes = TermMatrix<float>::beyond + 1;

// By group, the sum over the coordinates of the vector in their order.
// REQUIRES: products.size() >= directions.groups() + product_lanes.
void set_products(Vector vector, const TermMatrix<float>& directions, std::span<double> products);

}  // namespace kith::topics
