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
  TopicVectors vectors = in_place(bags, nodes, topic, 0);
  std::vector<uint32_t>& ids = vectors.term_ids_;
  size_t entries = 0;
  for (const uint32_t node : topic) entries += bags[nodes.page[node]].size();
  vectors.coordinates_.reserve(entries);
  vectors.offsets_.reserve(topic.size() + 1);
  vectors.offsets_.push_back(0);
  for (size_t first = 0; first < topic.size(); first += grain) {
    const size_t last = std::min(first + grain, topic.size());
    Stretch stretch(vectors, first, last);
    for (size_t i = first; i < last; ++i) {
      const Vector vector = stretch[i];
      vectors.coordinates_.insert(vectors.coordinates_.end(), vector.begin(), vector.end());
      vectors.offsets_.push_back(vectors.coordinates_.size());
      for (const Coordinate& c : vector) {
        if (numbers[c.term] != pairs::no_id) continue;
        numbers[c.term] = 0;
        ids.push_back(c.term);
      }
    }
  }
  vectors.bags_ = nullptr;
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

std::pair<uint32_t, uint32_t> TopicVectors::pages_between(size_t first, size_t last) const {
  return {nodes_->page[topic_[first]], nodes_->page[topic_[last - 1]] + 1};
}

bool TopicVectors::Stretch::is_dense() const {
  if (vectors_.bags_ == nullptr) return false;
  const BagCollection& bags = *vectors_.bags_;
  uint64_t wanted = 0;
  for (size_t i = first_; i < last_; ++i) {
    wanted += bags[vectors_.nodes_->page[vectors_.topic_[i]]].size();
  }
  const auto [low, high] = vectors_.pages_between(first_, last_);
  // Of small bags a call costs as much as some hundred bytes.
  return bags.offsets()[high] - bags.offsets()[low] <= 4 * wanted;
}

Vector TopicVectors::Stretch::operator[](size_t i) {
  if (!is_begun_) {
    is_begun_ = true;
    if (is_dense()) {
      const auto [low, high] = vectors_.pages_between(first_, last_);
      block_ = vectors_.bags_->block(low, high, entries_);
    }
  }
  if (!block_) return vectors_.read(i, buffer_);
  const Bag bag = (*block_)[vectors_.nodes_->page[vectors_.topic_[i]]];
  return unit_vector(bag, buffer_.vector.room_for(bag.size()));
}

}  // namespace kith::topics
