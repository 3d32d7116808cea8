#include "server/connection_table.h"

#include <algorithm>
#include <utility>

namespace kith::server {

bool ConnectionTable::is_full(const std::string& address, bool& is_of_address) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_address_.find(address);
  is_of_address = found != of_address_.end() && found->second >= max_per_address_;
  return is_of_address || entries_.size() >= max_connections_;
}

std::optional<ConnectionTable::Id> ConnectionTable::enter(const std::string& address,
                                                          std::function<void()> drop) {
  bool is_of_address = false;
  while (is_full(address, is_of_address)) {
    if (!drop_oldest_of(is_of_address ? &address : nullptr)) return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  const Id id = next_++;
  const auto at = waiting_.insert(waiting_.end(), id);
  entries_.emplace(id, Entry{address, std::move(drop), at});
  ++of_address_[address];
  return id;
}

void ConnectionTable::set_waiting(Id id, bool is_waiting) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end() || at->second.waiting.has_value() == is_waiting) return;
  if (is_waiting) {
    at->second.waiting = waiting_.insert(waiting_.end(), id);
  } else {
    waiting_.erase(*std::exchange(at->second.waiting, std::nullopt));
  }
}

void ConnectionTable::leave(Id id) {
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(id); at != entries_.end()) erase(at);
}

void ConnectionTable::erase(Entries::iterator at) {
  if (at->second.waiting) waiting_.erase(*at->second.waiting);
  const auto count = of_address_.find(at->second.address);
  if (--count->second == 0) of_address_.erase(count);
  entries_.erase(at);
}

bool ConnectionTable::drop_oldest_of(const std::string* address) {
  std::function<void()> drop;
  {
    const std::lock_guard lock(mutex_);
    const auto oldest = std::ranges::find_if(waiting_, [&](Id id) {
      return address == nullptr || entries_.find(id)->second.address == *address;
    });
    if (oldest == waiting_.end()) return false;
    const auto at = entries_.find(*oldest);
    drop = std::move(at->second.drop);
    erase(at);
  }
  // Not under the lock: it may end the connection, which leaves.
  drop();
  return true;
}

}  // namespace kith::server
