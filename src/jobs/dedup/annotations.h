// What fields of a document say of its group (docs/formats/dedup.md, "Annotations").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/rows.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/group_index.h"
#include "jobs/dedup/groups.h"

namespace kith::jobs {

struct Annotation {
  uint64_t group = 0;  // as in the list of groups; 0: none
  uint64_t group_size = 1;
  std::string_view kept_id;  // the name of the document that stays for it
  double similarity = 1;     // with that
  double weight = 1;         // 0 of a removed document
};

// Immutable, thread-safe.
class Annotations {
 public:
  // All outlive this object.
  Annotations(const DocumentTable& documents, const Against& against, const Groups& groups,
              const GroupIndex& index, const DedupOptions& options, const GroupWeights& weight)
      : documents_(documents),
        against_(against),
        groups_(groups),
        index_(index),
        options_(options),
        weight_(weight) {}

  Annotation of(uint32_t id) const;

  // Of the list of documents: their name and place, then the columns below.
  static std::vector<RowColumn> list_columns();
  // What a copy has in addition: with `annotate` all fields, else the weight.
  std::vector<RowColumn> columns() const;
  // These fields of a document, as a JSON object.
  std::string json(uint32_t id) const;

 private:
  const DocumentTable& documents_;
  const Against& against_;
  const Groups& groups_;
  const GroupIndex& index_;
  const DedupOptions& options_;
  const GroupWeights& weight_;
};

}  // namespace kith::jobs
