// The second half of reading a batch, outside the lock: drafts become pages.
#pragma once

#include <cstdint>
#include <vector>

#include "crawl/batch_builder.h"
#include "crawl/payload.h"

namespace kith::crawl {

// Decodes the payloads of `drafts`, whose bytes lie in `raw` (of batch.raw), into batch.decoded
// and fills batch.pages; counts what fails in `tally`.
void decode_batch(std::vector<Draft>& drafts, Arena& raw, uint64_t max_page,
                  PayloadDecoder& decoder, PageBatch& batch, Tally& tally);

}  // namespace kith::crawl
