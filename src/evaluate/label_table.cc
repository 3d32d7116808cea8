#include "evaluate/label_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

namespace kith::evaluate {

uint32_t LabelTree::child(uint32_t parent, std::string_view part) {
  const auto [entry, is_new] = children_.try_emplace(fmt::format("{}/{}", parent, part), size());
  if (is_new) {
    nodes_.push_back({parent, nodes_[parent].depth + 1});
    max_depth_ = std::max(max_depth_, nodes_.back().depth);
  }
  return entry->second;
}

uint32_t LabelTree::add(std::string_view label) {
  uint32_t node = root;
  while (true) {
    label.remove_prefix(std::min(label.find_first_not_of('/'), label.size()));
    if (label.empty()) return node;
    const bool is_last = depth(node) + 1 == max_label_depth;
    const size_t end =
        is_last ? label.find_last_not_of('/') + 1 : std::min(label.find('/'), label.size());
    node = child(node, label.substr(0, end));
    label.remove_prefix(is_last ? label.size() : end);
  }
}

uint32_t LabelTree::ancestor(uint32_t node, uint32_t depth) const {
  while (nodes_[node].depth > depth) node = nodes_[node].parent;
  return node;
}

uint32_t LabelTree::common_ancestor(uint32_t a, uint32_t b) const {
  const uint32_t depth = std::min(nodes_[a].depth, nodes_[b].depth);
  a = ancestor(a, depth);
  b = ancestor(b, depth);
  while (a != b) {
    a = nodes_[a].parent;
    b = nodes_[b].parent;
  }
  return a;
}

LabelSets LabelTree::cut(const LabelSets& classes, uint32_t depth) const {
  LabelSets sets;
  std::vector<uint32_t> cut;
  for (size_t item = 0; item < classes.size(); ++item) {
    // The first label stays the first.
    cut.assign({ancestor(classes.first(item), depth)});
    for (const uint32_t node : classes[item]) cut.push_back(ancestor(node, depth));
    sets.add(cut);
  }
  return sets;
}

namespace {

// Takes the next line off `rest`, without its end.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (size_t begin = 0;;) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return;
    begin = end + 1;
  }
}

// Where the columns are.
struct Columns {
  size_t name;
  std::vector<size_t> labels;
};

std::optional<size_t> position(std::span<const std::string_view> header, std::string_view column) {
  const auto at = std::ranges::find(header, column);
  if (at == header.end()) return std::nullopt;
  return static_cast<size_t>(at - header.begin());
}

Error lacks(std::string_view file, std::string_view what, std::span<const std::string_view> header,
            std::string_view advice) {
  constexpr size_t shown = 20;
  const auto some = header.first(std::min(header.size(), shown));
  return {ErrorKind::usage,
          fmt::format("{}: its first line names no column {}; it names: {}{}; {}", file, what,
                      fmt::join(some, ", "), header.size() > shown ? ", ..." : "", advice)};
}

Result<Columns> find_columns(std::string_view file, std::span<const std::string_view> header,
                             std::span<const std::string> columns) {
  Columns found;
  const auto url = position(header, "url");
  const auto name = url ? url : position(header, "id");
  if (!name) {
    return lacks(file, "'url' or 'id'", header, "the columns are separated by tabs");
  }
  found.name = *name;
  for (const std::string& column : columns) {
    const auto at = position(header, column);
    if (!at) {
      return lacks(file, fmt::format("'{}'", column), header,
                   "column = NAME says which one has the labels");
    }
    found.labels.push_back(*at);
  }
  return found;
}

// A class of the name, in the order of the rows.
struct LabelRow {
  uint32_t name;
  uint32_t node;
};

class TableReader {
 public:
  explicit TableReader(const Columns& columns) : columns_(columns) {}

  void read_row(std::string_view line) {
    ++table_.rows;
    split_fields(line, fields_);
    const std::string_view name = field(columns_.name);
    label_.clear();
    for (const size_t column : columns_.labels) {
      label_ += '/';
      label_ += field(column);
    }
    const uint32_t node = name.empty() ? LabelTree::root : table_.tree.add(label_);
    if (node == LabelTree::root) {
      ++table_.skipped_rows;
      return;
    }
    rows_.push_back({number_of(name), node});
  }

  LabelTable finish() && {
    std::ranges::stable_sort(rows_, {}, &LabelRow::name);
    std::vector<uint32_t> nodes;
    for (size_t i = 0; i < rows_.size(); ++i) {
      nodes.push_back(rows_[i].node);
      if (i + 1 < rows_.size() && rows_[i + 1].name == rows_[i].name) continue;
      table_.classes.add(nodes);
      nodes.clear();
    }
    return std::move(table_);
  }

 private:
  // A row may be shorter than the header.
  std::string_view field(size_t column) const {
    return column < fields_.size() ? fields_[column] : std::string_view();
  }
  uint32_t number_of(std::string_view name) {
    const auto number = static_cast<uint32_t>(table_.names.size());
    const auto [entry, is_new] = numbers_.try_emplace(name, number);
    if (is_new) table_.names.emplace_back(name);
    return entry->second;
  }

  Columns columns_;
  LabelTable table_;
  std::vector<LabelRow> rows_;
  boost::unordered_flat_map<std::string_view, uint32_t> numbers_;  // names in the bytes read
  std::vector<std::string_view> fields_;
  std::string label_;
};

}  // namespace

Result<LabelTable> parse_labels(std::string_view bytes, std::string_view file,
                                std::span<const std::string> columns) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  if (bytes.empty()) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: is empty; the first line must name the columns, url and {}", file,
                             fmt::join(columns, ", "))};
  }
  std::vector<std::string_view> header;
  split_fields(take_line(bytes), header);
  KITH_ASSIGN(const Columns found, find_columns(file, header, columns));
  TableReader reader(found);
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (!line.empty()) reader.read_row(line);
  }
  return std::move(reader).finish();
}

LabelledItems join_names(const LabelTable& table, std::vector<NamedItem> named) {
  std::ranges::sort(named);
  LabelledItems labelled;
  std::vector<uint32_t> nodes;
  for (size_t i = 0; i < named.size(); ++i) {
    const auto own = table.classes[named[i].name];
    nodes.push_back(table.classes.first(named[i].name));
    nodes.insert(nodes.end(), own.begin(), own.end());
    if (i + 1 < named.size() && named[i + 1].item == named[i].item) continue;
    labelled.items.push_back(named[i].item);
    labelled.classes.add(nodes);
    nodes.clear();
  }
  return labelled;
}

LabelCounts count_labels(const LabelTable& table, const LabelledItems& labelled, uint64_t pages,
                         uint64_t missing) {
  LabelCounts counts;
  counts.rows = table.rows;
  counts.skipped_rows = table.skipped_rows;
  counts.urls = table.names.size();
  counts.missing = missing;
  counts.pages = pages;
  counts.labelled = labelled.items.size();
  std::vector<bool> is_label(table.tree.size());
  for (size_t name = 0; name < table.classes.size(); ++name) {
    for (const uint32_t node : table.classes[name]) is_label[node] = true;
  }
  counts.labels = static_cast<uint64_t>(std::ranges::count(is_label, true));
  for (size_t item = 0; item < labelled.items.size(); ++item) {
    if (labelled.classes[item].size() > 1) ++counts.several;
  }
  return counts;
}

Error nothing_labelled(std::string_view file, std::string_view run, uint64_t names) {
  if (names == 0) {
    return {ErrorKind::not_found,
            fmt::format("{}: labels no page: no row has a page and a label", file)};
  }
  return {ErrorKind::not_found,
          fmt::format("{}: {} has none of the {} pages that it labels; are they of another crawl?",
                      file, run, names)};
}

}  // namespace kith::evaluate
