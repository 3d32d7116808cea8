// What `kith dedup` does with its documents, for documents in memory: no files, no folders
// (docs/algorithms/near-duplicates.md).
//
//   const auto found = kith::dedup_texts(texts, {.similarity = 0.8});
//   for (size_t i = 0; i < texts.size(); ++i) {
//     if (found->kept[i] != i) ... text i is like text found->kept[i] ...
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kith/cluster_bags.h"
#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct TextDedup {
  // By document, numbered as they were given: the one of its group that is kept; the document
  // itself if that is it, or if it is alone or empty.
  std::vector<uint32_t> kept;
  std::vector<uint32_t> center;    // of its group; with components the first of it
  std::vector<double> similarity;  // resemblance with the kept one, exact; 1 for that itself
  // Similar documents, a < b, ascending. Of documents with equal elements the first stands for all;
  // of large buckets only the pairs with centers are here. similarity: the resemblance.
  std::vector<SimilarIds> pairs;
  DedupGroups counts;  // LargeGroup::kept: the number of the document
  DedupPairs pair_counts;
  std::vector<DedupTables> tables;  // that were considered: minhash
};

// The groups that `kith dedup` with these options makes of the same documents in the same order.
// Of the rules of `keep` first, longest, shortest and quality. progress: see progress.h. Memory: 8
// to 16 bytes a shingle, and some 5 bytes a lane for each document. Resources::memory bounds the
// buffers; pairs that do not fit them stay in memory, too. Errors: of kind usage, memory,
// cancelled; texts of 4 GiB, more than 2^32 - 1 of them.
Result<TextDedup> dedup_texts(std::span<const std::string_view> texts,
                              const DuplicateOptions& options = {},
                              const ShingleOptions& shingles = {}, const Resources& resources = {},
                              const ProgressCallback& progress = {});

// Gives the next documents of many, none when there are no more. What it gives stays until it is
// called again; it is called on the thread that has called the job.
using NextTexts = std::function<Result<std::span<const std::string_view>>()>;

// The same of documents that come batch by batch, from a file or a network: no more than a batch of
// texts is in memory. What `next` returns as an error ends the job.
Result<TextDedup> dedup_text_batches(const NextTexts& next, const DuplicateOptions& options = {},
                                     const ShingleOptions& shingles = {},
                                     const Resources& resources = {},
                                     const ProgressCallback& progress = {});

// The same of documents whose elements are known: hashes of 64 well-mixed bits, ascending, each
// once; another set is an error of kind usage that names it. Of the rules of `keep` first, longest
// and shortest, by the number of elements.
Result<TextDedup> dedup_sets(const SetsView& sets, const DuplicateOptions& options = {},
                             const Resources& resources = {},
                             const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
