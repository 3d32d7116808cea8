// The labels of items, by number. Items have one or more; the first has a meaning of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::evaluate {

// Two ascending lists without repetition: how many values both have.
inline size_t count_common(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++common;
    const bool pass_a = a[i] <= b[j];
    if (a[i] >= b[j]) ++j;
    if (pass_a) ++i;
  }
  return common;
}

class LabelSets {
 public:
  size_t size() const { return first_.size(); }
  // Ascending, each once.
  std::span<const uint32_t> operator[](size_t item) const {
    return std::span(labels_).subspan(begin_[item], begin_[item + 1] - begin_[item]);
  }
  uint32_t first(size_t item) const { return first_[item]; }
  std::span<const uint32_t> first() const { return first_; }

  // Appends an item. Labels may be repeated. REQUIRES: there is one.
  void add(std::span<const uint32_t> labels) {
    first_.push_back(labels.front());
    const auto begin = static_cast<std::ptrdiff_t>(labels_.size());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    std::sort(labels_.begin() + begin, labels_.end());
    labels_.erase(std::unique(labels_.begin() + begin, labels_.end()), labels_.end());
    begin_.push_back(labels_.size());
  }

  // Appends an item of another list, its first label first.
  void add(const LabelSets& other, size_t item) {
    add(other[item]);
    first_.back() = other.first(item);
  }

  bool share(size_t a, size_t b) const { return count_common((*this)[a], (*this)[b]) > 0; }

 private:
  std::vector<size_t> begin_{0};
  std::vector<uint32_t> labels_;
  std::vector<uint32_t> first_;
};

}  // namespace kith::evaluate
