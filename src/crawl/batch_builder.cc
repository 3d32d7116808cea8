#include "crawl/batch_builder.h"

#include <fmt/format.h>

#include "base/ascii.h"

namespace kith::crawl {
namespace {

constexpr size_t kBatchBytes = 1u << 20;
constexpr size_t kBatchPages = 4096;
constexpr size_t kShownUrl = 200;

}  // namespace

bool BatchBuilder::full() const {
  return raw_.used() >= kBatchBytes || drafts_.size() >= kBatchPages;
}

void BatchBuilder::skip(Skip kind, Place place, std::string_view reason) {
  tally_.skip(kind, {sequence_, next_rank_++}, place, reason);
}

void BatchBuilder::offer(Draft draft, size_t begin) {
  const std::string_view url = raw_.view(draft.url);
  canonical_.clear();
  Admission admission = Admission::accept;
  if (admit_) {
    admission = admit_(url, canonical_);
  } else {
    canonical_ = url;
  }
  if (admission == Admission::accept) {
    draft.url = raw_.append(canonical_);
    draft.rank = {sequence_, next_rank_++};
    drafts_.push_back(draft);
    return;
  }
  if (admission == Admission::duplicate) {
    skip(Skip::duplicate, draft.place, "");
  } else {
    skip(Skip::bad_url, draft.place,
         fmt::format("no absolute http(s) URL: {}", url.substr(0, kShownUrl)));
  }
  raw_.cut_back(begin);
}

std::optional<PageKind> page_kind(std::string_view essence) {
  if (equals_ignoring_case(essence, "text/html") ||
      equals_ignoring_case(essence, "application/xhtml+xml")) {
    return PageKind::html;
  }
  if (equals_ignoring_case(essence, "text/plain")) return PageKind::text;
  return std::nullopt;
}

bool begins_with_markup(std::string_view body) {
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  return trim(body.substr(0, 1024)).starts_with('<');
}

}  // namespace kith::crawl
