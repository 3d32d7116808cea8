// What a stream forgets: leaders that are too old, and those beyond its limits.
#include "jobs/stream/engine.h"

namespace kith::jobs {

// Takes clusters that no page of this moment could join, and those that have waited too long.
void Engine::forget_old() {
  const auto is_beyond = [&](int64_t since, int64_t most) {
    // The difference of two times may be too large for its type.
    return clock_ > since && static_cast<uint64_t>(clock_) - static_cast<uint64_t>(since) >
                                 static_cast<uint64_t>(most);
  };
  while (!by_leader_time_.empty() && is_beyond(by_leader_time_.begin()->first, horizon_ms_)) {
    ++counts_.forgotten_age;
    forget(by_leader_time_.begin()->second);
  }
  const auto has_waited = [&](uint32_t cluster) {
    const LastMember last = clusters_.last_member(cluster);
    return (options_.forget_after_ms > 0 && is_beyond(last.time, options_.forget_after_ms)) ||
           (options_.forget_after_pages > 0 &&
            counts_.pages - last.page > options_.forget_after_pages);
  };
  while (clusters_.oldest() != nobody && has_waited(clusters_.oldest())) {
    ++counts_.forgotten_age;
    forget(clusters_.oldest());
  }
}

void Engine::forget_beyond_number() {
  if (options_.most_leaders == 0) return;
  while (clusters_.size() > options_.most_leaders) {
    ++counts_.forgotten_room;
    forget(clusters_.oldest());
  }
}

// Tables become smaller only when they are made anew: so an eighth at a time, down to three
// quarters.
uint64_t Engine::make_room() {
  if (options_.memory == 0 || bytes() <= options_.memory) return 0;
  const uint64_t before = clusters_.size();
  while (clusters_.size() > 1 && bytes() > options_.memory / 4 * 3) {
    forget_oldest(clusters_.size() / 8 + 1);
  }
  return before - clusters_.size();
}

void Engine::forget_oldest(uint64_t clusters) {
  for (; clusters > 0 && clusters_.size() > 1; --clusters) {
    ++counts_.forgotten_room;
    forget(clusters_.oldest());
  }
  rebuild_index();
  pages_.tidy();
}

void Engine::forget(uint32_t cluster) {
  withdraw_leader(cluster);
  while (clusters_.size(cluster) > 0) {
    const uint32_t page = clusters_[cluster].leader;
    clusters_.leave(page);
    pages_.remove(page);
    ++counts_.forgotten_pages;
  }
  end_cluster(cluster);
}

uint64_t Engine::bytes() const {
  constexpr uint64_t set_node = 64;
  return pages_.bytes() + clusters_.bytes() + means_.bytes() + words_.bytes() + themes_.bytes() +
         index_->bytes() + indexed_.size() * sizeof(uint32_t) + by_leader_time_.size() * set_node;
}

}  // namespace kith::jobs
