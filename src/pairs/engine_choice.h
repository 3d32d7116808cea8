// Which engine: what the exact one and the LSH one would cost (DESIGN.md section 2, "Two
// engines, one answer").
#pragma once

#include <cstdint>

#include "lsh/tables.h"
#include "pairs/brute_force.h"
#include "sketch/bag.h"

namespace kith::pairs {

enum class Engine : uint8_t { automatic, exact, lsh };

// All numbers are for the whole join on one thread. Seconds are operations times what one takes
// on a server core of 2.5 GHz: good for choosing, not for promises.
struct ExactCost {
  double postings = 0;  // of sparse terms, to be added to accumulators
  double cells = 0;     // of dense terms: (query, term, bag) triples
  double merges = 0;    // bags compared entry by entry
  double index_bytes = 0;
  double seconds = 0;
};
struct LshCost {
  double sign_entries = 0;  // entries to be sketched, and copies
  double sort_entries = 0;  // bags times tables
  double collisions = 0;    // pairs compared on the plane
  double merges = 0;        // pairs compared entry by entry
  double table_bytes = 0;   // signatures, plane and one table
  double seconds = 0;
};

struct EngineChoice {
  Engine engine = Engine::exact;  // never automatic
  bool exact_fits = true;         // its index fits the memory budget
  ExactCost exact;
  LshCost lsh;
};

// What choose_engine() needs to know about a job.
struct JobShape {
  uint32_t least_sum = 0;
  uint32_t top = 20;
  uint64_t distinct_bags = 0;  // representatives, which both engines work on
  uint64_t memory = 0;         // budget in bytes; 0: unlimited
  // The exact engine finds everything, so it is taken even where the tables are cheaper, as long
  // as it takes no more than so many seconds of one core.
  double affordable_seconds = 120;
};

// Estimates both from document frequencies (counted over at most 200,000 bags) and from the
// sample of choose_floor(): its queries tell what terms a bag has, and its histogram the
// collisions to expect, N^2 / 2 * l * E[s^k] (E[C(X, k)] / C(m, k) = s^k for X ~ Bin(m, s)).
// Engine::automatic takes the exact one when it fits the memory, and is either affordable or the
// cheaper; another `wish` is obeyed, with the same estimates. Deterministic.
EngineChoice choose_engine(const BagCollection& bags, const BruteForceResult& sample,
                           const JobShape& job, const lsh::TableParams& tables, Engine wish);

}  // namespace kith::pairs
