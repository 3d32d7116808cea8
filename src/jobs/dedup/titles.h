// The titles of documents, by which copies are told from other pages of a template
// (docs/algorithms/near-duplicates.md, "Titles").
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "similar/sets/hash_sets.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "text/html/html.h"
#include "text/words/words.h"

namespace kith::jobs {

inline constexpr storage::FileKind titles_kind{"ttlw", 1};

// One worker's reader of titles; its buffers are reused. Not thread-safe.
class TitleWords {
 public:
  // What the title of a page says: its words in lower case and without digits, and of its numbers
  // those that stand in one of its HtmlText::headings as well; as words of similar::Subjects, sure
  // where a heading has the word. In their order, numbers first; further ones do not count. Valid
  // until the next call.
  static constexpr size_t max_words = 64;
  std::span<const uint32_t> read(const text::HtmlText& page);

 private:
  struct Word {
    uint32_t hash;
    bool is_number;
  };
  void split(std::string_view text, std::vector<Word>& words);

  text::WordSplitter splitter_;
  std::string letters_;
  std::vector<Word> title_;
  std::vector<Word> headings_;
  std::vector<uint32_t> words_;
};

// The titles of all documents, one after the other. Not thread-safe. Holds a byte per document.
class TitleWriter {
 public:
  static Result<TitleWriter> create(storage::FileSystem& fs, const std::string& path);
  // Of the next documents; sizes: how many words each has.
  Status add(std::span<const uint32_t> words, std::span<const uint8_t> sizes);
  Status finish();

 private:
  explicit TitleWriter(storage::SectionWriter file) : file_(std::move(file)) {}
  storage::SectionWriter file_;
  std::vector<uint8_t> sizes_;
};

// The words of the titles as they were written. Immutable, thread-safe.
class TitleFile {
 public:
  static Result<TitleFile> open(storage::FileSystem& fs, const std::string& path,
                                uint32_t documents);
  std::span<const uint32_t> words() const { return words_; }  // of all titles, one after the other
  std::span<const uint8_t> sizes() const { return sizes_; }   // how many each document has

 private:
  explicit TitleFile(storage::SectionFile file) : file_(std::move(file)) {}

  storage::SectionFile file_;
  std::span<const uint32_t> words_;
  std::span<const uint8_t> sizes_;
};

// Reads a titles file. Of a host with eight titles or more, words that nine tenths of them have are
// left out. name_of: of a document, by its number; hosts are those of http and https URLs. text_of:
// a hash of its text, 0 where it has none; documents of one text have the title of the first of
// them. Holds 12 bytes per document and 4 per word; takes 21 bytes per document besides while it
// reads, and what the different words of a host need.
Result<similar::Subjects> read_titles(storage::FileSystem& fs, const std::string& path,
                                      uint32_t documents,
                                      const std::function<std::string_view(uint32_t id)>& name_of,
                                      const std::function<uint64_t(uint32_t id)>& text_of);

}  // namespace kith::jobs
