// The canonical URLs of a page's links: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kith::bags {

// Every URL stands as the length of the prefix that it shares with one base URL, and the rest: so
// a long base before very many short links takes memory once. Not thread-safe.
class LinkUrls {
 public:
  struct Parts {
    uint32_t shared = 0;    // bytes of base()
    std::string_view rest;  // what follows them
  };

  // Forgets all URLs; those that follow are compared with `base`.
  void reset(std::string_view base);
  void add(std::string_view url);
  // The same, of parts. REQUIRES: shared <= base().size().
  void add(const Parts& parts);

  size_t size() const { return entries_.size(); }
  std::string_view base() const { return base_; }
  // Valid until the next call of a function that is not const.
  Parts parts(size_t i) const;
  // Replaces the content of `url` by the whole URL.
  void read(size_t i, std::string& url) const;

  // Frees what it has grown to; holds nothing then.
  void free();

 private:
  struct Entry {
    uint32_t shared;
    uint32_t end;  // in rests_, where the rest of the next one begins
  };

  std::string base_;
  std::string rests_;
  std::vector<Entry> entries_;
};

}  // namespace kith::bags
