// Which pages share how many leading bits of their fingerprints, and whether they should.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/sets.h"

namespace kith::jobs {

// A prefix of fewer bits is of no interest.
inline constexpr int min_prefix_bits = 16;

// Of a page: the most leading bits, 0 to 64, that its fingerprint shares with that of another page.
struct SharedPrefixes {
  int alike = -1;  // with a page that it resembles; -1: it resembles none
  int unlike = 0;  // with a page that it does not resemble; 0: fewer than min_prefix_bits
};

// By set, exactly. Sets resemble each other from `similarity` on; an empty one resembles nothing,
// and shares nothing. Candidates are the sets that share an element of their prefixes, which are
// the rarest elements and so many that similar sets must share one (Chaudhuri, Ganti, Kaushik,
// A primitive operator for similarity joins in data cleaning, 2006). REQUIRES: ascending elements,
// similarity in (0, 1], fewer than 2^32 sets.
std::vector<SharedPrefixes> shared_prefixes(const SetsView& sets, double similarity);

// What that takes for an element, `sets` included where they were appended one by one.
inline constexpr uint64_t shared_prefix_bytes = 60;

}  // namespace kith::jobs
