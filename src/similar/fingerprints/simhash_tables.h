// Permuted tables on the disk, and queries: which fingerprints are within k bits of this one?
// Exact (sketch/lsh/permuted_tables.h; Manku, Jain, Das Sarma 2007, section 3, "online queries").
// The byte format is docs/formats/simhash.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/mapping.h"
#include "base/parallel/thread_pool.h"
#include "sketch/lsh/permuted_tables.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::similar {

inline constexpr storage::FileKind simhash_tables_kind{"simt", 1};

// Writes the tables of different fingerprints, strictly ascending, fewer than 2^32: 8.25 bytes a
// fingerprint and table. `sort` is for the sort of a table (16 bytes per fingerprint that fits);
// besides, a quarter of a byte per fingerprint is held. `mapping`: what the fingerprints are a view
// of, released as they are read; may be null. REQUIRES: is_sound(design), sort.writers == 1.
Status write_simhash_tables(storage::FileSystem& fs, const std::string& path,
                            std::span<const uint64_t> fingerprints,
                            const sketch::TableDesign& design,
                            const storage::ExternalSortOptions& sort, ThreadPool& pool,
                            const Mapping* mapping = nullptr);

// What a query finds: a fingerprint by its place in the ascending list.
struct FingerprintMatch {
  uint32_t place;
  uint32_t distance;  // Hamming
  friend bool operator==(const FingerprintMatch&, const FingerprintMatch&) = default;
};

// Mapped and immutable, thread-safe.
class SimhashTables {
 public:
  // Checks what queries rely on; verify() checks the contents.
  static Result<SimhashTables> open(storage::FileSystem& fs, const std::string& path);

  const sketch::TableDesign& design() const { return design_; }
  // The number of fingerprints.
  size_t size() const { return tables_.empty() ? 0 : tables_.front().values.size(); }

  // All fingerprints within `distance` of this one, itself if it is among them; nearest first, then
  // by place. An error (corrupt) if a table holds what the first does not.
  // REQUIRES: distance <= design().distance.
  Result<std::vector<FingerprintMatch>> find(uint64_t fingerprint, uint32_t distance) const;

  Status verify() const { return file_.verify(); }

 private:
  struct Table {
    sketch::PermutedTable permutation;
    std::span<const uint64_t> values;  // permuted, ascending
    std::span<const uint32_t> cells;   // by leading bits: the first place that has them, or greater
    uint32_t shift;                    // what is left of a value when its leading bits are taken
  };
  struct Range {
    uint32_t begin;
    uint32_t end;
  };

  Status open_table(uint32_t number, sketch::PermutedTable permutation);
  Range range_of(const Table& table, uint64_t permuted) const;
  Status collect(uint32_t number, uint64_t permuted, Range range, uint32_t distance,
                 std::vector<FingerprintMatch>& matches) const;
  bool is_first_table(uint32_t number, uint64_t differing) const;
  Result<uint32_t> place_of(uint64_t fingerprint) const;

  storage::SectionFile file_;
  sketch::TableDesign design_;
  std::vector<Table> tables_;
};

}  // namespace kith::similar
