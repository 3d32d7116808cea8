// How a join of sets shares out its memory. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "similar/tables/candidate_search.h"

namespace kith::similar {

// The rows of signatures for which there is room at a time: an eighth is for candidates, a quarter
// for what verification sorts and reads. memory: bytes; 0: whatever it takes.
inline size_t rows_within(uint64_t memory, uint32_t lanes) {
  return memory == 0 ? SIZE_MAX : memory / 8 * 5 / CandidateSearch::bytes_per_row(lanes);
}

// The least memory with room for so many rows.
inline uint64_t memory_for_rows(uint64_t rows, uint32_t lanes) {
  return (rows * CandidateSearch::bytes_per_row(lanes) + 4) / 5 * 8;
}

}  // namespace kith::similar
