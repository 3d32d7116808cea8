// How --memory is shared out (docs/algorithms/memory.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "kith/status.h"

#include "base/budget.h"

namespace kith::run {

// What a stage holds for every URL, whatever the memory: ids, groups, orders, centers.
inline constexpr uint64_t bytes_of_url = 72;
// The program itself, its buffers for files, and the stacks of its threads.
inline constexpr uint64_t bytes_of_program = 24 << 20;
// What the C library and the kernel round up.
inline constexpr uint64_t rounding_bytes = 4 << 20;
// What a stage needs at least to work with.
inline constexpr uint64_t min_working_bytes = 16 << 20;

// What is left of the memory for a stage to work with, once every URL has its share.
inline Budget working_memory(const Budget& memory, uint64_t urls) {
  return memory.without(Share::program, bytes_of_program + rounding_bytes)
      .without(Share::items, urls * bytes_of_url, min_working_bytes);
}

// What the bags stage has for vocabulary, fragments and runs.
inline Budget bag_memory(const Budget& memory) {
  return memory.without(Share::program, bytes_of_program + rounding_bytes,
                        std::min(memory.bytes(), min_working_bytes));
}

// Whether files of so many bytes may stay in memory from stage to stage; the stages then have that
// much less. Of larger ones a stage gives back what it has read.
inline bool may_stay(uint64_t bytes, const Budget& memory) {
  return bytes <= part_of(memory.bytes(), Share::kept_files);
}

// What a byte of a page takes at most until the page is made into what is kept of it, itself
// included: words and fragments, or shingles of words of one letter.
inline constexpr uint64_t usual_page_cost = 5;

// How reading pages is fitted into the memory.
struct ReadingBudget {
  unsigned workers = 1;
  uint64_t decoded = 0;  // bytes of decoded payloads that a batch may hold
  uint64_t page = 0;     // larger pages are made into documents one at a time
  uint64_t buffers = 0;  // larger ones are freed when they are no longer needed
};
ReadingBudget reading_budget(const Budget& memory, uint64_t max_page, unsigned threads,
                             uint64_t page_cost = usual_page_cost);

// An error of kind usage when the memory is too small to read pages of that size; it names the
// least.
Status check_reading_memory(const Budget& memory, uint64_t max_page,
                            uint64_t page_cost = usual_page_cost);

// What a run may take: `asked`, or when that is 0 three quarters of the memory of the machine, or
// of the limit of its control group where that is less.
uint64_t memory_or_default(uint64_t asked);

// An error of kind usage when --memory or --threads is out of range.
Status check_resources(uint64_t memory, unsigned threads);

// What is held while a crawl is read, besides what the bags stage shares out: keys of pages, by
// which the first capture of a URL is known, in tables that grow; with --aliases fold the keys of
// fetched pages once more, and the aliases. All have 7/16 of bag_memory(), which the bags stage
// leaves then.
inline constexpr uint64_t bytes_of_page_key = 40;
inline constexpr uint64_t bytes_of_fetched_key = 24;
// An error of kind usage when the memory is too small for so many pages, of which more may come,
// and so many bytes of aliases; it names the minimum for so many.
Status check_pages(const Budget& memory, uint64_t pages, uint64_t bytes_of_key = bytes_of_page_key,
                   uint64_t alias_bytes = 0);

// An error of kind usage when the memory is too small for so many of `what`, URLs or documents, of
// which each takes so much; it names the minimum.
Status check_memory(const Budget& memory, uint64_t count, std::string_view what,
                    uint64_t bytes_of_one = bytes_of_url);

// "160000 URLs": what Budget::check() refuses.
std::string counted(uint64_t count, std::string_view what);

// What the topics stage holds for so many URLs, of which so many have a bag of their own, and so
// many entries of the graph, two for every edge: the graph of the topics of a depth, and that of
// the next depth or, before, the contractions of a topic that has nearly all pages, of which an
// entry takes 12 bytes, with two thirds as many entries in all; communities and places; what is
// written.
constexpr uint64_t topic_bytes(uint64_t urls, uint64_t nodes, uint64_t entries) {
  constexpr uint64_t entry = 8;
  return 2 * entry * entries + nodes * 88 + urls * 26;
}

// What is held besides for a topic that one thread splits alone.
constexpr uint64_t topic_part_bytes(uint64_t nodes, uint64_t entries) {
  constexpr uint64_t entry = 8;
  return entry * entries + nodes * 88;
}

// What the smooth stage holds for a URL besides bytes_of_url: its group among the bags of the run,
// while those of smoothed bags are joined, and the offset of its smoothed bag.
inline constexpr uint64_t bytes_of_smoothed_url = 20;

}  // namespace kith::run
