// The titles of documents, by which copies are told from other pages of a template
// (docs/algorithms/near-duplicates.md, "Titles").
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "storage/file_system.h"
#include "storage/section_file.h"
#include "text/words/words.h"

namespace kith::pipeline {

inline constexpr storage::FileKind titles_kind{"ttlw", 1};

// Hashes of the words of a title, in their order and lower case; further words do not count.
inline constexpr size_t max_title_words = 64;
void read_title(std::string_view title, text::WordSplitter& splitter, std::vector<uint32_t>& words);

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

// Reads a titles file into a key per document: equal for titles of the same words but for those
// that nine tenths of the titles of a document's host have, where it has eight pages or more. 0: no
// title, or nothing is left of it. name_of: of a document, by its number; hosts are those of http
// and https URLs.
Result<std::vector<uint64_t>> read_title_keys(
    storage::FileSystem& fs, const std::string& path, uint32_t documents,
    const std::function<std::string_view(uint32_t id)>& name_of);

// Whether two documents have titles, and other ones.
inline bool titles_differ(uint64_t a, uint64_t b) {
  return a != 0 && b != 0 && a != b;
}

}  // namespace kith::pipeline
