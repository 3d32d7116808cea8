// Pages that say the same, or have one template: families, and which of them are no content. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/audit.h"

#include "answers/audit/page_facts.h"
#include "answers/audit/reasons.h"

namespace kith::answers {

struct Family {
  Verdict verdict;
  std::vector<uint32_t> pages;  // ascending
  uint32_t stays = UINT32_MAX;  // of a session trap: the page that stays
};

// No page is in two families. In the order of the first pages.
std::vector<Family> find_families(const std::vector<PageFacts>& pages, const AuditOptions& options);

}  // namespace kith::answers
