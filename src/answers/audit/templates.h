// What all pages of a host have, such as menus and sidebars, is not what a page says. Pure.
#pragma once

#include <vector>

#include "answers/audit/page_facts.h"

namespace kith::answers {

// Takes the blocks that stand in half of the different texts of a host, of four at least, out of
// prose, prose_words and body_claims of its pages, and sets `agrees`. Texts count once, however
// many pages have them: else what an error page says were a template where errors are many. Linear
// in the blocks.
void leave_out_templates(std::vector<PageFacts>& pages);

}  // namespace kith::answers
