#include "topics/router.h"

#include <algorithm>

namespace kith::topics {

namespace {

std::vector<RouteTopic> route_topics(const TopicFile& topics) {
  std::vector<RouteTopic> found;
  found.reserve(topics.size());
  for (uint32_t topic = 0; topic < topics.size(); ++topic) {
    found.push_back({topics[topic].first_child, topics[topic].children, topics.direction(topic)});
  }
  return found;
}

}  // namespace

Router::Router(std::span<const RouteTopic> topics) {
  children_.reserve(topics.size());
  for (uint32_t topic = 0; topic < topics.size(); ++topic) {
    children_.push_back({topics[topic].first_child, topics[topic].children});
    add_children(topics, topic);
  }
}

Router::Router(const TopicFile& topics) : Router(route_topics(topics)) {}

void Router::add_children(std::span<const RouteTopic> topics, uint32_t topic) {
  struct Part {
    uint32_t term;
    Posting posting;
  };
  std::vector<Part> parts;
  const RouteTopic& parent = topics[topic];
  for (uint32_t child = 0; child < parent.children; ++child) {
    for (const DirectionPart& part : topics[parent.first_child + child].direction) {
      parts.push_back({part.term, {child, part.value}});
    }
  }
  std::ranges::stable_sort(parts, {}, &Part::term);
  for (size_t begin = 0; begin < parts.size();) {
    const uint32_t term = parts[begin].term;
    size_t end = begin;
    const uint64_t first = postings_.size();
    for (; end < parts.size() && parts[end].term == term; ++end) {
      postings_.push_back(parts[end].posting);
    }
    lists_.emplace(key(topic, term), List{first, static_cast<uint32_t>(end - begin)});
    begin = end;
  }
}

Route Router::route(Vector vector) const {
  Route route;
  std::vector<double> fits;
  while (children_[route.topic].count > 0) {
    const Children children = children_[route.topic];
    fits.assign(children.count, 0);
    for (const Coordinate& c : vector) {
      const auto found = lists_.find(key(route.topic, c.term));
      if (found == lists_.end()) continue;
      for (uint32_t i = 0; i < found->second.size; ++i) {
        const Posting& posting = postings_[found->second.begin + i];
        fits[posting.child] += static_cast<double>(c.value) * static_cast<double>(posting.value);
      }
    }
    const auto best = std::ranges::max_element(fits);
    route.topic = children.first + static_cast<uint32_t>(best - fits.begin());
    route.fit = *best / vector_one;
  }
  return route;
}

}  // namespace kith::topics
