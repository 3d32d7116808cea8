// Documents by their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "jobs/dedup/document_table.h"

namespace kith::answers {

// Immutable, thread-safe. Holds 8 to 16 bytes a document.
class NameIndex {
 public:
  // The documents outlive this object.
  explicit NameIndex(const jobs::DocumentTable& documents);

  // The first document of that name.
  std::optional<uint32_t> find(std::string_view name) const;

 private:
  static constexpr uint32_t none = UINT32_MAX;
  // Where the name stands, or would.
  size_t slot_of(std::string_view name) const;

  const jobs::DocumentTable& documents_;
  std::vector<uint32_t> slots_;  // a power of two of them, at least a third of them empty
};

}  // namespace kith::answers
