// Words by which pages that are no content say so, in many languages: one kind of evidence among
// several, whose table is cues.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

namespace kith::answers {

// What a page may say of itself.
enum class Claim : uint8_t {
  missing,    // what was asked for is not there, or the server has failed
  failed,     // likewise in words that also have other uses
  nothing,    // a list or a search has no entries
  login,      // only those who are logged in may go on
  consent,    // cookies or an age are to be confirmed first
  robots,     // the visitor is to prove to be no robot, or is turned away
  for_sale,   // the host is for sale, parked, or not set up yet
  scripts,    // nothing is shown without scripts
  elsewhere,  // the page is at another address
  count_,
};
inline constexpr size_t claim_count = static_cast<size_t>(Claim::count_);

// Where a claim was found.
struct Claims {
  std::array<bool, claim_count> here = {};

  bool operator[](Claim claim) const { return here[static_cast<size_t>(claim)]; }
  void add(Claim claim) { here[static_cast<size_t>(claim)] = true; }
};

// As bits, and back.
constexpr uint64_t bit_of(Claim claim) {
  return uint64_t{1} << static_cast<size_t>(claim);
}
constexpr uint64_t bits_of(const Claims& claims) {
  uint64_t bits = 0;
  for (size_t i = 0; i < claim_count; ++i) bits |= uint64_t{claims.here[i]} << i;
  return bits;
}
constexpr Claims claims_of(uint64_t bits) {
  Claims claims;
  for (size_t i = 0; i < claim_count; ++i) claims.here[i] = (bits >> i & 1) != 0;
  return claims;
}

// Finds the claims of texts in one pass (Aho and Corasick, Efficient string matching, 1975).
// Immutable, thread-safe.
class CueFinder {
 public:
  // That of the program, made on first use.
  static const CueFinder& instance();

  // folded: tokens with a blank before each and behind the last, none between two of scripts
  // without blanks. is_title: of a title or heading, where half of what makes a claim is enough.
  Claims find(std::string_view folded, bool is_title) const;
  // Calls take(claim, at) where a claim of prose is complete, perhaps often, `at` rising.
  using TakeClaim = std::function<void(Claim claim, size_t at)>;
  void for_each_claim(std::string_view folded, bool is_title, const TakeClaim& take) const;
  // All cues of cue_table.h in it, as bits.
  uint32_t cues_in(std::string_view folded) const;

 private:
  CueFinder();

  struct Node {
    boost::unordered_flat_map<char, uint32_t> next;
    uint32_t fail = 0;
    uint32_t cues = 0;  // bits of those that end here
  };
  void add(std::string_view cue, uint32_t bits);
  void link();
  uint32_t step(uint32_t node, char c) const;

  std::vector<Node> nodes_;
};

// Appends a token to a text for CueFinder. is_unspaced: as Token::unspaced, of this and the last.
void append_folded(std::string_view token, bool is_unspaced, bool was_unspaced,
                   std::string& folded);

}  // namespace kith::answers
