#include "crawl/batch_decoder.h"

#include <algorithm>

#include "crawl/json_line.h"

namespace kith::crawl {
namespace {

// A page whose bytes are in place, before the buffers stop moving.
struct Finished {
  const Draft* draft;
  Slice title;
  Slice body;
  bool in_raw;
};

class BatchDecoder {
 public:
  BatchDecoder(Arena& raw, uint64_t max_page, PayloadDecoder& payloads, PageBatch& batch,
               Tally& tally)
      : raw_(raw),
        decoded_(batch.decoded),
        max_page_(max_page),
        payloads_(payloads),
        batch_(batch),
        tally_(tally) {}

  void run(std::vector<Draft>& drafts);

 private:
  void decode_http(Draft& draft);
  void decode_json(const Draft& draft);
  void finish(const Draft& draft, Slice title, DecodedBody body);
  void skip(const Draft& draft, Skip kind, const char* reason) {
    tally_.skip(kind, draft.rank, draft.place, reason);
  }

  Arena& raw_;
  Arena decoded_;
  const uint64_t max_page_;
  PayloadDecoder& payloads_;
  PageBatch& batch_;
  Tally& tally_;
  std::vector<Finished> finished_;
};

void BatchDecoder::run(std::vector<Draft>& drafts) {
  finished_.reserve(drafts.size());
  for (Draft& draft : drafts) {
    switch (draft.form) {
      case BodyForm::bare:
        finish(draft, {}, {.body = draft.body, .in_source = true});
        break;
      case BodyForm::http:
        decode_http(draft);
        break;
      case BodyForm::json:
        decode_json(draft);
        break;
    }
  }
  batch_.pages.clear();
  for (const Finished& page : finished_) {
    const Draft& draft = *page.draft;
    batch_.pages.push_back(
        {raw_.view(draft.url), draft.kind,
         draft.form == BodyForm::json ? std::string_view("utf-8") : raw_.view(draft.charset),
         decoded_.view(page.title), page.in_raw ? raw_.view(page.body) : decoded_.view(page.body)});
    tally_.counts.page_bytes += page.body.size;
  }
  tally_.counts.pages += finished_.size();
}

void BatchDecoder::decode_http(Draft& draft) {
  bool ends_early = false;
  if (draft.chunked) {
    const Dechunked chunks = dechunk(raw_.bytes(draft.body));
    draft.body.size = chunks.size;
    ends_early = !chunks.complete;
  }
  DecodedBody body =
      payloads_.decode(raw_.view(draft.codings), raw_, draft.body, max_page_, decoded_);
  if (*body.problem != '\0') return skip(draft, Skip::damaged, body.problem);
  if (body.body.size > max_page_) {
    body.body.size = max_page_;
    body.cut = true;
  }
  // What the reader kept only a part of ends early for that reason.
  body.short_ = (body.short_ || ends_early) && !draft.cut;
  const Arena& holder = body.in_source ? raw_ : decoded_;
  if (draft.untyped && !begins_with_markup(holder.view(body.body))) {
    return skip(draft, Skip::media_type, "");
  }
  finish(draft, {}, body);
}

void BatchDecoder::decode_json(const Draft& draft) {
  Slice title;
  if (draft.title.size > 0) {
    title = unescape_json(raw_.view(draft.title), decoded_).value_or(Slice{});
  }
  const std::optional<Slice> text = unescape_json(raw_.view(draft.body), decoded_);
  if (!text) return skip(draft, Skip::damaged, "a JSON string with a wrong escape");
  DecodedBody body{.body = *text};
  if (text->size > max_page_) {
    body.cut = true;
    // Not inside a character of UTF-8.
    body.body.size = max_page_;
    const std::string_view all = decoded_.view(*text);
    while (body.body.size > 0 && (all[body.body.size] & 0xc0) == 0x80) --body.body.size;
  }
  finish(draft, title, body);
}

void BatchDecoder::finish(const Draft& draft, Slice title, DecodedBody body) {
  if (body.body.size == 0) return skip(draft, Skip::empty, "");
  tally_.counts.cut_pages += draft.cut || body.cut ? 1 : 0;
  tally_.counts.short_pages += body.short_ ? 1 : 0;
  finished_.push_back({&draft, title, body.body, body.in_source});
}

}  // namespace

void decode_batch(std::vector<Draft>& drafts, Arena& raw, uint64_t max_page,
                  PayloadDecoder& decoder, PageBatch& batch, Tally& tally) {
  BatchDecoder(raw, max_page, decoder, batch, tally).run(drafts);
}

}  // namespace kith::crawl
