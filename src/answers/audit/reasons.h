// Why pages of one text, or of one template, are no content: weighted rules. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/audit.h"

#include "answers/audit/page_facts.h"

namespace kith::answers {

// What pages have in common, by shares of them.
struct Traits {
  uint64_t pages = 0;
  uint64_t hosts = 0;
  uint64_t patterns = 0;    // of their addresses
  double same_text = 0;     // that have the most frequent text
  double same_media = 0;    // that have the most frequent images
  double whole_hosts = 0;   // of the pages of their hosts: these
  double words = 0;         // the mean
  double prose_words = 0;   // the mean
  double shown_words = 0;   // the mean of those outside of <noscript>
  double hidden_words = 0;  // the mean of those inside
  double prose_spread = 0;  // from the fewest words of prose to the most
  double numbers = 0;       // the mean
  double links = 0;         // the mean
  double calendars = 0;     // that count 28 days or more
  double dates = 0;         // with a date in their address
  double echoes = 0;        // that repeat their address
  double names_host = 0;    // that name their host
  double slugs = 0;         // whose address has words
  double agrees = 0;        // of these: whose text has them
  double scripts = 0;       // that have some
  double forms = 0;         // likewise
  double passwords = 0;     // that ask for one
  double captchas = 0;
  double noindex = 0;
  double refreshes = 0;
  double repeats = 0;  // whose path repeats a part
  std::array<double, claim_count> title_claims = {};
  std::array<double, claim_count> body_claims = {};
};
// pages_of_hosts: how many pages all hosts of these pages have.
Traits traits_of(std::span<const PageFacts* const> pages, uint64_t pages_of_hosts);

struct Verdict {
  NoContent kind = NoContent::soft_404;
  double score = 0;
  std::vector<std::string> reasons;  // the weightiest first
};
// Of pages that say the same, or have one template: the kind of the highest score.
Verdict judge(const Traits& traits);
// Of pages that differ in dates and numbers alone.
Verdict judge_calendar(const Traits& traits);

}  // namespace kith::answers
