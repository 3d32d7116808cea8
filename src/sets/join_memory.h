// How a join of sets shares out its memory. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sets/set_verification.h"
#include "tables/candidate_search.h"

namespace kith::pairs::internal {

struct JoinMemory {
  size_t rows = SIZE_MAX;       // signatures that may lie in memory at a time
  size_t candidates = 1 << 22;  // held at a time
};

// An eighth for candidates, five for rows; a quarter is for what verification sorts and reads.
// memory: bytes; 0: whatever it takes.
inline JoinMemory share_out(uint64_t memory, uint32_t lanes) {
  JoinMemory shares;
  if (memory == 0) return shares;
  shares.rows = memory / 8 * 5 / CandidateSearch::bytes_per_row(lanes);
  shares.candidates = std::clamp<size_t>(memory / 8 / SetVerification::bytes_per_candidate, 1 << 12,
                                         shares.candidates);
  return shares;
}

// The least memory with which share_out() gives so many rows.
inline uint64_t memory_for_rows(uint64_t rows, uint32_t lanes) {
  return (rows * CandidateSearch::bytes_per_row(lanes) + 4) / 5 * 8;
}

}  // namespace kith::pairs::internal
