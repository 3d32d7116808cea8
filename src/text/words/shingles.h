// Tokens to shingles (Broder 1997; docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/sort_hashes.h"
#include "text/words/tokens.h"

namespace kith::text {

struct ShingleOptions {
  static constexpr uint32_t max_width = 256;

  TokenOptions tokens;
  uint32_t width = 5;  // tokens of a shingle, in [1, max_width]
  // What the elements of a document are. False: its different shingles. True: its shingles with
  // their numbers, so that the second occurrence of a shingle is an element of its own.
  bool bag = false;
};

// Makes the shingles of documents as hashes of 64 well-mixed bits; two different shingles share
// one with a probability of about 2^-63, and equal ones have equal hashes wherever the options
// are equal. The hashes are fixed for ever.
//
// A document of fewer tokens than the width, but at least one, has one shingle, of all its
// tokens. A document without tokens is blank: it has no shingle, and resembles nothing.
//
// One instance per worker; not thread-safe. What it allocates it keeps for the next document.
class Shingler {
 public:
  // REQUIRES: options.width in range.
  explicit Shingler(const ShingleOptions& options);
  ~Shingler();
  Shingler(Shingler&&) noexcept;
  Shingler& operator=(Shingler&&) noexcept;

  const ShingleOptions& options() const { return options_; }

  // The tokens of `text`, which is shorter than 4 GiB: the room that read() needs at most.
  size_t count_tokens(std::string_view text);
  // Replaces `shingles` by those of `text` in its order, repetitions and all: number k is made
  // of the tokens k to k + width - 1. `text` is shorter than 4 GiB. This is enough for a
  // MinHash of the set, which repetitions do not change.
  void read(std::string_view text, std::vector<uint64_t>& shingles);
  // The same with the byte offset at which token k begins; there are width - 1 more offsets than
  // shingles, or as many as tokens if these are fewer than the width.
  void read(std::string_view text, std::vector<uint64_t>& shingles,
            std::vector<uint32_t>& token_offsets);

  // Makes what read() gave to the elements of the document: ascending, each once; of a bag or a
  // set as the options say.
  void make_elements(std::vector<uint64_t>& shingles);

  // read() and make_elements().
  void elements(std::string_view text, std::vector<uint64_t>& elements);

 private:
  struct Window;

  void read(std::string_view text, std::vector<uint64_t>& shingles,
            std::vector<uint32_t>* token_offsets);

  ShingleOptions options_;
  std::unique_ptr<TokenReader> tokens_;
  std::unique_ptr<Window> window_;
  HashSorter sorter_;
};

// Of a text, by its shingles as read() gives them: equal for the same tokens in the same order,
// else different but for a chance of 2^-63; 0 for a text without any.
uint64_t hash_of_text(std::span<const uint64_t> shingles);

// Removes the elements that are in `common` too, e.g. the shingles that very many documents have
// (Broder et al. 1997). Both ascending, each once. Time grows with the logarithm of what lies in
// `common` between two elements.
void remove_common(std::vector<uint64_t>& elements, std::span<const uint64_t> common);

}  // namespace kith::text
