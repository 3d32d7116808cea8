// A TableJoin as many machines use it, one slice after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kith/table_join.h"

namespace kith::test {

class DistributedJoin {
 public:
  // different: the documents to be joined, ascending; signatures: of all documents.
  DistributedJoin(const TableJoin& join, std::vector<uint32_t> different, SignatureView signatures,
                  uint32_t lanes)
      : join_(join),
        different_(std::move(different)),
        signatures_(signatures),
        lanes_(lanes),
        rows_(signatures_of(different_)),
        keys_(*join_.keys(rows_)) {
    split_buckets();
  }

  // Of whole parts, the names and members.
  const std::vector<uint64_t>& part_names() const { return part_names_; }
  const std::vector<uint32_t>& part_members() const { return part_members_; }
  // Documents whose bucket was split, over all tables.
  size_t split() const { return places_.size(); }

  // By key, the places of the different documents of a table.
  std::map<uint32_t, std::vector<uint32_t>> buckets(uint32_t table) const {
    std::map<uint32_t, std::vector<uint32_t>> buckets;
    for (uint32_t i = 0; i < different_.size(); ++i) {
      buckets[keys_[size_t{i} * join_.tables() + table]].push_back(i);
    }
    return buckets;
  }

  // The candidates of a slice: first and second documents.
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> candidates(uint32_t slice,
                                                                     uint32_t slices) const {
    std::pair<std::vector<uint32_t>, std::vector<uint32_t>> pairs;
    const auto found = *join_.candidates(different_, rows_, places_, slice, slices);
    for (const DocumentIds& pair : found.pairs) {
      pairs.first.push_back(pair.a);
      pairs.second.push_back(pair.b);
    }
    return pairs;
  }

  std::vector<uint16_t> signatures_of(std::span<const uint32_t> documents) const {
    std::vector<uint16_t> values;
    for (const uint32_t id : documents) {
      const SignatureView row = signatures_.subspan(size_t{id} * lanes_, lanes_);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  }

 private:
  uint64_t bound(const std::map<uint32_t, std::vector<uint32_t>>& buckets) const {
    std::map<uint64_t, uint64_t> sizes;
    for (const auto& [key, members] : buckets) ++sizes[members.size()];
    std::vector<uint64_t> size;
    std::vector<uint64_t> count;
    for (const auto& [members, times] : sizes) {
      size.push_back(members);
      count.push_back(times);
    }
    return *join_.bound(different_.size(), size, count);
  }

  void split_buckets() {
    std::map<std::pair<uint32_t, uint32_t>, DocumentPlace> found;  // by row, table
    for (uint32_t table = 0; table < join_.tables(); ++table) {
      const auto all = buckets(table);
      const uint64_t largest = bound(all);
      for (const auto& [key, members] : all) {
        if (members.size() <= join_.largest_unsplit(largest)) continue;
        std::vector<uint32_t> ids;
        for (const uint32_t i : members) ids.push_back(different_[i]);
        for (DocumentPlace place : *join_.split(table, largest, ids, signatures_of(ids))) {
          if (place.is_whole) {
            part_names_.push_back(place.part);
            part_members_.push_back(ids[place.row]);
          }
          place.row = members[place.row];
          found.emplace(std::pair(place.row, table), place);
        }
      }
    }
    for (const auto& [at, place] : found) places_.push_back(place);
  }

  const TableJoin& join_;
  const std::vector<uint32_t> different_;
  const SignatureView signatures_;
  const uint32_t lanes_;
  const std::vector<uint16_t> rows_;
  const std::vector<uint32_t> keys_;
  std::vector<DocumentPlace> places_;
  std::vector<uint64_t> part_names_;
  std::vector<uint32_t> part_members_;
};

}  // namespace kith::test
