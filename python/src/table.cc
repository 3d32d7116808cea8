#include "table.h"

namespace kith::python {

void Column::add_text(std::string_view text) {
  bytes_ += text;
  text_offsets_.push_back(static_cast<int64_t>(bytes_.size()));
}

void Column::add(std::string_view text) {
  add_text(text);
  ++rows_;
}

void Column::add(uint64_t count) {
  counts_.push_back(count);
  ++rows_;
}

void Column::add(double number) {
  numbers_.push_back(number);
  ++rows_;
}

void Column::add(bool flag) {
  if (rows_ % 8 == 0) bits_.push_back(0);
  if (flag) bits_.back() = static_cast<uint8_t>(bits_.back() | 1u << (rows_ % 8));
  ++rows_;
}

void Column::add(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) add_text(text);
  list_offsets_.push_back(list_offsets_.back() + static_cast<int64_t>(texts.size()));
  ++rows_;
}

void Column::add(const std::vector<std::string>& texts) {
  add(std::vector<std::string_view>(texts.begin(), texts.end()));
}

void Column::add(const std::vector<double>& numbers) {
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  list_offsets_.push_back(static_cast<int64_t>(numbers_.size()));
  ++rows_;
}

void Column::expect(size_t rows) {
  if (rows_ == 0 || rows <= rows_) return;
  // A tenth more: rows differ.
  const double times = 1.1 * static_cast<double>(rows) / static_cast<double>(rows_);
  const auto reserve = [&](auto& values) {
    values.reserve(static_cast<size_t>(times * static_cast<double>(values.size())));
  };
  reserve(text_offsets_);
  reserve(bytes_);
}

std::string_view Column::text(size_t row) const {
  const auto begin = static_cast<size_t>(text_offsets_[row]);
  const auto end = static_cast<size_t>(text_offsets_[row + 1]);
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::vector<std::string_view> Column::texts(size_t row) const {
  std::vector<std::string_view> result;
  for (int64_t i = list_offsets_[row]; i < list_offsets_[row + 1]; ++i) {
    result.push_back(text(static_cast<size_t>(i)));
  }
  return result;
}

std::vector<double> Column::numbers(size_t row) const {
  return {numbers_.begin() + list_offsets_[row], numbers_.begin() + list_offsets_[row + 1]};
}

const Column* Table::find(std::string_view name) const {
  for (const Column& column : columns) {
    if (column.name() == name) return &column;
  }
  return nullptr;
}

}  // namespace kith::python
