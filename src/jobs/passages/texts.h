// The texts of all documents, on the disk from when they are read, and what is known of each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/passages.h"
#include "kith/status.h"

#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "crawl/read/page.h"
#include "storage/file_system.h"

namespace kith::jobs {

// A document as it is read again. Views into the buffer that it was read to.
struct PassageText {
  uint32_t document = 0;
  std::string_view name;
  uint32_t file = 0;
  uint64_t record = 0;
  std::string_view text;
  std::string_view row_head;  // as of crawl::Page
  std::string_view row_tail;
};

// Some bytes a document are held in memory (bytes_of_passage_text). Thread-safe once it is closed.
class PassageTexts {
 public:
  // `fs` must outlive this object.
  static Result<std::unique_ptr<PassageTexts>> create(storage::FileSystem& fs,
                                                      const std::string& path);

  // Documents on their way into the file, in the order of the input. Not thread-safe.
  class Block {
   public:
    void add(const crawl::Page& page, std::string_view text);
    uint64_t bytes() const { return bytes_.size(); }
    uint32_t documents() const { return static_cast<uint32_t>(sizes_.size()); }
    // A text of so many bytes follows.
    void reserve(uint64_t bytes);
    void clear();
    void free();

   private:
    friend class PassageTexts;
    std::string bytes_;
    std::vector<uint64_t> sizes_;
    std::vector<uint32_t> text_sizes_;
    std::vector<uint32_t> hosts_;
    std::vector<Key128> keys_;
  };

  // The number of the first document of the block is documents() before.
  Status append(const Block& block);
  // Ends writing, and ranks the documents.
  Status close();

  uint32_t documents() const { return static_cast<uint32_t>(text_sizes_.size()); }
  uint64_t text_bytes() const { return text_bytes_; }
  uint32_t text_size(uint32_t document) const { return text_sizes_[document]; }
  // A hash of its host; 0 where it has no URL.
  uint32_t host(uint32_t document) const { return hosts_[document]; }
  // Its place among all documents by the hashes of texts, then of names. Equal documents are in the
  // order of the input, in which nothing tells them apart.
  uint32_t rank(uint32_t document) const { return ranks_[document]; }
  uint32_t of_rank(uint32_t rank) const { return of_rank_[rank]; }

  // Reads a document to the buffer.
  Result<PassageText> read(uint32_t document, std::string& buffer) const;

 private:
  PassageTexts(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> writing_;
  std::unique_ptr<storage::ReadableFile> reading_;
  std::vector<uint64_t> begins_ = {0};
  std::vector<uint32_t> text_sizes_;
  std::vector<uint32_t> hosts_;
  std::vector<Key128> keys_;  // of text and name, until close()
  std::vector<uint32_t> ranks_;
  std::vector<uint32_t> of_rank_;
  uint64_t text_bytes_ = 0;
};

// What is held for each document: while it is read, keys and twice the room of vectors that grow;
// later ranks, languages and losses.
inline constexpr uint64_t bytes_of_passage_text = 72;

// The host of a document's name, or an empty one.
std::string host_of_name(std::string_view name);

}  // namespace kith::jobs
