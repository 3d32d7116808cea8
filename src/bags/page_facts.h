// What is kept of a page beside its words, in a byte: urls.kith has one for every URL.
#pragma once

#include <cstdint>

#include "text/words/language.h"

namespace kith::bags {

// A URL that was not fetched has none: the byte is 0.
struct PageFacts {
  text::Language language = text::Language::other;
  bool is_list = false;  // most of its words are those of links: an index, a site map
};

inline constexpr uint8_t max_page_facts = 2 * static_cast<uint8_t>(text::Language::other) + 2;

constexpr uint8_t byte_of(const PageFacts& facts) {
  return static_cast<uint8_t>(1 + 2 * static_cast<uint8_t>(facts.language) + facts.is_list);
}

// REQUIRES: 0 < byte <= max_page_facts.
constexpr PageFacts facts_of(uint8_t byte) {
  return {static_cast<text::Language>((byte - 1) / 2), (byte - 1) % 2 == 1};
}

}  // namespace kith::bags
