#include "synthetic/crawl_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"

namespace kith::synthetic {
namespace {

constexpr double head_shift = 2.7;
constexpr double tail_exponent = 1.4;  // tail_rank() has its inverse

constexpr std::string_view consonants = "bcdfghjklmnpqrstvwz";
constexpr std::string_view vowels = "aeiou";
constexpr uint64_t syllables = consonants.size() * vowels.size();

// The most frequent words, so that the pages are English as far as kith can tell: a sixth of a
// text. None of them is spelled as other numbers are.
constexpr std::array<std::string_view, 36> function_words = {
    "the",  "of",   "and",   "in",    "is",  "that", "for",   "it",   "was",
    "with", "as",   "on",    "not",   "his", "but",  "at",    "are",  "this",
    "by",   "from", "or",    "had",   "you", "an",   "which", "were", "their",
    "been", "has",  "would", "there", "all", "she",  "her",   "if",   "they"};

struct Syllable {
  char letters[2];
};

constexpr std::array<Syllable, syllables> make_syllables() {
  std::array<Syllable, syllables> all{};
  for (size_t i = 0; i < syllables; ++i) {
    all[i] = {{consonants[i / vowels.size()], vowels[i % vowels.size()]}};
  }
  return all;
}
constexpr std::array<Syllable, syllables> syllable_table = make_syllables();

Spelling spell_word(std::string_view word) {
  Spelling spelling{{}, static_cast<uint8_t>(word.size())};
  *std::copy(word.begin(), word.end(), spelling.bytes) = ' ';
  return spelling;
}

}  // namespace

// Bijective numeration to base 95, so that no word is another one with a syllable of zero.
Spelling spell_word(uint64_t number) {
  Spelling spelling;
  char* to = spelling.bytes;
  for (uint64_t rest = number + 1; rest > 0; rest = (rest - 1) / syllables) {
    std::memcpy(to, syllable_table[(rest - 1) % syllables].letters, 2);
    to += 2;
  }
  spelling.size = static_cast<uint8_t>(to - spelling.bytes);
  *to = ' ';
  return spelling;
}

// In units of the density 1 / (rank + shift) the tail begins where the head ends, and so has the
// mass begin / (exponent - 1) there.
CrawlWords::CrawlWords() : head_(head_words, 1, head_shift - 0.5) {
  const double head_mass = std::log((head_words + head_shift) / head_shift);
  const double tail_mass = head_words / (head_words + head_shift) / (tail_exponent - 1);
  tail_share_ = tail_mass / (head_mass + tail_mass);
  tail_bits_ = static_cast<uint64_t>(tail_share_ * 0x1p64);
  tail_scale_ = 1 / static_cast<double>(tail_bits_);
  head_stretch_ = static_cast<uint64_t>((1 / (1 - tail_share_) - 1) * 0x1p64);
  spelled_.reserve(head_words);
  for (const std::string_view word : function_words) spelled_.push_back(spell_word(word));
  while (spelled_.size() < head_words) spelled_.push_back(spell_word(spelled_.size()));
}

// P(rank > x) = (x / head_words)^-0.4, so x = head_words u^-2.5, by operations that every
// machine rounds alike. Words of higher ranks than max_words / 2 are drawn evenly from the upper
// half: each is met about once anyway.
uint64_t CrawlWords::tail_rank(uint64_t bits) const {
  const double u = static_cast<double>(bits + 1) * tail_scale_;
  const double x = head_words / (u * u * std::sqrt(u));
  constexpr uint64_t half = max_words / 2;
  if (x < static_cast<double>(half)) return static_cast<uint64_t>(x);
  return half + mix64(bits) % half;
}

double CrawlWords::expected_vocabulary(double draws) const {
  double sum = 0;
  for (uint32_t rank = 0; rank < head_words; ++rank) {
    sum -= std::expm1(draws * std::log1p(-(1 - tail_share_) * head_.share(rank)));
  }
  // The tail in steps of a hundredth of the rank, up to where all words are met once.
  constexpr double step = 1.01;
  for (double x = head_words; x < static_cast<double>(max_words); x *= step) {
    const double middle = x * std::sqrt(step);
    const double p = tail_share_ * (tail_exponent - 1) / head_words *
                     std::pow(middle / head_words, -tail_exponent);
    sum -= x * (step - 1) * std::expm1(-draws * p);
  }
  return sum;
}

}  // namespace kith::synthetic
