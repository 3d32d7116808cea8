// Every share of the memory (docs/algorithms/memory.md): the only place with fractions of it.
// budget_phases.h has which of them are held at the same time. It is long, since it is one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace kith {

// What memory is given for.
enum class Share : uint8_t {
  none,
  // Counted, so without a fraction.
  program,
  items,
  classes,
  sites,
  shared_tables,
  bag_index,
  topic_graph,
  examples,
  // The machine, and then --memory.
  process,
  kept_files,
  stage,
  // The bags stage, while pages are read.
  stems,
  words,
  fragment_buffers,
  page_keys,
  aliases,
  // While shards are merged.
  merged_stems,
  merged_words,
  shard_forms,
  // While templates are sought.
  template_sorting,
  templates,
  // After the last page.
  form_numbers,
  form_sorting,
  stem_numbers,
  word_sorting,
  folded_buffers,
  folded_chunks,
  alias_words,
  partitions,
  contents,
  copy_sorting,
  copy_reading,
  copied_anchors,
  run_reading,
  // Of partitions, for each thread.
  partition_fragments,
  large_fragment,
  partition_block,
  partition_urls,
  partition_chunk,
  chunk_index,
  chunk_runs,
  part_buffers,
  part_chunk,
  // Of what joins runs, and of what sorts words, for each thread.
  joined_runs,
  joined_block,
  kept_stems,
  stem_merging,
  stem_writing,
  best_form_chunk,
  best_form_merging,
  ranking,
  stem_reading,
  term_merging,
  // Stages of `kith cluster` after bags.
  class_names,
  kept_signatures,
  asking,
  found_pairs,
  uncounted,
  row_part,
  row_buffers,
  label_tables,
  label_terms,
  next_labels,
  // Of joins of bags.
  index_block,
  weight_tables,
  block_lists,
  block_answers,
  block_pairs,
  candidates,
  joined_ids,
  rare_words_of_bags,
  rare_words,
  rare_postings,
  rare_candidates,
  // Of `kith paper`.
  paper_join,
  paper_keys,
  paper_survivors,
  paper_filter,
  paper_rows,
  paper_passes,
  paper_directions,
  // Stages of `kith dedup`.
  links,
  link_urls,
  link_targets,
  linking,
  common_sorting,
  rough_counts,
  whole_parts,
  set_pairs,
  set_join,
  against_join,
  against_check,
  center_pairs,
  leaders,
  leader_rows,
  leader_elements,
  scanned_pairs,
  scanned_parts,
  check,
  known_pairs,
  known_parts,
  known_matches,
  known_centers,
  checked_elements,
  names,
  // Of joins of sets.
  set_rows,
  set_candidates,
  set_verification,
  element_counts,
  sample_index,
  super_keys,
  super_rows,
  super_pages,
  fingerprint_grouping,
  near_pairs,
  fingerprint_join,
  fingerprint_places,
  fingerprints,
  // Of passages.
  passage_anchors,
  passage_runs,
  passage_units,
  passage_places,
  passage_hosts,
  passage_texts,
  // Of answers.
  pair_sorting,
  pair_join,
  learnt_names,
  // Of `kith stream`.
  stream_state,
  kept_documents,
  // While pages are read, of --memory.
  decoded_batch,
  large_page,
  count_,
};

struct ShareRow {
  Share share;
  std::string_view name;
  uint32_t parts;  // of the whole, which has `of`; 0: what is counted
  uint32_t of;
};

// In the order of Share.
inline constexpr ShareRow share_rows[] = {
    {Share::none, "", 0, 1},
    {Share::program, "the program", 0, 1},
    {Share::items, "all URLs or documents", 0, 1},
    {Share::classes, "classes of URLs", 0, 1},
    {Share::sites, "lists of other sites", 0, 1},
    {Share::shared_tables, "tables of leaders", 0, 1},
    {Share::bag_index, "an index of all bags", 0, 1},
    {Share::topic_graph, "the graph of topics", 0, 1},
    {Share::examples, "examples of classes", 0, 1},
    {Share::process, "the program, of the machine", 3, 4},
    {Share::kept_files, "files that stay", 1, 4},
    {Share::stage, "a stage", 3, 4},
    {Share::stems, "stems", 1, 4},
    {Share::words, "words that workers remember", 1, 8},
    {Share::fragment_buffers, "buffers of partitions", 1, 8},
    {Share::page_keys, "keys of pages, and aliases", 7, 16},
    {Share::aliases, "aliases", 1, 4},
    {Share::merged_stems, "stems of shards", 1, 16},
    {Share::merged_words, "words of shards", 1, 16},
    {Share::shard_forms, "forms of a shard", 1, 2},
    {Share::template_sorting, "sorting blocks of pages", 1, 8},
    {Share::templates, "templates", 1, 8},
    {Share::form_numbers, "numbers of forms", 2, 3},
    {Share::form_sorting, "sorting forms", 1, 12},
    {Share::stem_numbers, "numbers of stems", 1, 2},
    {Share::word_sorting, "sorting words", 1, 8},
    {Share::folded_buffers, "buffers of folded partitions", 1, 8},
    {Share::folded_chunks, "chunks of partitions to fold", 1, 8},
    {Share::alias_words, "words of the targets of aliases", 1, 8},
    {Share::partitions, "partitions", 15, 32},
    {Share::contents, "sorting contents", 1, 32},
    {Share::copy_sorting, "sorting anchors of copies", 1, 8},
    {Share::copy_reading, "reading runs for copies", 1, 16},
    {Share::copied_anchors, "anchors of copies", 1, 16},
    {Share::run_reading, "reading runs", 3, 16},
    {Share::partition_fragments, "fragments of a partition", 7, 8},
    {Share::large_fragment, "a fragment that comes alone", 1, 16},
    {Share::partition_block, "writing a run", 1, 8},
    {Share::partition_urls, "URLs of a partition", 1, 4},
    {Share::partition_chunk, "a chunk of a partition", 1, 8},
    {Share::chunk_index, "index of a chunk", 1, 4},
    {Share::chunk_runs, "joining chunks", 1, 2},
    {Share::part_buffers, "buffers of parts of a partition", 1, 4},
    {Share::part_chunk, "reading a partition", 1, 4},
    {Share::joined_runs, "reading runs to join", 1, 2},
    {Share::joined_block, "writing a joined run", 1, 8},
    {Share::kept_stems, "stems that stay", 1, 2},
    {Share::stem_merging, "merging stems", 1, 2},
    {Share::stem_writing, "writing stems", 1, 4},
    {Share::best_form_chunk, "sorting forms of stems", 1, 4},
    {Share::best_form_merging, "merging forms of stems", 1, 4},
    {Share::ranking, "ranking terms", 1, 2},
    {Share::stem_reading, "reading stems", 1, 8},
    {Share::term_merging, "merging terms", 1, 2},
    {Share::class_names, "names of classes", 1, 2},
    {Share::kept_signatures, "signatures", 1, 2},
    {Share::asking, "URLs that ask at once", 1, 8},
    {Share::found_pairs, "pairs with leaders", 1, 8},
    {Share::uncounted, "what is not counted", 1, 8},
    {Share::row_part, "a part of the rows", 1, 16},
    {Share::row_buffers, "buffers of parts of the rows", 1, 4},
    {Share::label_tables, "tables of labels by term", 1, 2},
    {Share::label_terms, "terms considered for labels", 1, 8},
    {Share::next_labels, "terms of the next clusters", 1, 8},
    {Share::index_block, "an index of bags", 1, 2},
    {Share::weight_tables, "tables of weights", 1, 8},
    {Share::block_lists, "lists of neighbours", 1, 4},
    {Share::block_answers, "answers of an index", 1, 8},
    {Share::block_pairs, "pairs of an index", 1, 4},
    {Share::candidates, "candidates", 1, 8},
    {Share::joined_ids, "bags and signatures", 7, 8},
    {Share::rare_words_of_bags, "rare words, with all bags", 1, 4},
    {Share::rare_words, "rare words", 1, 2},
    {Share::rare_postings, "lists of rare words", 1, 2},
    {Share::rare_candidates, "candidates by rare words", 1, 2},
    {Share::paper_join, "pairs of the paper", 1, 2},
    {Share::paper_keys, "sorting keys", 1, 4},
    {Share::paper_survivors, "sorting survivors", 1, 4},
    {Share::paper_filter, "filter of candidates", 1, 2},
    {Share::paper_rows, "two blocks of signatures", 1, 2},
    {Share::paper_passes, "sorting candidates", 1, 2},
    {Share::paper_directions, "sorting pairs of both directions", 1, 2},
    {Share::links, "links", 1, 4},
    {Share::link_urls, "sorting URLs of documents", 1, 8},
    {Share::link_targets, "sorting targets of links", 5, 8},
    {Share::linking, "sorting what links to what", 1, 4},
    {Share::common_sorting, "sorting common shingles", 1, 2},
    {Share::rough_counts, "rough counts of shingles", 1, 4},
    {Share::whole_parts, "sorting large buckets", 1, 8},
    {Share::set_pairs, "sorting pairs", 1, 8},
    {Share::set_join, "finding pairs", 3, 4},
    {Share::against_join, "comparing with an earlier run", 3, 4},
    {Share::against_check, "checking against an earlier run", 1, 2},
    {Share::center_pairs, "sorting pairs with centers", 1, 8},
    {Share::leaders, "centers of large buckets", 1, 4},
    {Share::leader_rows, "signatures of centers", 1, 4},
    {Share::leader_elements, "shingles of centers", 1, 4},
    {Share::scanned_pairs, "sorting pairs to scan", 1, 4},
    {Share::scanned_parts, "sorting large buckets to scan", 1, 4},
    {Share::check, "the check", 1, 2},
    {Share::known_pairs, "known pairs", 1, 4},
    {Share::known_parts, "known large buckets", 1, 2},
    {Share::known_matches, "known matches", 1, 4},
    {Share::known_centers, "known pairs with centers", 1, 4},
    {Share::checked_elements, "shingles that are checked", 1, 2},
    {Share::names, "names of documents", 1, 4},
    {Share::set_rows, "signatures", 5, 8},
    {Share::set_candidates, "candidates", 1, 8},
    {Share::set_verification, "verifying candidates", 1, 4},
    {Share::element_counts, "counts of shingles", 1, 2},
    {Share::sample_index, "index of samples", 1, 4},
    {Share::super_keys, "sorting super-shingles", 1, 2},
    {Share::super_rows, "super-shingles that are compared", 1, 8},
    {Share::super_pages, "mapped signatures", 1, 8},
    {Share::fingerprint_grouping, "sorting fingerprints", 1, 2},
    {Share::near_pairs, "sorting near fingerprints", 1, 4},
    {Share::fingerprint_join, "finding near fingerprints", 1, 2},
    {Share::fingerprint_places, "places of fingerprints", 1, 8},
    {Share::fingerprints, "fingerprints", 1, 2},
    {Share::passage_anchors, "sorting anchors of passages", 1, 4},
    {Share::passage_runs, "sorting repeated anchors", 1, 4},
    {Share::passage_units, "sorting units", 3, 8},
    {Share::passage_places, "sorting places of passages", 3, 8},
    {Share::passage_hosts, "sorting hosts of passages", 1, 4},
    {Share::passage_texts, "texts of passages", 1, 8},
    {Share::pair_sorting, "sorting pairs", 1, 4},
    {Share::pair_join, "finding pairs", 3, 4},
    {Share::learnt_names, "names of classes", 1, 4},
    {Share::stream_state, "documents of the stream", 1, 2},
    {Share::kept_documents, "documents that stay", 3, 4},
    {Share::decoded_batch, "a batch of decoded pages", 1, 32},
    {Share::large_page, "large pages", 1, 16},
};

constexpr const ShareRow& row_of(Share share) {
  return share_rows[static_cast<size_t>(share)];
}

// So many bytes of so many, rounded down.
constexpr uint64_t part_of(uint64_t bytes, Share share) {
  const ShareRow& row = row_of(share);
  return bytes / row.of * row.parts;
}

// The least bytes of which the share is so many, however it is rounded. REQUIRES: a fraction.
constexpr uint64_t least_with(Share share, uint64_t bytes) {
  const ShareRow& row = row_of(share);
  return (bytes + row.parts - 1) / row.parts * row.of;
}

namespace internal {

// What all denominators divide.
inline constexpr uint32_t units = 96;

constexpr bool are_in_order() {
  for (size_t i = 0; i < std::size(share_rows); ++i) {
    const ShareRow& row = share_rows[i];
    if (static_cast<size_t>(row.share) != i || units % row.of != 0) return false;
    if (row.parts > row.of) return false;
  }
  return std::size(share_rows) == static_cast<size_t>(Share::count_);
}

static_assert(are_in_order(), "a row for every share, in the order of the enum");

}  // namespace internal
}  // namespace kith
