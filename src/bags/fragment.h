// Fragments: what one page or link says of a URL, and the partition files that they wait in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "base/dates.h"
#include "base/hash.h"
#include "storage/file_system.h"

namespace kith::bags {

// The fragments of partition files, as many at a time as there is room for. Internal to this
// folder.

// Reads files of fragments one behind the other, a file being open only while it is read. Not
// thread-safe.
class FragmentChunks {
 public:
  // Memory: about chunk_bytes, more only for a larger fragment. `fs` must outlive this object.
  FragmentChunks(storage::FileSystem& fs, std::vector<std::string> paths, size_t chunk_bytes);

  // The next whole fragments, valid until the next call; empty at the end. Bytes that are no
  // fragments are an error of kind corrupt: the files are those of this very run.
  Result<std::string_view> next();

 private:
  Status fill();

  storage::FileSystem* fs_;
  std::vector<std::string> paths_;
  size_t chunk_bytes_;
  size_t path_ = 0;        // that is read
  uint64_t position_ = 0;  // in it
  std::string buffer_;
  size_t given_ = 0;  // bytes of the buffer that the last call gave
};

// Fragments: what one page says about one URL (the paper, section 2.1: anchor-windows), and
// the partitions on disk in which the fragments of a URL meet.

// What stands at the position of a stop word.
inline constexpr uint32_t no_term = UINT32_MAX;

enum class FragmentKind : uint8_t {
  url = 0,          // the canonical URL behind the key; written at least once for every key
  page = 1,         // the URL was fetched; its title, and what its content is known by
  link = 2,         // an anchor-window that points to the URL: its terms
  words = 3,        // the URL's own words: its title for anchor bags, else the whole page
  inlink = 4,       // a link whose window is not wanted; makes no URL by itself
  alias_page = 5,   // an alias of the URL was fetched: its title
  alias_words = 6,  // the words of an alias
  title = 7,        // the words of the title once more, for the anchors of a bag of both kinds
  alias_title = 8,  // those of an alias
};

// The page that a link stands on, by hashes.
struct LinkSource {
  uint32_t host = 0;
  uint32_t page = 0;
};

// A fragment as it is read back. Terms are provisional ids, in no order, with repetitions.
struct Fragment {
  FragmentKind kind;
  Key128 url;
  Key128 alias;            // of the kinds alias_...: the URL that says this
  uint64_t content = 0;    // page, alias_page: equal for copies of a page; 0: not known
  int64_t time = no_time;  // page, alias_page: of the capture
  uint8_t facts = 0;       // page, alias_page: tables.h
  LinkSource source;       // link
  std::string_view text;   // url: the URL; page, alias_page: the title
  std::string_view terms;  // of the kinds with terms: varints
};

// Whether it brings terms for the bag of its URL.
bool has_terms(FragmentKind kind);

// Calls take(term) for every term of a fragment that has_terms().
template <class Take>
void for_each_term(const Fragment& fragment, Take&& take) {
  for (Cursor cursor(fragment.terms); !cursor.at_end();) {
    take(static_cast<uint32_t>(cursor.varint()));
  }
}

// Terms as they stand in fragments: those of the words [a, b) of a page are a slice.
class EncodedTerms {
 public:
  // Replaces what is here by the terms of some words; no_term takes no bytes.
  void assign(std::span<const uint32_t> terms);
  // The same by those of no words, and frees the memory.
  void free();

  size_t words() const { return at_.size() - 1; }
  std::string_view all() const { return bytes_; }
  // REQUIRES: begin <= end <= words().
  std::string_view slice(size_t begin, size_t end) const {
    return std::string_view(bytes_).substr(at_[begin], at_[end] - at_[begin]);
  }

 private:
  std::string bytes_;
  std::vector<uint32_t> at_{0};  // where each word's bytes begin; and the end
};

// M partition files, each open only while a block is appended. append() is thread-safe; the rest is
// for one thread.
class FragmentSpool {
 public:
  // `partitions` files, a power of two in [1, 4096], named after `prefix`; made when something is
  // appended. The partition of a URL is the bits of its key from `first_bit` on. `fs` must outlive
  // this object.
  FragmentSpool(storage::FileSystem& fs, const std::string& prefix, uint32_t partitions,
                unsigned first_bit = 0);

  uint32_t partitions() const { return static_cast<uint32_t>(files_.size()); }
  uint32_t partition_of(const Key128& url) const {
    return static_cast<uint32_t>(url.high >> first_bit_) & (partitions() - 1);
  }

  // Appends whole fragments to a partition.
  Status append(uint32_t partition, std::string_view fragments);
  // The path and the size of a partition: there is no file when it has no bytes.
  const std::string& path(uint32_t partition) const { return files_[partition]->path; }
  uint64_t bytes(uint32_t partition) const { return files_[partition]->bytes; }
  // The most bytes that were appended at once: no fragment is larger.
  uint64_t largest_append(uint32_t partition) const { return files_[partition]->largest_append; }

 private:
  struct File {
    std::string path;
    uint64_t bytes = 0;
    uint64_t largest_append = 0;
    std::mutex mutex;
  };
  storage::FileSystem* fs_;
  unsigned first_bit_;
  std::vector<std::unique_ptr<File>> files_;
};

// One worker's buffers in front of a spool. Not thread-safe.
class FragmentWriter {
 public:
  // Memory: about spool.partitions() * buffer_bytes. `spool` must outlive this object.
  FragmentWriter(FragmentSpool& spool, size_t buffer_bytes);

  // Each keeps the URL string of its key, once within the worker's short memory of keys.
  Status add_page(const Key128& key, std::string_view url, std::string_view title, uint8_t facts,
                  uint64_t content = 0, int64_t time = no_time);
  // `terms` are encoded, and so are `more`, which come behind them.
  Status add_terms(FragmentKind kind, const Key128& key, std::string_view url,
                   std::string_view terms, std::string_view more = {});
  Status add_link(const Key128& key, std::string_view url, LinkSource source,
                  std::string_view terms, std::string_view more = {});
  Status add_inlink(const Key128& key, std::string_view url);
  // What an alias says of itself, a page, words or title fragment, for the URL it is folded into.
  Status add_alias(const Fragment& fragment, const Key128& key, std::string_view url);
  // A fragment as it stands in another partition.
  Status copy(const Key128& key, std::string_view fragment);
  // Writes all buffers out.
  Status flush();

 private:
  std::string& buffer_of(const Key128& key);
  std::string& start(FragmentKind kind, const Key128& key);
  void add_url(const Key128& key, std::string_view url);
  Status write_if_full(const Key128& key);

  FragmentSpool* spool_;
  size_t buffer_bytes_;
  std::vector<std::string> buffers_;
  std::vector<uint64_t> recent_urls_;  // direct-mapped: low halves of keys whose URL is written
};

// Writes whole fragments as they stand, each to its partition.
Status copy_fragments(std::string_view fragments, FragmentWriter& writer);

// Calls visit(fragment) for whole fragments until it returns an error, which it returns.
template <class Visit>
Status for_fragments(std::string_view fragments, Visit&& visit);

// Reads one fragment from the front of `cursor`; false, with cursor.failed(), when the bytes
// are no fragment.
bool read_fragment(Cursor& cursor, Fragment& fragment);
// What to say then: the partition is ours, of this very run.
Error damaged_partition();

template <class Visit>
Status for_fragments(std::string_view fragments, Visit&& visit) {
  Cursor cursor(fragments);
  Fragment fragment;
  while (!cursor.at_end()) {
    if (!read_fragment(cursor, fragment)) return damaged_partition();
    KITH_TRY(visit(fragment));
  }
  return Status::ok();
}

}  // namespace kith::bags
