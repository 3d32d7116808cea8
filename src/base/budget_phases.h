// Which shares of the memory are held at the same time: the compiler proves that their fractions
// add up to the whole at most (docs/algorithms/memory.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/budget_shares.h"

namespace kith {

// What is held at the same time, of one budget.
struct Phase {
  std::string_view name;
  std::array<Share, 6> shares;  // and none
};

inline constexpr Phase phases[] = {
    {"a machine", {Share::process}},
    {"a run", {Share::kept_files, Share::stage}},
    {"batches of pages", {Share::decoded_batch, Share::large_page}},
    // Of the bags stage. Aliases are in the share of the keys.
    {"pages are read", {Share::stems, Share::words, Share::fragment_buffers, Share::page_keys}},
    {"templates are sought",
     {Share::stems, Share::words, Share::fragment_buffers, Share::aliases, Share::template_sorting,
      Share::templates}},
    {"shards are merged",
     {Share::merged_stems, Share::merged_words, Share::fragment_buffers, Share::aliases,
      Share::shard_forms}},
    {"forms of a shard are numbered", {Share::form_numbers, Share::form_sorting, Share::aliases}},
    {"stems are numbered", {Share::stem_numbers, Share::word_sorting, Share::aliases}},
    // Of what aliases, and numbers of stems, leave.
    {"aliases are folded",
     {Share::stems, Share::words, Share::folded_buffers, Share::folded_chunks}},
    {"aliases are compared",
     {Share::stems, Share::words, Share::alias_words, Share::folded_chunks}},
    {"partitions are collapsed", {Share::stems, Share::words, Share::contents, Share::partitions}},
    // Of the bags stage. Stems go where numbers of stems are.
    {"copies are gathered",
     {Share::stem_numbers, Share::aliases, Share::copy_sorting, Share::copy_reading,
      Share::copied_anchors}},
    {"the dictionary is made",
     {Share::stem_numbers, Share::aliases, Share::word_sorting, Share::copied_anchors}},
    {"runs are merged",
     {Share::stem_numbers, Share::aliases, Share::run_reading, Share::copied_anchors}},
    {"a partition is collapsed", {Share::partition_fragments, Share::partition_block}},
    {"a partition is read in chunks",
     {Share::partition_urls, Share::partition_chunk, Share::chunk_index, Share::partition_block}},
    {"chunks are joined", {Share::partition_urls, Share::chunk_runs}},
    {"a partition comes alone", {Share::large_fragment}},
    {"a partition is split", {Share::part_buffers, Share::part_chunk}},
    {"runs are joined", {Share::joined_runs, Share::joined_block}},
    {"stems are spooled", {Share::kept_stems}},
    {"stems are merged", {Share::stem_merging, Share::stem_writing}},
    {"forms of stems are sorted", {Share::best_form_chunk}},
    {"terms are ranked", {Share::best_form_merging, Share::ranking, Share::stem_reading}},
    {"terms are merged", {Share::term_merging}},
    // Of `kith cluster`.
    {"classes are read", {Share::class_names}},
    {"buckets are scanned", {Share::kept_signatures}},  // the rest: keys
    {"leaders are found",                               // the rest: leaders and rows
     {Share::asking, Share::found_pairs, Share::uncounted, Share::row_part}},
    {"rows are dealt out", {Share::row_buffers}},
    {"labels are made", {Share::label_tables, Share::label_terms, Share::row_part}},
    {"a batch of labels is made", {Share::next_labels}},
    // Of joins of bags.
    {"an index is asked",
     {Share::index_block, Share::weight_tables, Share::block_lists, Share::block_answers}},
    {"an index is asked for pairs", {Share::index_block, Share::weight_tables, Share::block_pairs}},
    {"bags are joined by tables", {Share::joined_ids, Share::candidates}},
    {"tables of weights are made", {Share::weight_tables, Share::candidates}},
    {"rare words beside all bags", {Share::rare_words_of_bags}},
    {"rare words beside lists", {Share::rare_words}},
    {"rare words are looked up", {Share::rare_postings, Share::rare_candidates}},
    // Of `kith paper`. The rest are mapped bags.
    {"pairs of the paper are found", {Share::paper_join}},
    {"tables of the paper", {Share::paper_keys, Share::paper_survivors, Share::paper_filter}},
    {"candidates of the paper wait", {Share::paper_rows, Share::paper_passes}},
    {"survivors are verified", {Share::paper_survivors, Share::paper_directions}},
    // Of `kith dedup`.
    {"documents are read",
     {Share::page_keys, Share::links, Share::template_sorting, Share::templates}},
    {"links are counted", {Share::link_urls, Share::link_targets, Share::linking}},
    {"common shingles are found", {Share::common_sorting, Share::rough_counts}},
    {"matches are found", {Share::whole_parts, Share::set_pairs, Share::set_join}},
    {"an earlier run is joined", {Share::against_join}},
    {"an earlier run is checked", {Share::against_check}},
    {"centers are found",
     {Share::center_pairs, Share::leaders, Share::scanned_pairs, Share::scanned_parts}},
    {"centers are kept", {Share::leader_rows, Share::leader_elements}},
    {"a run is checked", {Share::check}},
    {"sets are checked", {Share::known_pairs, Share::checked_elements}},
    {"what is known", {Share::known_parts, Share::known_matches, Share::known_centers}},
    {"lists are written", {Share::names}},
    // Of joins of sets.
    {"sets are joined by tables",
     {Share::set_rows, Share::set_candidates, Share::set_verification}},
    {"elements are counted", {Share::element_counts}},
    // An index whose lists have just grown takes twice its share.
    {"sets are joined by samples",
     {Share::sample_index, Share::sample_index, Share::set_candidates}},
    {"sets are joined by super-shingles",
     {Share::super_keys, Share::super_rows, Share::super_pages, Share::set_candidates}},
    {"fingerprints are sorted", {Share::fingerprint_grouping}},
    {"sets are joined by fingerprints",
     {Share::near_pairs, Share::fingerprint_join, Share::set_candidates}},
    {"fingerprints are joined", {Share::fingerprint_places, Share::fingerprints}},
    // Of passages.
    {"repeated anchors are found", {Share::passage_anchors, Share::passage_runs}},
    {"units are compared", {Share::passage_runs, Share::passage_units}},
    {"repeated units are found", {Share::passage_units, Share::passage_places}},
    {"passages are cut", {Share::passage_hosts, Share::passage_texts}},
    // Of answers, and of `kith stream`.
    {"pairs are listed", {Share::pair_sorting, Share::pair_join}},
    {"classes are learnt", {Share::learnt_names}},
    {"a stream", {Share::stream_state}},
    {"a stream forgets", {Share::kept_documents}},
};

namespace internal {

constexpr uint32_t units_of(const Phase& phase) {
  uint32_t sum = 0;
  for (const Share share : phase.shares) sum += units / row_of(share).of * row_of(share).parts;
  return sum;
}

constexpr bool add_up() {
  return std::all_of(std::begin(phases), std::end(phases),
                     [](const Phase& phase) { return units_of(phase) <= units; });
}

constexpr bool has_phase(Share share) {
  return std::any_of(std::begin(phases), std::end(phases), [&](const Phase& phase) {
    return std::find(phase.shares.begin(), phase.shares.end(), share) != phase.shares.end();
  });
}

constexpr bool have_phases() {
  for (const ShareRow& row : share_rows) {
    if (row.parts > 0 && !has_phase(row.share)) return false;
  }
  return true;
}

static_assert(have_phases(), "every fraction belongs to a phase");
static_assert(add_up(), "the shares of a phase add up to the whole at most");

}  // namespace internal
}  // namespace kith
