// What the operations of the engines take, in nanoseconds on one server core of 2.5 GHz: good for
// choosing between engines and parameters, not for promises. Found by bench/pairs_join.cc,
// bench/cluster_leader.cc and runs on synthetic bags.
#pragma once

namespace kith::cluster::cost {

// Exact engine.
inline constexpr double posting = 0.9;  // of a sparse term, added to an accumulator
inline constexpr double cell = 0.015;   // of a dense row: (query, term, bag)
inline constexpr double slot = 0.2;     // to clear and scan an accumulator, per query and bag
// Leaders are sought one query at a time, which takes 2.4 times as long a pair as the join does,
// among half of them on average.
inline constexpr double leader_scan = 1.2;  // times the join, and the share of leaders

// Both engines.
inline constexpr double merge = 450;  // two bags compared entry by entry

// Engine with tables.
inline constexpr double sign = 0.03;         // per entry and lane
inline constexpr double sign_copies = 100;   // of a bag's words, beside one partial copy a word
inline constexpr double sort = 50;           // a key made, sorted and met in its bucket
inline constexpr double join_compare = 6;    // of two signatures in a bucket
inline constexpr double leader_compare = 6;  // of a signature with that of a leader
inline constexpr double probe_memory = 70;   // a look-up or an insert in the leader tables
inline constexpr double probe_cache = 30;    // the same while they fit the cache
inline constexpr double cache_bytes = 16e6;
inline constexpr double leader_entry_bytes = 5.4;  // of a leader in a table, and the directory

}  // namespace kith::cluster::cost
