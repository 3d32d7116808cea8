#include "topics/vectors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kith::topics {
namespace {

std::vector<uint32_t> pages_of(const Nodes& nodes, std::span<const uint32_t> topic) {
  std::vector<uint32_t> pages;
  pages.reserve(topic.size());
  for (const uint32_t node : topic) pages.push_back(nodes.pages[node]);
  return pages;
}

uint64_t sum_of(std::span<const uint32_t> values) {
  uint64_t sum = 0;
  for (const uint32_t value : values) sum += value;
  return sum;
}

}  // namespace

Vector unit_vector(sketch::Bag bag, std::span<Coordinate> vector) {
  // No vector is longer than bag_total, so no entry rounds to 0.
  static_assert(vector_one >= sketch::bag_total);
  // Exact: weights add up to bag_total, so that their squares have no more than 46 bits.
  uint64_t square = 0;
  for (const sketch::BagEntry& entry : bag) square += uint64_t{entry.weight} * entry.weight;
  const double scale = square > 0 ? vector_one / std::sqrt(as_double(square)) : 0;
  for (size_t i = 0; i < bag.size(); ++i) {
    // Rounded to the nearest, as the values are not negative; faster than std::lround().
    const double above = as_double(bag[i].weight) * scale + 0.5;
    vector[i] = {bag[i].term, static_cast<uint32_t>(static_cast<int32_t>(above))};
  }
  return vector.first(bag.size());
}

TopicVectors TopicVectors::copy(const sketch::BagCollection& bags, const Nodes& nodes,
                                std::span<const uint32_t> topic, VectorRoom& room,
                                ThreadPool& pool) {
  TopicVectors vectors = in_place(bags, nodes, topic, 0);
  vectors.fill(room, pool);
  vectors.bags_ = nullptr;
  vectors.number_terms(room.numbers_, pool);
  return vectors;
}

void TopicVectors::fill(VectorRoom& room, ThreadPool& pool) {
  offsets_.assign(1, 0);
  offsets_.reserve(topic_.size() + 1);
  for (const uint32_t node : topic_) {
    offsets_.push_back(offsets_.back() + (*bags_)[nodes_->page[node]].size());
  }
  coordinates_ = room.room_for(offsets_.back());
  pool.for_chunks(topic_.size(), grain, [&](size_t first, size_t last, unsigned) {
    Stretch stretch(*this, first, last);
    for (size_t i = first; i < last; ++i) {
      const sketch::Bag bag = stretch.bag(i);
      unit_vector(bag, coordinates_.subspan(offsets_[i], bag.size()));
      for (const sketch::BagEntry& entry : bag) room.numbers_.see(entry.term);
    }
  });
}

void TopicVectors::number_terms(TermNumbers& numbers, ThreadPool& pool) {
  term_ids_ = numbers.number();
  terms_ = static_cast<uint32_t>(term_ids_.size());
  constexpr size_t coordinates = grain * 128;
  pool.for_chunks(coordinates_.size(), coordinates, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) coordinates_[i].term = numbers[coordinates_[i].term];
  });
  numbers.clear();
}

TopicVectors TopicVectors::in_place(const sketch::BagCollection& bags, const Nodes& nodes,
                                    std::span<const uint32_t> topic, uint32_t terms) {
  TopicVectors vectors;
  vectors.bags_ = &bags;
  vectors.nodes_ = &nodes;
  vectors.topic_ = topic;
  vectors.pages_ = pages_of(nodes, topic);
  vectors.total_pages_ = sum_of(vectors.pages_);
  vectors.terms_ = terms;
  return vectors;
}

Vector TopicVectors::read(size_t i, Buffer& buffer) const {
  if (bags_ == nullptr) {
    return coordinates_.subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  const sketch::Bag bag = bags_->read(nodes_->page[topic_[i]], buffer.bag);
  return unit_vector(bag, buffer.vector.room_for(bag.size()));
}

std::pair<uint32_t, uint32_t> TopicVectors::pages_between(size_t first, size_t last) const {
  return {nodes_->page[topic_[first]], nodes_->page[topic_[last - 1]] + 1};
}

bool TopicVectors::Stretch::is_dense() const {
  const sketch::BagCollection& bags = *vectors_.bags_;
  uint64_t wanted = 0;
  for (size_t i = first_; i < last_; ++i) {
    wanted += bags[vectors_.nodes_->page[vectors_.topic_[i]]].size();
  }
  const auto [low, high] = vectors_.pages_between(first_, last_);
  // Of small bags a call costs as much as some hundred bytes.
  return bags.offsets()[high] - bags.offsets()[low] <= 4 * wanted;
}

sketch::Bag TopicVectors::Stretch::bag(size_t i) {
  if (!is_begun_) {
    is_begun_ = true;
    if (is_dense()) {
      const auto [low, high] = vectors_.pages_between(first_, last_);
      block_ = vectors_.bags_->block(low, high, entries_);
    }
  }
  const uint32_t page = vectors_.nodes_->page[vectors_.topic_[i]];
  return block_ ? (*block_)[page] : vectors_.bags_->read(page, buffer_.bag);
}

Vector TopicVectors::Stretch::operator[](size_t i) {
  if (vectors_.is_copied()) return vectors_.read(i, buffer_);
  const sketch::Bag own = bag(i);
  return unit_vector(own, buffer_.vector.room_for(own.size()));
}

std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool) {
  std::vector<std::vector<uint64_t>> sums(pool.size());
  pool.for_chunks(vectors.size(), TopicVectors::grain,
                  [&](size_t begin, size_t end, unsigned worker) {
                    std::vector<uint64_t>& sum = sums[worker];
                    sum.resize(vectors.terms());
                    TopicVectors::Stretch stretch(vectors, begin, end);
                    for (size_t i = begin; i < end; ++i) {
                      const uint64_t pages = vectors.pages(i);
                      for (const Coordinate& c : stretch[i]) sum[c.term] += pages * c.value;
                    }
                  });
  std::vector<uint64_t> all(vectors.terms());
  for (const std::vector<uint64_t>& sum : sums) {
    for (size_t term = 0; term < sum.size(); ++term) all[term] += sum[term];
  }
  return all;
}

double mean_square(std::span<const uint64_t> sum, uint64_t pages) {
  double square = 0;
  for (const uint64_t value : sum) {
    square += as_double(value) * as_double(value);
  }
  const double unit = vector_one * static_cast<double>(pages);
  return pages == 0 ? 0 : square / unit / unit;
}

namespace {

// The groups from `first` on, so many times product_lanes of them: their sums stay in registers.
template <size_t Times>
void set_some(Vector vector, const TermMatrix<float>& directions, size_t first,
              std::span<double> products) {
  std::array<double, Times * product_lanes> sums{};
  for (const Coordinate& c : vector) {
    const double value = as_double(c.value);
    const float* const direction = directions.row(c.term) + first;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += value * static_cast<double>(direction[i]);
  }
  std::ranges::copy(sums, products.begin() + static_cast<ptrdiff_t>(first));
}

}  // namespace

void set_products(Vector vector, const TermMatrix<float>& directions, std::span<double> products) {
  const size_t groups = directions.groups();
  size_t first = 0;
  for (; first + 2 * product_lanes < groups; first += 3 * product_lanes) {
    set_some<3>(vector, directions, first, products);
  }
  if (first + product_lanes < groups) {
    set_some<2>(vector, directions, first, products);
  } else if (first < groups) {
    set_some<1>(vector, directions, first, products);
  }
}

}  // namespace kith::topics
