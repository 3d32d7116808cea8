// Who is connected, and who goes when there is no place for another one.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace kith::server {

// Thread-safe.
class ConnectionTable {
 public:
  using Id = uint64_t;

  ConnectionTable(uint32_t max_connections, uint32_t max_per_address)
      : max_connections_(max_connections), max_per_address_(max_per_address) {}

  // A new connection, which waits for a request. Where there are too many, of this address or in
  // all, the one of those that has waited longest goes: its drop() is called. Nothing where none of
  // them waits.
  std::optional<Id> enter(const std::string& address, std::function<void()> drop);
  // From now on it waits for a request, or has one. Unknown ones (dropped, never entered) are
  // ignored, here and below.
  void set_waiting(Id id, bool is_waiting);
  void leave(Id id);
  // Drops the connection that has waited longest, if any waits.
  void drop_oldest() { (void)drop_oldest_of(nullptr); }

 private:
  struct Entry {
    std::string address;
    std::function<void()> drop;
    std::optional<std::list<Id>::iterator> waiting;  // its place in waiting_
  };
  using Entries = std::unordered_map<Id, Entry>;

  bool is_full(const std::string& address, bool& is_of_address) const;
  bool drop_oldest_of(const std::string* address);
  void erase(Entries::iterator at);  // under the lock

  const uint32_t max_connections_;
  const uint32_t max_per_address_;
  mutable std::mutex mutex_;  // guards all below
  Id next_ = 1;
  Entries entries_;
  std::unordered_map<std::string, uint32_t> of_address_;
  std::list<Id> waiting_;  // longest first
};

}  // namespace kith::server
