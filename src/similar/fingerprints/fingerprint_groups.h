// Equal fingerprints, and the places of fingerprints in a sorted list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::similar {

// From fingerprints back to their places in a sorted list. Internal to this folder.
inline constexpr size_t released_at_once = size_t{1} << 17;  // fingerprints that have been read

// A directory by leading bits, then binary search. Immutable, thread-safe.
class FingerprintPlaces {
 public:
  // The bytes of the directory for n fingerprints: about an eighth to a quarter of a byte each, not
  // above `most` nor below 1 KiB.
  static uint64_t bytes(uint64_t n, uint64_t most);

  // fingerprints: strictly ascending, fewer than 2^32, outlive this object. They are read once;
  // what has been read is released if `mapping` is not null. `most` as in bytes().
  FingerprintPlaces(std::span<const uint64_t> fingerprints, uint64_t most, const Mapping* mapping);

  // REQUIRES: it is one of the fingerprints.
  uint32_t operator[](uint64_t fingerprint) const;

 private:
  std::span<const uint64_t> fingerprints_;
  uint32_t shift_;
  std::vector<uint32_t> begins_;  // by leading bits: the first place that has them or greater ones
};

// The documents by fingerprint: equal fingerprints collapsed to one, in ascending order. What
// simhash_join() joins are places in this list. The byte format is docs/formats/simhash.md.
inline constexpr storage::FileKind fingerprint_groups_kind{"fing", 1};

// Sorts the documents by fingerprint, beyond memory if need be, and writes the file. Not
// thread-safe.
class FingerprintGrouper {
 public:
  // Both outlive this object. sort.writers is 1. Besides the sort's, SORT.scratch.groups and
  // SORT.scratch.ends are temporary files while it writes.
  FingerprintGrouper(storage::FileSystem& fs, ThreadPool& pool, storage::ExternalSortOptions sort);

  // Each document once, in any order; documents without a fingerprint are left out.
  Status add(uint32_t document, uint64_t fingerprint) {
    return sort_.append({fingerprint, document});
  }
  // Writes `path`. To be called once, outside the pool's jobs; nothing may be added afterwards.
  Status write(const std::string& path);

 private:
  storage::FileSystem& fs_;
  std::string scratch_;
  storage::ExternalSort sort_;
};

// Immutable, thread-safe; views live as long as this object.
class FingerprintGroups {
 public:
  // documents: above every document of a sound file.
  static Result<FingerprintGroups> open(storage::FileSystem& fs, const std::string& path,
                                        uint32_t documents);

  size_t size() const { return fingerprints_.size(); }
  // Strictly ascending.
  std::span<const uint64_t> fingerprints() const { return fingerprints_; }
  // The documents of the fingerprint at `place`, ascending, at least one. REQUIRES: place < size().
  std::span<const uint32_t> documents(size_t place) const {
    return documents_.subspan(ends_[place], ends_[place + 1] - ends_[place]);
  }
  const Mapping& mapping() const { return file_.mapping(); }
  Status verify() const { return file_.verify(); }

 private:
  storage::SectionFile file_;
  std::span<const uint64_t> fingerprints_;
  std::span<const uint64_t> ends_;
  std::span<const uint32_t> documents_;
};

}  // namespace kith::similar
