// Collects the pages of one batch while the input is read, before their payloads are decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawl/arena.h"
#include "crawl/page.h"
#include "crawl/page_reader.h"
#include "crawl/tally.h"

namespace kith::crawl {

// How a draft's body is stored.
enum class BodyForm : uint8_t {
  bare,  // as it is
  http,  // perhaps in chunks, perhaps with content codings
  json,  // a JSON string behind its opening quote, the closing quote included
};

// A page whose payload is still as the record held it. All slices are of PageBatch::raw.
struct Draft {
  Slice url;  // as spelled, until the page is admitted; then canonical
  Slice charset;
  Slice codings;  // the Content-Encoding
  Slice title;    // in JSON form
  Slice body;
  PageKind kind = PageKind::html;
  BodyForm form = BodyForm::bare;
  bool chunked = false;
  bool untyped = false;  // no media type: HTML if the body begins with markup
  bool cut = false;      // the record was longer than what is kept of it
  Place place;
  Rank rank;
};

// Used under the reader's lock.
class BatchBuilder {
 public:
  BatchBuilder(PageBatch& batch, uint64_t max_page, const Admit& admit, Tally& tally)
      : raw_(batch.raw),
        sequence_(batch.sequence),
        max_page_(max_page),
        admit_(admit),
        tally_(tally) {}

  // Where readers put the bytes of a page, beginning at raw().used() as it was before.
  Arena& raw() { return raw_; }
  uint64_t max_page() const { return max_page_; }
  // True when the batch holds about a megabyte.
  bool full() const;

  void count_record() { ++tally_.counts.records; }
  void skip(Skip kind, Place place, std::string_view reason);

  // Gives the complete page to the Admit callback; what is not accepted is counted, and
  // raw() cut back to `begin`.
  void offer(Draft draft, size_t begin);

  std::vector<Draft>& drafts() { return drafts_; }

 private:
  Arena raw_;
  const uint64_t sequence_;
  const uint64_t max_page_;
  const Admit& admit_;
  Tally& tally_;
  uint64_t next_rank_ = 0;
  std::vector<Draft> drafts_;
  std::string canonical_;
};

// What a body with the media type `essence` is; nothing when it is no page.
std::optional<PageKind> page_kind(std::string_view essence);

// True when the bytes begin with "<" behind blanks and a byte-order mark.
bool begins_with_markup(std::string_view body);

}  // namespace kith::crawl
