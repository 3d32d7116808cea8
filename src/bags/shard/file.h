// What a shard of a crawl leaves for the merge: the digests of its pages in input order, in one
// file (docs/formats/shards.md). Nothing is summed up yet: whether a page counts at all depends on
// the captures of its URL in the other shards, and so must be possible to leave out.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/page_digest.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::bags {

// A new version also when text makes other words or stop words of a page: bags of shards by
// different rules would not fit together.
inline constexpr storage::FileKind shard_kind{"shar", 7};

// The payload of a page, for the counts of the report.
struct Payload {
  uint64_t bytes = 0;
  bool is_cut = false;      // longer than the largest page that is kept whole
  bool ends_early = false;  // kept, though its coded bytes end early
};

// A page of a shard. Its terms are numbers of forms: of a stem and a word that has it.
struct ShardPage {
  PageDigest digest;
  Payload payload;
};

// A page as bytes, appended to `out`.
void append_shard_page(const PageDigest& digest, const Payload& payload, std::string& out);
// What templates are found by, a part of it: its URL and its blocks.
void append_page_head(const PageDigest& digest, std::string& out);
bool read_page_head(Cursor& cursor, PageDigest& digest);
// Reads one from the front of `cursor`; false when the bytes are no page. The views of the digest
// are into the bytes.
bool read_shard_page(Cursor& cursor, ShardPage& page);

// Immutable and thread-safe. Views live as long as this object.
class ShardFile {
 public:
  // Checks that the sections fit each other; blocks are checked as they are read.
  static Result<ShardFile> open(storage::FileSystem& fs, const std::string& path);
  // Reads everything and compares the checksums.
  Status verify() const { return file_.verify(); }

  // The paths of the files of the whole crawl, in input order.
  const storage::StringArray& inputs() const { return inputs_; }
  // The stem and the word of every form.
  uint32_t forms() const { return static_cast<uint32_t>(stems_.size()); }
  std::string_view stem(uint32_t form) const { return stems_[form]; }
  std::string_view word(uint32_t form) const { return words_[form]; }

  // What stems and words take in memory when all were looked at; release_forms() gives it back.
  uint64_t form_bytes() const;
  void release_forms() const;

  // hash128 of the URL of every page.
  std::span<const Key128> keys() const { return keys_; }
  // When every page was captured.
  std::span<const int64_t> times() const { return times_; }
  // Pages are in blocks, those of block b being [first_page(b), first_page(b + 1)), all of them
  // of one input file.
  size_t blocks() const { return block_inputs_.size(); }
  uint64_t first_page(size_t block) const { return block_pages_[block]; }
  uint32_t input_of(size_t block) const { return block_inputs_[block]; }

  // Calls take(page number, page) for the pages of a block until it returns an error. `page` and
  // `buffer` are reused from call to call.
  using Take = std::function<Status(uint64_t number, ShardPage& page)>;
  // Afterwards the block, as it stands in the file, is not in memory.
  Status read_block(size_t block, ShardPage& page, std::string& buffer, const Take& take) const;
  // Of a block as it stands in the file.
  uint64_t bytes_of(size_t block) const { return blocks_[block].size(); }

  // The redirects that were kept, as aliases.
  Result<std::vector<Alias>> redirects() const;
  // Of every example of a skipped record in the report: the number of its input file.
  std::span<const uint32_t> example_inputs() const { return example_inputs_; }
  // hash128 of the URL that a revisit names, of every revisit, ascending.
  std::span<const Key128> revisits() const { return revisits_; }

  // What to say when the content cannot be right though the checksums fit.
  Error damaged() const;

 private:
  storage::SectionFile file_;
  storage::StringArray inputs_;
  storage::StringArray stems_;
  storage::StringArray words_;
  std::vector<Bytes> form_sections_;  // of stems and words, with their offsets
  storage::StringArray blocks_;
  std::span<const Key128> keys_;
  std::span<const int64_t> times_;
  std::span<const uint64_t> block_pages_;
  std::span<const uint32_t> block_inputs_;
  std::span<const uint32_t> example_inputs_;
  std::span<const Key128> revisits_;
};

}  // namespace kith::bags
