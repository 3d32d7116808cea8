// Joins by slices: candidates of the tables of one machine, verified rows of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "kith/status.h"
#include "kith/table_join.h"

#include "api/batch.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith {

// What the steps of jobs on many machines share. Internal to this folder.
struct TableJoin::State {
  State(const sketch::TableParams& params, uint32_t min_equal_bytes, similar::PivotRule pivot_rule)
      : min_equal(min_equal_bytes), tables(params), masks(tables), pivots(pivot_rule) {}

  uint32_t lanes() const { return tables.params().lanes; }

  const uint32_t min_equal;  // low bytes of a candidate
  const sketch::Tables tables;
  const sketch::SubsetMasks masks;
  const similar::PivotRule pivots;
};

namespace distributed {

// That there are such tables.
inline Status check_tables(uint32_t per_key, uint32_t tables) {
  if (per_key >= 1 && per_key <= sketch::max_per_key && tables >= 1 &&
      tables <= sketch::tables_limit) {
    return Status::ok();
  }
  return api::usage(fmt::format("{} tables of {} values: are none of a plan", tables, per_key));
}

// That signatures are those of so many documents.
inline Status check_signatures(size_t documents, size_t values, uint32_t lanes) {
  if (values == documents * lanes) return Status::ok();
  return api::usage(fmt::format("{} documents have {} values of signatures: {} are needed",
                                documents, values, documents * lanes));
}

}  // namespace distributed
}  // namespace kith

// Documents that a caller gives, as the rooms take them. Internal to this folder.
namespace kith::distributed {

// Documents with signatures side by side. Both must outlive it.
class GivenRows final : public similar::SignatureRows {
 public:
  GivenRows(DocumentView documents, SignatureView signatures, uint32_t lanes)
      : documents_(documents), signatures_(signatures, lanes) {}

  size_t size() const override { return documents_.size(); }
  uint32_t lanes() const override { return signatures_.lanes(); }
  uint32_t id(size_t row) const override { return documents_[row]; }
  uint16_t value(size_t row, uint32_t lane) const override { return signatures_[row][lane]; }
  std::span<const uint16_t> values(size_t row, std::span<uint16_t>) const override {
    return signatures_[row];
  }
  void prefetch(size_t row) const override { kith::prefetch(signatures_[row]); }
  void release(size_t, size_t) const override {}

 private:
  const DocumentView documents_;
  const sketch::Signatures signatures_;
};

}  // namespace kith::distributed
