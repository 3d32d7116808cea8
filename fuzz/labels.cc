// Any bytes as a file of labels: what is read fits together, every row is counted once, and the
// measures are within their ranges, whatever the labels are.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "evaluate/agreement.h"
#include "evaluate/label_table.h"

namespace {

using namespace kith::evaluate;

void check_levels(const LabelTable& table) {
  std::vector<uint32_t> clusters;
  for (uint32_t name = 0; name < table.names.size(); ++name) clusters.push_back(name / 3);
  for (uint32_t depth = 1; depth <= table.tree.max_depth(); ++depth) {
    const LabelSets labels = table.tree.cut(table.classes, depth);
    const auto found = measure_agreement(clusters, labels);
    KITH_CHECK(found.pages == table.names.size());
    KITH_CHECK(found.ari <= 1 && found.ami < 1 + 1e-9 && found.nmi >= 0 && found.nmi <= 1);
    KITH_CHECK(found.purity > 0 && found.purity <= 1);
    KITH_CHECK(found.bcubed_f1 > 0 && found.bcubed_f1 < 1 + 1e-9);
  }
}

void check_distances(const LabelTable& table) {
  for (size_t a = 0; a + 1 < table.names.size(); ++a) {
    const auto distance = familial_distance(table.tree, table.classes[a], table.classes[a + 1]);
    KITH_CHECK(distance <= unrelated);
    KITH_CHECK(!table.classes.share(a, a + 1) || distance == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> columns{"label"};
  const auto table = parse_labels(bytes, "labels.tsv", columns);
  if (!table) return 0;
  KITH_CHECK(table->names.size() == table->classes.size());
  KITH_CHECK(table->names.size() + table->skipped_rows <= table->rows);
  KITH_CHECK(table->tree.max_depth() <= kith::max_label_depth);
  std::vector<NamedItem> named;
  for (uint32_t name = 0; name < table->names.size(); ++name) named.push_back({name / 2, name});
  const LabelledItems items = join_names(*table, named);
  const auto counts = count_labels(*table, items, items.items.size(), 0);
  KITH_CHECK(counts.labelled == (table->names.size() + 1) / 2 && counts.several <= counts.labelled);
  check_levels(*table);
  check_distances(*table);
  return 0;
}
