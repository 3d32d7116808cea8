// Texts and sets that Python gives, as views that stay valid.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/shingles.h"

#include "arrow.h"
#include "crawl/read/table_column.h"

namespace kith::python {

// Sets of hashes that Python gives: an Arrow column of lists of integers, or sequences of these.

// Owned sets.
Sets take_sets(nanobind::handle object);

// kith.Sets, and the sets of an argument.

// kith.Sets: what shingles() makes of many texts.
using SharedSets = std::shared_ptr<const Sets>;
struct PythonSets {
  SharedSets sets;
};

// The sets of an argument; those of kith are shared.
inline SharedSets sets_of(nanobind::handle object) {
  if (PythonSets* own = nullptr; nanobind::try_cast(object, own) && own != nullptr)
    return own->sets;
  return std::make_shared<const Sets>(take_sets(object));
}

// Texts that Python gives: str, bytes, sequences of these, or an Arrow column of strings.

// Views of texts, valid as long as this and the object that they are of.
struct Texts {
  std::vector<std::string_view> views;  // of a null an empty one
  std::vector<bool> nulls;              // as many
  bool is_one = false;                  // a str or bytes by itself
  std::shared_ptr<ArrowColumn> column;  // or null
  nanobind::object held;                // of a sequence: its items, which stay
};

// What a column of a table is to be.
enum class ColumnUse : uint8_t {
  text,  // strings
  id,    // strings or integers, which are written in decimal
};

// A column of a table that is read batch by batch.
class TextColumn {
 public:
  // table: a struct, which outlives this. Raises kith.NotFoundError when there is no such column,
  // kith.UsageError when it is of another type.
  TextColumn(const ArrowSchema& table, std::string name, ColumnUse use);

  // Takes the rows of a batch, which stays as long as its views are read, in place of those before.
  void read(const ArrowArray& batch);

  const std::string& name() const { return name_; }
  size_t size() const { return views_.size(); }
  std::span<const std::string_view> views() const { return views_; }
  bool is_null(size_t row) const { return nulls_[row]; }

 private:
  std::string name_;
  std::optional<crawl::TableColumn> column_;
  std::vector<std::string_view> views_;  // of a null an empty one
  std::vector<bool> nulls_;
  std::vector<std::string> numbers_;  // what views of integers are of
};

// Reads an object without copying its texts. Raises TypeError or UsageError that names the row of
// what is no text. `what` is what messages call the object.
Texts take_texts(nanobind::handle object, const char* what);

}  // namespace kith::python
