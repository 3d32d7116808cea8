// Texts to documents, and documents that wait on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "bags/boilerplate/blocks.h"
#include "base/dates.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "sketch/set_sketches.h"
#include "storage/file_system.h"
#include "text/words/shingles.h"

namespace kith::jobs {

// Texts to documents: their elements and signatures.

// What is known of a document beside the text that is compared.
struct DocumentFacts {
  std::string_view name;
  std::span<const uint32_t> title;  // its words (titles.h)
  uint64_t record = 0;              // as in Document, like those below
  uint64_t offset = 0;
  int64_t time = no_time;
  std::string_view digest = {};  // of the payload; empty where none is known
  std::string_view source = {};  // likewise
  std::span<const double> keep_keys = {};
  uint32_t file = 0;
  uint32_t bytes = 0;
  bool is_cut = false;
  // Of the whole text, where another one is compared.
  std::optional<uint64_t> text = {};
};

// Whether documents have their sketches when they are read; else these are made when it is known
// which shingles are common.
bool sketches_while_reading(const DedupOptions& options);

// One worker's maker of documents; its buffers are reused. Not thread-safe.
class DocumentMaker {
 public:
  explicit DocumentMaker(const DedupOptions& options);

  // Reads the text of the next document, which need not be there any more for add(). is_large: room
  // is made for what the text needs and no more.
  void read(std::string_view text, bool is_large);
  // Adds the document of that text to the block.
  void add(const DocumentFacts& facts);
  // Frees what a large text took.
  void forget_buffers();

  DocumentBlock block;

 private:
  const DedupOptions& options_;
  text::Shingler shingler_;
  std::optional<sketch::SetSketcher> hasher_;
  std::vector<uint64_t> elements_;
};

// Texts of documents on the disk, in the order of the input, from when they are read until the
// templates of their sites are known.

// What templates are found by.
struct SpooledBlocks {
  std::string_view url;             // canonical; empty where the document has none
  bool is_first = false;            // the first sound capture of the URL
  std::vector<bags::Block> blocks;  // without link_words
  std::vector<uint32_t> offsets;    // where in the text each block begins
  uint32_t words = 0;               // of the text
};

// Consecutive documents on their way into the spool, or back. Not thread-safe.
class SpoolPart {
 public:
  void add(const SpooledBlocks& blocks, const DocumentFacts& facts, std::string_view text);

  // Calls take(file, blocks, text) for every document: the number of its input file, and what it is
  // as bytes. An error when the bytes are no documents.
  using TakeDocument =
      std::function<Status(uint32_t file, std::string_view blocks, std::string_view text)>;
  Status for_each(const TakeDocument& take) const;
  // Replaces all by documents as bytes, one after the other.
  void set(uint32_t documents, std::string_view blocks, std::string_view texts);

  uint32_t documents() const { return documents_; }
  uint64_t bytes() const { return blocks_.size() + documents_bytes_.size(); }
  void clear();
  // Frees what it has grown to.
  void free();

 private:
  friend class DocumentSpool;
  uint32_t documents_ = 0;
  std::string blocks_;
  std::string documents_bytes_;
};

// Thread-safe once it is closed.
class DocumentSpool {
 public:
  // `fs` must outlive this object.
  static Result<std::unique_ptr<DocumentSpool>> create(storage::FileSystem& fs,
                                                       const std::string& path);

  // Appends documents behind those that are there. is_first(url): whether a URL, not an empty one,
  // has not come before.
  Status append(SpoolPart& part, const std::function<Result<bool>(std::string_view url)>& is_first);
  // Ends writing.
  Status close();
  // Removes the file.
  Status remove() { return fs_->remove(path_); }

  // Calls visit(worker, blocks) for every document, in any order, by so many workers of the pool at
  // most, until it returns an error.
  using VisitBlocks = std::function<Status(unsigned worker, const SpooledBlocks& blocks)>;
  Status for_each_blocks(ThreadPool& pool, unsigned workers, const VisitBlocks& visit) const;

  // Parts, as they were appended.
  size_t parts() const { return parts_.size(); }
  // Calls visit(blocks, facts, text) for every document of a part, in their order. `buffer` is for
  // its bytes, which the visited are views of.
  using Visit = std::function<Status(const SpooledBlocks& blocks, const DocumentFacts& facts,
                                     std::string_view text)>;
  Status for_each(size_t part, std::string& buffer, const Visit& visit) const;
  // The bytes of the part and those before it, and of all.
  uint64_t bytes_until(size_t part) const { return parts_[part].offset + parts_[part].bytes(); }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Place {
    uint64_t offset = 0;
    uint64_t blocks_bytes = 0;
    uint64_t documents_bytes = 0;
    uint64_t bytes() const { return blocks_bytes + documents_bytes; }
  };
  DocumentSpool(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> writing_;
  std::unique_ptr<storage::ReadableFile> reading_;
  std::vector<Place> parts_;
  uint64_t bytes_ = 0;
};

}  // namespace kith::jobs
