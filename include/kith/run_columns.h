// All of a finished run at once: its files as arrays, where they lie.
//
//   const auto run = kith::Run::open("my-run");
//   const auto columns = run->columns();
//   for (kith::UrlId id = 0; id < run->urls(); ++id) ... columns->center[id] ...
#pragma once

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)

namespace kith {

// Views of the mapped files, valid as long as the Run. Arrays "by URL" have an element for each id;
// offsets have one more than there are lists, from 0 on: list i is what lies in
// [offsets[i], offsets[i + 1]). What consists of pairs has two values for each entry, one behind
// the other, and its offsets count entries.
struct RunColumns {
  std::span<const uint8_t> fetched;   // by URL: not 0 for pages
  std::span<const uint32_t> inlinks;  // by URL: links that point to it

  std::span<const uint32_t> center;      // by URL: the center of its cluster; its own id for one
  std::span<const uint32_t> center_sum;  // by URL: similarity_of_sum() is that with the center
  std::span<const uint64_t> cluster_offsets;
  std::span<const uint32_t> cluster_members;  // ids, as of Run::cluster()

  // Empty when the run looked for no pairs. Lists by URL, by the pages' own bags: as of
  // Run::related() with RelatedPages::plain.
  std::span<const uint32_t> degree;  // by URL
  std::span<const uint64_t> related_offsets;
  std::span<const uint32_t> related;  // pairs: id, sum for similarity_of_sum()
  // Likewise on other hosts, but by the bags of related_of(report().options), with their sums;
  // empty when the run keeps none.
  std::span<const uint64_t> other_sites_offsets;
  std::span<const uint32_t> other_sites;

  std::span<const uint64_t> bag_offsets;     // lists by URL
  std::span<const uint32_t> bag_entries;     // pairs: term, weight in units of 1 / weight_unit
  std::span<const uint32_t> term_frequency;  // by term: bags that have it
};

// A weight of a bag is a multiple of 1 / weight_unit; those of a bag add up to 100.
inline constexpr uint32_t weight_unit = 1u << 16;

// The similarity of two bags from the sum of the smaller weights of their terms, in units of
// 1 / weight_unit: A / (2S - A), exact.
constexpr double similarity_of_sum(uint32_t sum) {
  return static_cast<double>(sum) / (200.0 * weight_unit - sum);
}

}  // namespace kith

#pragma GCC visibility pop
