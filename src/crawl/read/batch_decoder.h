// The pages of one batch: collected while the input is read, then decoded, and what was read and
// skipped counted, with the first examples whatever the thread order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl/read/http.h"
#include "crawl/read/page.h"
#include "crawl/read/page_reader.h"
#include "crawl/read/payload.h"
#include "crawl/read/wacz.h"

namespace kith::crawl {

// Where a record lies: its file, and there as SkipExample::offset says.
struct Place {
  const std::string* file = nullptr;
  uint64_t offset = 0;
  uint32_t file_number = 0;  // see Page::file; the batch sets it
};

// The position of a record in the order of the input: its batch, and its number there.
struct Rank {
  uint64_t batch = 0;
  uint64_t record = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Not thread-safe: each thread fills its own and merges it under a lock. The merged examples do
// not depend on the order of the merges.
class Tally {
 public:
  // Examples kept of each kind that has any.
  static constexpr size_t kExamples = 10;

  CrawlReport counts;  // its examples are left empty: see report()

  // By which field a row was read.
  void count_field(uint8_t field) { ++fields_[field]; }
  // Counts a row without text, whose fields seen() returns.
  template <class Seen>
  void count_without_text(Rank rank, const Seen& seen) {
    ++counts.rows.without_text;
    if (!seen_at_ || rank < *seen_at_) counts.rows.seen = seen();
    seen_at_ = std::min(rank, seen_at_.value_or(rank));
  }

  // Counts a skip; `reason` is kept when the kind is damaged or bad_url and few came before.
  void skip(Skip kind, Rank rank, Place place, std::string_view reason);

  void merge(const Tally& other);

  // The first damaged record among the examples; nullptr when there is none.
  const SkipExample* first_damage() const;

  // The counts with the first examples, in the order of the input.
  CrawlReport report(const RowFields& fields) const;

 private:
  struct Ranked {
    Rank rank;
    SkipExample example;
  };
  void keep(Ranked example);

  std::vector<Ranked> examples_;  // sorted by rank
  FieldCounts fields_{};
  std::optional<Rank> seen_at_;  // the row of counts.rows.seen
};

// Collects the pages of one batch while the input is read, before their payloads are decoded.

// How a draft's body is stored.
enum class BodyForm : uint8_t {
  bare,  // as it is
  http,  // perhaps in chunks, perhaps with content codings
  json,  // a JSON string behind its opening quote, the closing quote included
  cell,  // of a row of CSV or a table: as it is, and so is its title
  wat,   // the JSON object of a WAT record, kJsonPadding readable bytes behind it
  none,  // there is none: a redirect, a removal, a document without text
};

// A page whose payload is still as the record held it. All slices are of PageBatch::raw.
struct Draft {
  Slice url;      // as spelled, until the page is admitted; then canonical
  Slice spelled;  // see Page::spelled
  Slice charset;
  Slice media_type;
  Slice codings;   // the Content-Encoding
  Slice location;  // of a redirect
  bool is_revisit = false;
  Slice digest;
  Slice extras;    // see Page::extras
  Slice title;     // of a JSON line in JSON form; else as it is
  Slice row_head;  // see Page::row_head
  Slice row_tail;
  Slice body;
  uint16_t status = 0;
  PageKind kind = PageKind::html;
  BodyForm form = BodyForm::bare;
  bool chunked = false;
  bool is_name = false;     // `url` names a row that has no URL
  bool untyped = false;     // no media type: HTML if the body begins with markup
  bool cut = false;         // longer than what is kept of it
  bool is_part = false;     // the record says that it holds a part of it
  bool ends_early = false;  // its chunks or coded bytes do, or its record with the file
  Place place;
  uint64_t record = 0;     // see Page::record
  uint64_t length = 0;     // see Page::length
  int64_t time = no_time;  // see Page::time
  Rank rank;
};

// Which records become pages, and how much of them.
struct RecordRules {
  uint64_t max_page = 8u << 20;  // bytes
  StatusSet status;
  uint64_t decoded_bytes = 16u << 20;            // see CrawlOptions::decoded_bytes
  bool strict = false;                           // damage ends the batch
  bool nameless = false;                         // see CrawlOptions::nameless
  bool notes = false;                            // see CrawlOptions::notes
  bool rows = false;                             // see CrawlOptions::rows
  std::function<bool(const Page&)> filter = {};  // see CrawlOptions::filter
  // Documents without text are documents: a list of what to keep has them.
  bool keeps_empty() const { return nameless && !notes; }
};

// Used under the reader's lock.
class BatchBuilder {
 public:
  // All outlive the builder.
  BatchBuilder(PageBatch& batch, const RecordRules& rules, Tally& tally)
      : raw_(batch.raw), sequence_(batch.sequence), rules_(rules), tally_(tally) {}

  // Where readers put the bytes of a page.
  Arena& raw() { return raw_; }
  const RecordRules& rules() const { return rules_; }
  uint64_t max_page() const { return rules_.max_page; }
  // True when the batch holds about a megabyte, or must end at damage.
  bool full() const;
  bool ends_at_damage() const;

  // What comes next is of the file of this number (Page::file); `titles` are those of its
  // container.
  void begin_file(uint32_t number, const PageTitles& titles) {
    file_ = number;
    titles_ = &titles;
  }
  // Empty where the container gives none.
  std::string_view title_of(std::string_view url) const {
    return titles_ == nullptr ? std::string_view() : titles_->find(url);
  }

  void count_record() { ++tally_.counts.records; }
  void count_field(uint8_t field) { tally_.count_field(field); }
  template <class Seen>
  void count_without_text(const Seen& seen) {
    tally_.count_without_text({sequence_, next_rank_}, seen);
  }
  void count_bare_response() { ++tally_.counts.bare_responses; }
  void count_mended_line() { ++tally_.counts.mended_lines; }
  void skip(Skip kind, Place place, std::string_view reason);

  // Takes a complete page.
  void offer(Draft draft);

  // Nothing more is added: what follows is not at hand.
  void end() { is_ended_ = true; }

  std::vector<Draft>& drafts() { return drafts_; }

 private:
  Arena raw_;
  const uint64_t sequence_;
  const RecordRules& rules_;
  Tally& tally_;
  uint64_t next_rank_ = 0;
  uint32_t file_ = 0;
  const PageTitles* titles_ = nullptr;
  bool is_ended_ = false;
  std::vector<Draft> drafts_;
};

// What a body with the media type `essence` is; nothing when it is no page.
std::optional<PageKind> page_kind(std::string_view essence);

// True when a response of this status is a redirect, if it names a location (RFC 9110, 15.4).
bool is_redirect(unsigned status);

// True when the bytes begin with "<" behind blanks and a byte-order mark.
bool begins_with_markup(std::string_view body);

// The second half of reading a batch: drafts become pages.

// What decoding needs and keeps from batch to batch: one for each thread.
struct DecoderTools {
  PayloadDecoder payloads;
  WatHeadParser wat;
};

class BatchDecoder {
 public:
  // `builder` has read the drafts of `batch`; what fails is counted in `tally`. All outlive the
  // decoder.
  BatchDecoder(BatchBuilder& builder, DecoderTools& tools, PageBatch& batch, Tally& tally)
      : raw_(builder.raw()),
        drafts_(builder.drafts()),
        rules_(builder.rules()),
        decoded_(batch.decoded),
        tools_(tools),
        batch_(batch),
        tally_(tally) {}

  // Decodes the payloads into batch.decoded. Needs no lock. When they have filled it with
  // rules.decoded_bytes, the further ones are only tried: they are decoded again for their own
  // part.
  void decode();

  // Drops the pages that `admit` does not accept. To be called once, behind decode(), and for one
  // batch after the other.
  void admit(const Admit& admit);

  // Fills batch.pages with the next part, perhaps an empty one; false when it is the last.
  bool hand_out();

 private:
  // A page that could be decoded.
  struct Finished {
    Draft* draft;
    Slice title;
    Slice body;
    bool in_raw;
    bool tried_only = false;  // title and body are gone
  };

  void decode_draft(Draft& draft);
  void decode_http(Draft& draft);
  void finish_payload(Draft& draft, DecodedBody body);
  void decode_json(Draft& draft);
  void decode_cell(Draft& draft);
  void decode_wat(Draft& draft);
  void pass_redirect(Draft& draft);
  void finish(Draft& draft, Slice title, DecodedBody body);
  void keep(Draft& draft, Slice title, Slice body, bool in_raw);
  bool is_admitted(Draft& draft, const Admit& admit);
  void count_pages();
  void decode_again(size_t page);
  Page page_of(const Finished& finished) const;
  void skip(const Draft& draft, Skip kind, std::string_view reason) {
    tally_.skip(kind, draft.rank, draft.place, reason);
  }

  Arena& raw_;
  std::vector<Draft>& drafts_;
  const RecordRules& rules_;
  Arena decoded_;
  DecoderTools& tools_;
  PageBatch& batch_;
  Tally& tally_;
  std::vector<Finished> finished_;
  bool has_handed_out_ = false;
  size_t handed_out_ = 0;  // of finished_
  std::string canonical_;
};

}  // namespace kith::crawl
