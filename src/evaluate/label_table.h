// Files of labels: TSV with a header line, a row for every label of a page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/evaluate.h"
#include "kith/status.h"

#include "evaluate/label_sets.h"
#include "evaluate/label_tree.h"

namespace kith::evaluate {

struct LabelTable {
  std::vector<std::string> names;  // different ones, by their first row
  LabelSets classes;               // by name: nodes of `tree`, of its first row first
  LabelTree tree;
  uint64_t rows = 0;          // behind the header
  uint64_t skipped_rows = 0;  // of these, without a name or a label
};

// Reads the bytes of a file, which messages call `file`. `columns` as in EvaluateOptions. Errors of
// kind usage: no header, or one that lacks a column. Fields are taken as they stand.
Result<LabelTable> parse_labels(std::string_view bytes, std::string_view file,
                                std::span<const std::string> columns);

// An item of a run and the number of a name in a table that stands for it.
struct NamedItem {
  uint32_t item;
  uint32_t name;
  friend auto operator<=>(const NamedItem&, const NamedItem&) = default;
};

struct LabelledItems {
  std::vector<uint32_t> items;  // ascending, each once
  LabelSets classes;            // of all names that stand for an item, in their order
};

LabelledItems join_names(const LabelTable& table, std::vector<NamedItem> named);

// What a report says of the labels. `pages`: of the run; `missing`: names that stand for none.
LabelCounts count_labels(const LabelTable& table, const LabelledItems& labelled, uint64_t pages,
                         uint64_t missing);

// What to say when no page of the run at `run` has a label.
Error nothing_labelled(std::string_view file, std::string_view run, uint64_t names);

}  // namespace kith::evaluate
