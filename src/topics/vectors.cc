#include "topics/vectors.h"

#include <algorithm>
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

Vector unit_vector(Bag bag, std::span<Coordinate> vector) {
  double square = 0;
  for (const BagEntry& entry : bag) {
    square += static_cast<double>(entry.weight) * static_cast<double>(entry.weight);
  }
  const double scale = square > 0 ? vector_one / std::sqrt(square) : 0;
  size_t filled = 0;
  for (const BagEntry& entry : bag) {
    // Rounded to the nearest, as the values are not negative; faster than std::lround().
    const double above = static_cast<double>(entry.weight) * scale + 0.5;
    const auto value = static_cast<uint32_t>(above);
    if (value > 0) vector[filled++] = {entry.term, value};
  }
  return vector.first(filled);
}

TopicVectors TopicVectors::copy(const BagCollection& bags, const Nodes& nodes,
                                std::span<const uint32_t> topic, TermNumbers& numbers) {
  TopicVectors vectors;
  vectors.pages_ = pages_of(nodes, topic);
  vectors.total_pages_ = sum_of(vectors.pages_);
  std::vector<uint32_t>& ids = vectors.term_ids_;
  vectors.offsets_.assign(1, 0);
  size_t entries = 0;
  for (const uint32_t node : topic) entries += bags[nodes.page[node]].size();
  vectors.coordinates_.reserve(entries);
  Buffer buffer;
  for (const uint32_t node : topic) {
    const Bag bag = bags.read(nodes.page[node], buffer.bag);
    const Vector vector = unit_vector(bag, buffer.vector.room_for(bag.size()));
    vectors.coordinates_.insert(vectors.coordinates_.end(), vector.begin(), vector.end());
    vectors.offsets_.push_back(vectors.coordinates_.size());
    for (const Coordinate& c : vector) {
      if (numbers[c.term] != pairs::no_id) continue;
      numbers[c.term] = 0;
      ids.push_back(c.term);
    }
  }
  std::ranges::sort(ids);
  for (uint32_t i = 0; i < ids.size(); ++i) numbers[ids[i]] = i;
  for (Coordinate& c : vectors.coordinates_) c.term = numbers[c.term];
  for (const uint32_t id : ids) numbers[id] = pairs::no_id;
  vectors.terms_ = static_cast<uint32_t>(ids.size());
  return vectors;
}

TopicVectors TopicVectors::in_place(const BagCollection& bags, const Nodes& nodes,
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
    return Vector(coordinates_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  const Bag bag = bags_->read(nodes_->page[topic_[i]], buffer.bag);
  return unit_vector(bag, buffer.vector.room_for(bag.size()));
}

}  // namespace kith::topics
