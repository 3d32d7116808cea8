#include "unit/cluster/collection.h"

#include <algorithm>

#include "cluster/order.h"
#include "sketch/signature.h"
#include "support/memory_file_system.h"

namespace kith::cluster::test {

kith::test::OwnedBags bags_of(std::span<const Words> bags) {
  kith::test::OwnedBags owned;
  for (const Words& words : bags) owned.add(words);
  return owned;
}

Collection::Collection(kith::test::OwnedBags bags)
    : bags_(std::move(bags)), signatures_(bags_.size() * lanes), plane_(bags_.size() * lanes) {
  const sketch::Sketcher sketcher(sketch::SketchOptions{.lanes = lanes});
  for (size_t id = 0; id < bags_.size(); ++id) {
    const auto row = std::span(signatures_).subspan(id * lanes, lanes);
    sketcher.sketch(bags_[id], row);
    sketch::low_bytes(row, std::span(plane_).subspan(id * lanes, lanes));
  }
}

SketchedBags Collection::sketched() const {
  return {bags(), sketch::Signatures(signatures_, lanes), sketch::SignaturePlane(plane_, lanes)};
}

LeaderResult exact_leaders(const sketch::BagCollection& bags, std::span<const uint32_t> order,
                           const LeaderOptions& options, ThreadPool& pool, uint64_t part_bytes,
                           const LeaderProgress& progress) {
  kith::test::MemoryFileSystem fs;
  const RowSpill spill = part_bytes == 0 ? RowSpill{} : RowSpill{&fs, &pool, "rows", part_bytes};
  auto rows = OrderedRows::make(bags, {}, order, spill);
  return exact_leaders(bags.size(), rows.value(), options, pool, progress).value();
}

std::vector<similar::Pair> similar_pairs(const sketch::BagCollection& bags, uint32_t min_sum) {
  std::vector<similar::Pair> pairs;
  for (uint32_t a = 0; a < bags.size(); ++a) {
    for (uint32_t b = a + 1; b < bags.size(); ++b) {
      const uint32_t sum = sketch::sum_of_minima(bags[a], bags[b]);
      if (sum >= min_sum) pairs.push_back({a, b, sum});
    }
  }
  return pairs;
}

uint64_t part_of(const LshBuckets& buckets, uint32_t table, uint32_t id,
                 std::span<const uint16_t> signature) {
  const uint64_t key = buckets.classes.key(buckets.tables.key(table, signature), id);
  return buckets.splits.part(table, key, id, signature);
}

std::vector<similar::Pair> colliding_pairs(const SketchedBags& sketched, const LshBuckets& buckets,
                                           uint32_t min_sum, double plane_miss) {
  const uint32_t min_equal =
      sketch::min_equal(sketch::similarity_of(min_sum), lanes, 8, plane_miss);
  const auto meet = [&](uint32_t a, uint32_t b) {
    for (uint32_t table = 0; table < buckets.tables.params().tables; ++table) {
      if (part_of(buckets, table, a, sketched.signatures[a]) ==
          part_of(buckets, table, b, sketched.signatures[b])) {
        return true;
      }
    }
    return false;
  };
  std::vector<similar::Pair> pairs = similar_pairs(sketched.bags, min_sum);
  std::erase_if(pairs, [&](const similar::Pair& pair) {
    return !meet(pair.a, pair.b) ||
           sketch::count_equal_scalar(sketched.plane[pair.a], sketched.plane[pair.b]) < min_equal;
  });
  return pairs;
}

LshBuckets buckets_of(const Collection& collection, const sketch::Tables& tables, size_t largest,
                      const similar::Classes& classes) {
  std::vector<uint32_t> filled;
  for (uint32_t id = 0; id < collection.size(); ++id) {
    if (!collection.bags()[id].empty()) filled.push_back(id);
  }
  ThreadPool pool(2);
  return scan_buckets(tables, collection.sketched().signatures, filled, {},
                      {.largest = largest, .classes = classes}, pool);
}

std::vector<uint64_t> degrees_of(size_t n, std::span<const similar::Pair> pairs) {
  std::vector<uint64_t> degrees(n, 0);
  for (const similar::Pair& pair : pairs) {
    ++degrees[pair.a];
    ++degrees[pair.b];
  }
  return degrees;
}

Clustering center_by_definition(size_t n, std::span<const similar::Pair> pairs,
                                std::span<const uint32_t> order, Assign assign) {
  std::vector<uint32_t> sums(n * n, 0);
  for (const similar::Pair& pair : pairs) {
    sums[pair.a * n + pair.b] = pair.sum_of_minima;
    sums[pair.b * n + pair.a] = pair.sum_of_minima;
  }
  const auto sum_of = [&](uint32_t a, uint32_t b) { return sums[a * n + b]; };
  std::vector<uint32_t> centers;
  Clustering clustering(n);
  for (const uint32_t id : order) {
    const bool covered =
        std::ranges::any_of(centers, [&](uint32_t center) { return sum_of(id, center) > 0; });
    if (covered) continue;
    centers.push_back(id);
    clustering.make_center(id);
  }
  for (const uint32_t id : order) {
    for (const uint32_t center : centers) {
      const uint32_t sum = sum_of(id, center);
      const bool first = clustering.center[id] == no_center;
      const bool closer = assign == Assign::best && sum > clustering.sum_of_minima[id];
      if (sum > 0 && (first || closer)) clustering.join(id, center, sum);
    }
  }
  return clustering;
}

}  // namespace kith::cluster::test
