// The second half of reading a batch: drafts become pages.
#pragma once

#include <vector>

#include "crawl/read/batch_builder.h"
#include "crawl/read/payload.h"
#include "crawl/read/wat_head.h"

namespace kith::crawl {

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
  void decode_wat(Draft& draft);
  void pass_redirect(Draft& draft);
  void finish(Draft& draft, Slice title, DecodedBody body);
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
