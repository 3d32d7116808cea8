// The items in one document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "jobs/contaminated/item_index.h"
#include "jobs/contaminated/token_ids.h"

namespace kith::jobs {

// A text of an item in a document.
struct FoundText {
  uint32_t text = 0;     // of TestSets::texts
  uint32_t matched = 0;  // of its shingles that count; where it is found as a whole, 1
  // The passage: tokens of the document.
  size_t begin = 0;
  size_t end = 0;
};

// One worker's; its buffers are reused. Not thread-safe.
class DocumentScan {
 public:
  // The index outlives the object.
  explicit DocumentScan(const ItemIndex& index) : index_(index) {}

  // The texts of items in a document, ascending, each once: with the passage that has the most of
  // its shingles, of several the first. document: valid UTF-8, shorter than 4 GiB, until the next
  // call.
  std::span<const FoundText> find(std::string_view document);

  // A passage of the last document, up to so many tokens before and after it, without what only
  // separates them.
  std::string_view passage(const FoundText& found) const;
  std::string_view before(const FoundText& found, size_t tokens) const;
  std::string_view after(const FoundText& found, size_t tokens) const;

  // Frees what a large document took.
  void forget_buffers();

 private:
  // A shingle of a text, or all of a text that is found as a whole, at a token of the document.
  struct Match {
    uint32_t text;
    uint32_t position;  // in the text
    uint32_t count;     // how often the text has it
    uint32_t width;
    size_t at;
  };

  void find_matches();
  bool has_tokens(std::span<const uint32_t> ids, size_t at) const;
  void add_text(std::span<Match> matches);
  FoundText best_passage(std::span<const Match> matches);
  std::span<Match> verified(std::span<Match> matches);
  std::string_view tokens(size_t begin, size_t end) const;

  const ItemIndex& index_;
  std::string_view document_;
  TokenHashes hashes_;
  std::optional<TokenTexts> words_;  // of the document, once they are needed
  std::vector<Match> matches_;
  std::vector<uint32_t> inside_;  // by position in the text: how often it is in the window
  std::vector<FoundText> found_;
};

}  // namespace kith::jobs
