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
#include "text/words/cuts.h"

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
  // The index outlives the object. makes_cuts: for cuts().
  explicit DocumentScan(const ItemIndex& index, bool makes_cuts = false)
      : index_(index),
        makes_cuts_(makes_cuts),
        counts_(index.sets().texts.size()),
        next_(index.sets().texts.size(), not_now) {}

  // What one takes whatever the documents are, for each text of the index; and at most for a byte
  // of a document: of words of one letter hashes, places, the words themselves and matches, and for
  // each width a hit.
  static constexpr uint64_t bytes_of_text = 2 * sizeof(uint32_t);
  static uint64_t bytes_of_document_byte(const ItemIndex& index) {
    return 6 + 5 + 8 + 4 * index.widths().size();
  }

  // The texts of items in a document, ascending, each once: with the passage that has the most of
  // its shingles, of several the first. document: valid UTF-8, shorter than 4 GiB, until the next
  // call.
  std::span<const FoundText> find(std::string_view document);

  // A passage of the last document, up to so many tokens before and after it, without what only
  // separates them.
  std::string_view passage(const FoundText& found) const;
  std::string_view before(const FoundText& found, size_t tokens) const;
  std::string_view after(const FoundText& found, size_t tokens) const;

  // The parts of the last document that are cut out, in order and apart: of the texts that were
  // found every shortest passage with as many shingles as are needed, to where the next word
  // begins. REQUIRES: makes_cuts.
  std::span<const text::ByteRange> cuts();

  // Frees what a large document took.
  void forget_buffers();

 private:
  // A shingle of the document that has postings.
  struct Hit {
    uint32_t posting;  // the first
    uint32_t at;       // its first token in the document
  };
  // A shingle of a text, or all of one that is found as a whole, at a token of the document.
  struct Match {
    uint32_t at;
    uint32_t position;  // in the text
    uint32_t count;     // how often the text has it
    uint32_t width;
  };

  struct Whole {
    uint32_t text;
    Match match;
  };

  void find_hits();
  void find_whole(std::span<const Posting> postings, uint32_t at);
  void find_matches(std::span<const uint32_t> texts);
  template <class Take>
  void for_each_match(const Take& take) const;
  bool has_tokens(std::span<const uint32_t> ids, size_t at) const;
  void add_text(uint32_t text, std::span<Match> matches);
  void find_whole_texts();
  template <class Take>
  void for_each_passage(uint32_t text, std::span<const Match> matches, uint32_t most,
                        const Take& take);
  FoundText best_passage(uint32_t text, std::span<const Match> matches);
  void add_cuts(uint32_t text, std::span<const Match> matches, uint32_t needed);
  std::span<Match> verified(uint32_t text, std::span<Match> matches);
  std::string_view tokens(size_t begin, size_t end) const;

  static constexpr uint32_t not_now = UINT32_MAX;  // a text whose matches are not looked for now

  const ItemIndex& index_;
  const bool makes_cuts_;
  std::string_view document_;
  TokenHashes hashes_;
  std::optional<TokenTexts> words_;  // of the document, once they are needed
  std::vector<Hit> hits_;            // by width and place
  std::vector<Whole> whole_;
  std::vector<size_t> hit_ends_;  // of each width
  std::vector<uint32_t> counts_;  // of each text its matches in the document
  std::vector<uint32_t> next_;    // of each text where its next match goes; or not_now
  std::vector<uint32_t> texts_;   // that have enough matches
  std::vector<Match> matches_;    // of some texts, by text and place
  std::vector<uint32_t> inside_;  // by position in the text: how often it is in the window
  std::vector<FoundText> found_;
  std::vector<text::ByteRange> cuts_;
};

}  // namespace kith::jobs
