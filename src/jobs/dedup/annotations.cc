#include "jobs/dedup/annotations.h"

#include <algorithm>

namespace kith::jobs {

Annotation Annotations::of(uint32_t id) const {
  Annotation own;
  const uint32_t kept = groups_.kept()[id];
  if (against_.removed(id)) {
    const auto row = std::ranges::lower_bound(against_.rows(), id, {}, &EarlierMatch::document);
    own.kept_id = against_.name(static_cast<size_t>(row - against_.rows().begin()));
    own.similarity =
        sketch::SetOverlap{documents_.sets().size_of(id), row->size, row->common}.resemblance();
    own.weight = 0;
    return own;
  }
  own.kept_id = documents_.name(kept);
  const uint64_t number = index_.find(kept);
  if (number < index_.size()) {
    own.group = number + 1;
    own.group_size = index_[number].size();
  }
  own.similarity = similarity_to_kept(documents_, groups_, options_.method, id);
  own.weight = kept == id ? weight_(own.group_size) : 0;
  return own;
}

std::vector<RowColumn> Annotations::list_columns() {
  using enum RowColumn::Type;
  return {"url",
          "file",
          {"record", count},
          {"kith_group", count},
          {"kith_group_size", count},
          "kith_kept_id",
          {"kith_similarity", share},
          {"kith_weight", share}};
}

std::vector<RowColumn> Annotations::columns() const {
  constexpr size_t places = 3;  // name, file and record
  const std::vector<RowColumn> all = list_columns();
  if (!options_.annotate) return {all.back()};
  return {all.begin() + places, all.end()};
}

std::string Annotations::json(uint32_t id) const {
  const Annotation own = of(id);
  const RowFormat format(ListFormat::jsonl, columns());
  std::string line;
  if (options_.annotate) {
    format.append(line, {own.group, own.group_size, own.kept_id, own.similarity, own.weight});
  } else {
    format.append(line, {own.weight});
  }
  line.pop_back();  // the line break
  return line;
}

}  // namespace kith::jobs
