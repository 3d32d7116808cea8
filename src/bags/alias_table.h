// The URLs of a run that stand for others, and which of its URLs each is folded into
// (docs/algorithms/aliases.md, docs/formats/bags.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/tables.h"
#include "base/hash.h"
#include "storage/section_file.h"

namespace kith::bags {

inline constexpr storage::FileKind aliases_kind{"alia", 1};

// Immutable, thread-safe.
class AliasTable {
 public:
  static Result<AliasTable> open(storage::FileSystem& fs, const std::string& path);
  // Verified; without aliases where there is no such file.
  static Result<AliasTable> open_if_there(storage::FileSystem& fs, const std::string& path);

  uint64_t size() const { return keys_.size(); }
  // The id of the URL that a URL in its canonical form is folded into; nothing where it is not.
  // What it gives is not checked as it is read: see verify().
  std::optional<uint32_t> find(std::string_view canonical_url) const;
  Status verify() const { return file_.verify(); }

 private:
  storage::SectionFile file_;
  std::span<const Key128> keys_;  // ascending
  std::span<const uint32_t> targets_;
};

// Writes the aliases whose targets are in `urls`. Memory: 24 bytes for each.
Status write_alias_table(storage::FileSystem& fs, const std::string& path, const AliasMap& aliases,
                         const UrlTable& urls);

}  // namespace kith::bags
