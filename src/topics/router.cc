#include "topics/router.h"

#include <algorithm>
#include <tuple>

namespace kith::topics {

Router::Router(const TopicFile& topics) : topics_(&topics) {
  for (uint32_t topic = 0; topic < topics.size(); ++topic) add_children(topic);
}

void Router::add_children(uint32_t topic) {
  struct Part {
    uint32_t term;
    Posting posting;
  };
  std::vector<Part> parts;
  const TopicRecord& record = (*topics_)[topic];
  for (uint32_t child = 0; child < record.children; ++child) {
    for (const DirectionPart& part : topics_->direction(record.first_child + child)) {
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
  while ((*topics_)[route.topic].children > 0) {
    const TopicRecord& record = (*topics_)[route.topic];
    fits.assign(record.children, 0);
    for (const Coordinate& c : vector) {
      const auto found = lists_.find(key(route.topic, c.term));
      if (found == lists_.end()) continue;
      for (uint32_t i = 0; i < found->second.size; ++i) {
        const Posting& posting = postings_[found->second.begin + i];
        fits[posting.child] += static_cast<double>(c.value) * static_cast<double>(posting.value);
      }
    }
    const auto best = std::ranges::max_element(fits);
    route.topic = record.first_child + static_cast<uint32_t>(best - fits.begin());
    route.fit = *best / vector_one;
  }
  return route;
}

}  // namespace kith::topics
