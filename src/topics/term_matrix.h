// Values of some groups by term.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kith::topics {

// Those of a term side by side.
template <class Value>
class TermMatrix {
 public:
  TermMatrix() = default;
  TermMatrix(size_t terms, size_t groups)
      : terms_(terms), groups_(groups), values_(terms * groups + beyond) {}
  size_t groups() const { return groups_; }
  size_t terms() const { return terms_; }
  std::span<Value> operator[](size_t term) {
    return std::span(values_).subspan(term * groups_, groups_);
  }
  std::span<const Value> operator[](size_t term) const {
    return std::span(values_).subspan(term * groups_, groups_);
  }

  // So many values behind a row may be read, and mean nothing: a processor loads whole vectors.
  static constexpr size_t beyond = 3;
  const Value* row(size_t term) const { return values_.data() + term * groups_; }

 private:
  size_t terms_ = 0;
  size_t groups_ = 0;
  std::vector<Value> values_;
};

}  // namespace kith::topics
