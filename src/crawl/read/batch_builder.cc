#include "crawl/read/batch_builder.h"

#include "base/ascii.h"

namespace kith::crawl {
namespace {

constexpr size_t kBatchBytes = 1u << 20;
constexpr size_t kBatchPages = 4096;

}  // namespace

bool BatchBuilder::full() const {
  return raw_.used() >= kBatchBytes || drafts_.size() >= kBatchPages || is_ended_ ||
         ends_at_damage();
}

bool BatchBuilder::ends_at_damage() const {
  return rules_.strict && tally_.counts.skipped[static_cast<size_t>(Skip::damaged)] > 0;
}

void BatchBuilder::skip(Skip kind, Place place, std::string_view reason) {
  place.file_number = file_;
  tally_.skip(kind, {sequence_, next_rank_++}, place, reason);
}

void BatchBuilder::offer(Draft draft) {
  draft.place.file_number = file_;
  draft.rank = {sequence_, next_rank_++};
  drafts_.push_back(draft);
}

std::optional<PageKind> page_kind(std::string_view essence) {
  if (equals_ignoring_case(essence, "text/html") ||
      equals_ignoring_case(essence, "application/xhtml+xml")) {
    return PageKind::html;
  }
  if (equals_ignoring_case(essence, "text/plain")) return PageKind::text;
  return std::nullopt;
}

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool begins_with_markup(std::string_view body) {
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  return trim(body.substr(0, 1024)).starts_with('<');
}

}  // namespace kith::crawl
