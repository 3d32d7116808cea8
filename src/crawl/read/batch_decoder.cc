#include "crawl/read/batch_decoder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/json_walk.h"
#include "crawl/read/http.h"
#include "crawl/read/json_line.h"
#include "crawl/read/payload.h"

namespace kith::crawl {

std::string_view skip_name(Skip kind) {
  return word_of(kind, {"other_record", "status", "media_type", "bad_url", "duplicate", "joined",
                        "revisit", "damaged", "empty", "filtered", "pdf", "image", "archive",
                        "font", "media", "executable", "binary"});
}

void Tally::skip(Skip kind, Rank rank, Place place, std::string_view reason) {
  ++counts.skipped[static_cast<size_t>(kind)];
  if (kind != Skip::damaged && kind != Skip::bad_url) return;
  size_t earlier = 0;
  for (const Ranked& kept : examples_) {
    earlier += kept.example.kind == kind && kept.rank < rank ? 1 : 0;
  }
  if (earlier >= kExamples) return;
  keep({rank, {kind, *place.file, place.file_number, place.offset, std::string(reason)}});
}

void Tally::keep(Ranked example) {
  const Skip kind = example.example.kind;
  const auto at = std::ranges::upper_bound(examples_, example.rank, {}, &Ranked::rank);
  examples_.insert(at, std::move(example));
  size_t seen = 0;
  const auto surplus = std::ranges::find_if(examples_, [&](const Ranked& kept) {
    return kept.example.kind == kind && ++seen > kExamples;
  });
  if (surplus != examples_.end()) examples_.erase(surplus);
}

void Tally::merge(const Tally& other) {
  counts += other.counts;
  for (size_t kind = 0; kind < std::size(counts.skipped); ++kind) {
    counts.skipped[kind] += other.counts.skipped[kind];
  }
  for (const Ranked& example : other.examples_) keep(example);
  for (size_t i = 0; i < fields_.size(); ++i) fields_[i] += other.fields_[i];
  counts.rows.without_text += other.counts.rows.without_text;
  if (other.seen_at_ && (!seen_at_ || *other.seen_at_ < *seen_at_)) {
    seen_at_ = other.seen_at_;
    counts.rows.seen = other.counts.rows.seen;
  }
}

const SkipExample* Tally::first_damage() const {
  const auto damaged = std::ranges::find_if(
      examples_, [](const Ranked& kept) { return kept.example.kind == Skip::damaged; });
  return damaged == examples_.end() ? nullptr : &damaged->example;
}

CrawlReport Tally::report(const RowFields& fields) const {
  CrawlReport report = counts;
  for (const Ranked& kept : examples_) report.examples.push_back(kept.example);
  for (size_t i = 0; i < fields.all().size(); ++i) {
    const RowFields::Field& field = fields.all()[i];
    if (fields_[i] == 0) continue;
    report.rows.fields.push_back({std::string(row_part_name(field.part)), field.name, fields_[i]});
  }
  if (fields_.back() > 0) report.rows.fields.push_back({"place", "", fields_.back()});
  return report;
}

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

namespace {

constexpr size_t kShownUrl = 200;

}  // namespace

void BatchDecoder::decode() {
  finished_.reserve(drafts_.size());
  for (Draft& draft : drafts_) {
    const size_t used = decoded_.used();
    const size_t before = finished_.size();
    decode_draft(draft);
    if (finished_.size() == before || finished_.back().in_raw || used < rules_.decoded_bytes)
      continue;
    finished_.back().tried_only = true;
    decoded_.cut_back(used);
  }
}

void BatchDecoder::decode_draft(Draft& draft) {
  switch (draft.form) {
    case BodyForm::bare:
      return finish_payload(draft, {.body = draft.body, .in_source = true});
    case BodyForm::http:
      return decode_http(draft);
    case BodyForm::json:
      return decode_json(draft);
    case BodyForm::cell:
      return decode_cell(draft);
    case BodyForm::wat:
      return decode_wat(draft);
    case BodyForm::none:
      if (draft.kind == PageKind::redirect) return pass_redirect(draft);
      return keep(draft, {}, {}, true);
  }
}

void BatchDecoder::decode_http(Draft& draft) {
  bool ends_early = false;
  if (draft.chunked) {
    const Dechunked chunks = dechunk(raw_.bytes(draft.body));
    draft.body.size = chunks.size;
    draft.chunked = false;  // in place, so it can be done once only
    ends_early = !chunks.complete;
  }
  const uint64_t max_page = rules_.max_page;
  DecodedBody body =
      tools_.payloads.decode(raw_.view(draft.codings), raw_, draft.body, max_page, decoded_);
  if (*body.problem != '\0') return skip(draft, Skip::damaged, body.problem);
  if (body.body.size > max_page) {
    body.body.size = max_page;
    body.cut = true;
  }
  // What the reader kept only a part of ends early for that reason.
  body.short_ = (body.short_ || ends_early) && !draft.cut;
  finish_payload(draft, body);
}

// A payload without its codings. Bytes of gzip are unpacked whatever the head says; what is no text
// then is no page.
void BatchDecoder::finish_payload(Draft& draft, DecodedBody body) {
  const auto bytes_of = [&](const DecodedBody& of) {
    return (of.in_source ? raw_ : decoded_).view(of.body);
  };
  constexpr int most = 2;  // servers pack what is packed
  for (int i = 0; i < most && begins_with_gzip(bytes_of(body)); ++i) {
    // What lies in decoded_ would move while it is unpacked to there.
    std::string packed(body.in_source ? std::string_view() : bytes_of(body));
    Arena moved(packed);
    DecodedBody unpacked = tools_.payloads.decode(
        "gzip", body.in_source ? raw_ : moved, body.in_source ? body.body : Slice{0, packed.size()},
        rules_.max_page, decoded_);
    if (*unpacked.problem != '\0' || unpacked.body.size == 0) break;
    unpacked.short_ = unpacked.short_ || body.short_;
    unpacked.cut = unpacked.cut || body.cut;
    body = unpacked;
  }
  if (const std::optional<Skip> binary = sniff_binary(bytes_of(body)))
    return skip(draft, *binary, "");
  if (draft.untyped && !begins_with_markup(bytes_of(body))) {
    return skip(draft, Skip::media_type, "");
  }
  finish(draft, draft.title, body);
}

void BatchDecoder::decode_json(Draft& draft) {
  Slice title;
  const auto read_title = [&] {
    if (draft.title.size == 0) return;
    title = unescape_json_in_place(raw_, draft.title).value_or(Slice{});
    title.size = cut_utf8(raw_.view(title), kLongestTitle).size();
  };
  const bool title_first = draft.title.offset < draft.body.offset;
  if (title_first) read_title();
  const std::optional<Slice> text = unescape_json_in_place(raw_, draft.body);
  if (!title_first) read_title();
  if (!text) {
    return skip(draft, Skip::damaged,
                fmt::format("line {}: a string with a wrong escape", draft.record + 1));
  }
  DecodedBody body{.body = *text, .in_source = true};
  body.body.size = cut_utf8(raw_.view(*text), rules_.max_page).size();
  body.cut = body.body.size < text->size;
  finish(draft, title, body);
}

void BatchDecoder::decode_cell(Draft& draft) {
  const std::string_view all = raw_.view(draft.body);
  DecodedBody body{.body = draft.body, .in_source = true};
  body.body.size = cut_utf8(all, rules_.max_page).size();
  body.cut = body.body.size < all.size();
  if (draft.charset.size == 0 && simdjson::validate_utf8(all.data(), all.size())) {
    draft.charset = raw_.append("utf-8");
  }
  Slice title = draft.title;
  title.size = cut_utf8(raw_.view(title), kLongestTitle).size();
  finish(draft, title, body);
}

// The rules of HTTP responses, on what the record tells of one.
void BatchDecoder::decode_wat(Draft& draft) {
  const WatHead head = tools_.wat.parse(raw_.view(draft.body), max_json_values(rules_.max_page));
  if (*head.problem != '\0') return skip(draft, Skip::damaged, head.problem);
  if (!head.is_response) return skip(draft, Skip::other_record, "");
  draft.status = head.status;
  draft.media_type = raw_.append(parse_media_type(head.content_type).essence);
  if (!rules_.status.contains(head.status == 0 ? 200 : head.status)) {
    if (!is_redirect(head.status) || head.location.empty()) return skip(draft, Skip::status, "");
    draft.location = raw_.append(head.location);
    return pass_redirect(draft);
  }
  if (!head.has_html) return skip(draft, Skip::media_type, "");
  finish(draft, draft.title, {.body = draft.body, .in_source = true});
}

void BatchDecoder::pass_redirect(Draft& draft) {
  draft.kind = PageKind::redirect;
  skip(draft, draft.is_revisit ? Skip::revisit : Skip::status, "");
  tally_.counts.redirects += draft.is_revisit ? 0 : 1;
  keep(draft, {}, {}, true);
}

void BatchDecoder::finish(Draft& draft, Slice title, DecodedBody body) {
  // A first capture of white space only must not hide a full one.
  const bool is_blank = trim((body.in_source ? raw_ : decoded_).view(body.body)).empty();
  const bool is_dropped = body.body.size == 0 ? !rules_.keeps_empty() : !rules_.nameless;
  if (is_blank && is_dropped) return skip(draft, Skip::empty, "");
  // Until the page is admitted, only the draft knows.
  draft.cut |= body.cut;
  draft.ends_early |= body.short_;
  keep(draft, title, body.body, body.in_source);
}

// Notes what could be decoded, unless it is not wanted. A redirect is counted by its status.
void BatchDecoder::keep(Draft& draft, Slice title, Slice body, bool in_raw) {
  finished_.push_back({&draft, title, body, in_raw});
  if (!rules_.filter || rules_.filter(page_of(finished_.back()))) return;
  finished_.pop_back();
  if (draft.kind != PageKind::redirect) skip(draft, Skip::filtered, "");
}

bool BatchDecoder::is_admitted(Draft& draft, const Admit& admit) {
  if (draft.kind == PageKind::redirect || !admit) return true;
  const std::string_view url = raw_.view(draft.url);
  canonical_.clear();
  switch (admit(url, draft.time, draft.is_name, canonical_)) {
    case Admission::accept:
      if (url != canonical_) draft.spelled = draft.url;
      draft.url = raw_.append(canonical_);
      return true;
    case Admission::joined:
      skip(draft, Skip::joined, "");
      return false;
    case Admission::duplicate:
      skip(draft, Skip::duplicate, "");
      return false;
    case Admission::bad_url:
      skip(draft, Skip::bad_url,
           fmt::format("{}: {}",
                       draft.is_name ? "an id that is too long" : "no absolute http(s) URL",
                       url.substr(0, kShownUrl)));
      return false;
  }
  return false;
}

Page BatchDecoder::page_of(const Finished& finished) const {
  const Draft& draft = *finished.draft;
  Page page;
  page.url = raw_.view(draft.url);
  page.spelled = raw_.view(draft.spelled);
  page.kind = draft.kind;
  page.charset =
      draft.form == BodyForm::json ? std::string_view("utf-8") : raw_.view(draft.charset);
  page.title = raw_.view(finished.title);
  page.body = (finished.in_raw ? raw_ : decoded_).view(finished.body);
  page.row_head = raw_.view(draft.row_head);
  page.row_tail = raw_.view(draft.row_tail);
  page.media_type = raw_.view(draft.media_type);
  page.location = raw_.view(draft.location);
  page.is_revisit = draft.is_revisit;
  page.digest = raw_.view(draft.digest);
  page.extras = raw_.view(draft.extras);
  page.status = draft.status;
  page.is_cut = draft.cut;
  page.ends_early = draft.ends_early;
  page.file = draft.place.file_number;
  page.offset = draft.place.offset;
  page.length = draft.length;
  page.record = draft.record;
  page.time = draft.time;
  return page;
}

void BatchDecoder::admit(const Admit& admit) {
  std::erase_if(finished_, [&](const Finished& page) { return !is_admitted(*page.draft, admit); });
  count_pages();
}

void BatchDecoder::count_pages() {
  for (const Finished& finished : finished_) {
    const Draft& draft = *finished.draft;
    if (draft.kind == PageKind::redirect || draft.kind == PageKind::removal) continue;
    ++tally_.counts.pages;
    tally_.counts.page_bytes += finished.body.size;
    tally_.counts.cut_pages += draft.cut ? 1 : 0;
    tally_.counts.short_pages += draft.ends_early ? 1 : 0;
  }
}

// Puts back the bytes of a page that has been tried.
void BatchDecoder::decode_again(size_t page) {
  const size_t size = finished_.size();
  decode_draft(*finished_[page].draft);
  KITH_CHECK(finished_.size() == size + 1);
  finished_[page] = finished_.back();
  finished_.pop_back();
}

bool BatchDecoder::hand_out() {
  batch_.pages.clear();
  const bool is_first = !std::exchange(has_handed_out_, true);
  if (!is_first) decoded_.cut_back(0);
  const size_t begin = handed_out_;
  for (; handed_out_ < finished_.size(); ++handed_out_) {
    if (!finished_[handed_out_].tried_only) continue;
    if (is_first || decoded_.used() >= rules_.decoded_bytes) break;
    decode_again(handed_out_);
  }
  // Views are taken when the buffers have stopped moving.
  for (size_t i = begin; i < handed_out_; ++i) batch_.pages.push_back(page_of(finished_[i]));
  return handed_out_ < finished_.size();
}

}  // namespace kith::crawl
