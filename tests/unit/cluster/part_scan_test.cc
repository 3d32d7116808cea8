// CENTER over pairs and whole parts, beside its definition by brute force.
#include "cluster/leader/part_scan.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_bags.h"

namespace kith::cluster {
namespace {

// Bags 0, 2, 4, ... are in one or two of three whole parts; the others are known by pairs.
class PartScanTest : public testing::Test {
 protected:
  static constexpr uint32_t rows = 400;

  PartScanTest() {
    for (uint32_t row = 0; row < rows; row += 2) {
      const auto bag = static_cast<uint32_t>(rows_of_bags_.size());
      rows_of_bags_.push_back(row);
      in_parts_.add_copy(all_[row]);
      members_.push_back({bag % 3, bag});
      if (bag % 5 == 0) members_.push_back({(bag + 1) % 3, bag});
    }
    for (uint32_t b = 0; b < rows; ++b) {
      for (uint32_t a = 0; a < b; ++a) {
        if (a % 2 == 0 && b % 2 == 0) continue;
        const uint32_t sum = sketch::sum_of_minima(all_[a], all_[b]);
        if (sum >= min_sum) pairs_.push_back({a, b, sum});
      }
    }
  }

  Clustering scan(Assign assign) const {
    const std::vector<uint8_t> bytes(rows_of_bags_.size() * lanes);
    return scan_parts({.rows = rows,
                       .rows_of_bags = rows_of_bags_,
                       .bags = in_parts_.view(),
                       .plane = sketch::SignaturePlane(bytes, lanes),
                       .pairs = pairs_,
                       .members = members_,
                       .min_sum = min_sum,
                       .plane_bar = 0,
                       .assign = assign});
  }

  // The sum of minima of two rows that are an edge, else 0.
  uint32_t edge(uint32_t a, uint32_t b) const {
    if (a % 2 == 0 && b % 2 == 0 && !share_a_part(a / 2, b / 2)) return 0;
    const uint32_t sum = sketch::sum_of_minima(all_[a], all_[b]);
    return sum >= min_sum ? sum : 0;
  }

  Clustering by_brute_force(Assign assign) const {
    Clustering found(rows);
    for (uint32_t row = 0; row < rows; ++row) {
      found.make_center(row);
      for (uint32_t other = 0; other < row; ++other) {
        if (!found.is_center(other) || edge(row, other) == 0) continue;
        found.join(row, other, edge(row, other));
        break;
      }
    }
    if (assign == Assign::first) return found;
    for (uint32_t row = 0; row < rows; ++row) {
      if (found.is_center(row)) continue;
      for (uint32_t other = 0; other < rows; ++other) {
        const uint32_t sum = found.is_center(other) ? edge(row, other) : 0;
        const bool is_tie = sum == found.sum_of_minima[row] && other < found.center[row];
        if (sum > found.sum_of_minima[row] || is_tie) found.join(row, other, sum);
      }
    }
    return found;
  }

 private:
  static constexpr uint32_t lanes = 16;
  static constexpr uint32_t min_sum = sketch::bag_total / 5;

  static bool share_a_part(uint32_t a, uint32_t b) {
    const auto is_in = [](uint32_t bag, uint32_t part) {
      return bag % 3 == part || (bag % 5 == 0 && (bag + 1) % 3 == part);
    };
    return (is_in(a, 0) && is_in(b, 0)) || (is_in(a, 1) && is_in(b, 1)) ||
           (is_in(a, 2) && is_in(b, 2));
  }

  const kith::test::OwnedBags all_ =
      kith::test::random_bags({.bags = rows, .topics = 8, .seed = 11});
  kith::test::OwnedBags in_parts_;
  std::vector<uint32_t> rows_of_bags_;
  std::vector<similar::PartMember> members_;
  std::vector<RowPair> pairs_;
};

TEST_F(PartScanTest, JoinsTheFirstOrTheBestCenter) {
  const Clustering first = scan(Assign::first);
  const Clustering best = scan(Assign::best);
  EXPECT_EQ(first, by_brute_force(Assign::first));
  EXPECT_EQ(best, by_brute_force(Assign::best));
  size_t centers = 0;
  size_t moved = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    centers += first.is_center(row) ? 1 : 0;
    moved += first.center[row] != best.center[row] ? 1 : 0;
  }
  EXPECT_GT(centers, 20);
  EXPECT_LT(centers, 300);
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace kith::cluster
