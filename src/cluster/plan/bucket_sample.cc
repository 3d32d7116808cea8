#include "cluster/plan/bucket_sample.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel/radix_sort.h"
#include "sketch/lsh/buckets.h"

namespace kith::cluster {
namespace {

constexpr uint32_t sampled_tables = 16;

SignatureSample draw(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                     const BucketSampleOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> ids = similar::distinct_bags(bags, groups);
  const std::vector<uint64_t> places = bucket_sample_places(ids.size(), options);
  SignatureSample sample;
  sample.lanes = options.sketch.lanes;
  sample.values.resize(places.size() * sample.lanes);
  sample.share =
      static_cast<double>(places.size()) / static_cast<double>(std::max<size_t>(1, ids.size()));
  const sketch::Sketcher sketcher(options.sketch);
  constexpr size_t grain = 256;
  pool.for_chunks(places.size(), grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<sketch::BagEntry> buffer;
    for (size_t i = begin; i < end; ++i) {
      sketcher.sketch(bags.read(ids[places[i]], buffer),
                      std::span(sample.values).subspan(i * sample.lanes, sample.lanes));
    }
  });
  return sample;
}

// Members of a bucket that stay together in it.
double in_whole_parts(std::span<const KeyId> bucket, const SignatureSample& sample,
                      const similar::PivotRule& rule) {
  if (rule.tight == 0) return 0;
  std::vector<std::span<const uint16_t>> rows;
  for (const KeyId& member : bucket) {
    rows.push_back(
        std::span(sample.values).subspan(size_t{member.id} * sample.lanes, sample.lanes));
  }
  return static_cast<double>(similar::rows_in_whole_parts(rows, rule));
}

// The sum over the members of all buckets of a table.
Meeting meetings_in(const sketch::Tables& tables, uint32_t table, const SignatureSample& sample,
                    const BucketSampleOptions& options) {
  const auto largest = static_cast<double>(options.largest);
  std::vector<KeyId> entries(sample.size());
  std::vector<KeyId> scratch(sample.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const auto signature = std::span(sample.values).subspan(size_t{i} * sample.lanes, sample.lanes);
    entries[i] = {tables.key(table, signature), i};
  }
  radix_sort(entries, scratch);
  Meeting sum;
  sketch::for_each_bucket(std::span<const KeyId>(entries), [&](std::span<const KeyId> bucket) {
    const auto members = static_cast<double>(bucket.size());
    const double others = (members - 1) / sample.share;
    sum.others += members * std::min(others, largest - 1);
    if (others > largest - 1) sum.split += members - in_whole_parts(bucket, sample, options.pivots);
  });
  return sum;
}

}  // namespace

std::vector<uint64_t> bucket_sample_places(uint64_t representatives,
                                           const BucketSampleOptions& options) {
  const auto requested =
      static_cast<uint64_t>(options.share * static_cast<double>(representatives));
  const uint64_t size = std::min(representatives, std::max<uint64_t>(requested, options.least));
  std::vector<uint64_t> places(size);
  for (uint64_t i = 0; i < size; ++i) places[i] = i * representatives / size;
  return places;
}

Meetings sample_meetings(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                         const BucketSampleOptions& options, ThreadPool& pool) {
  return sample_meetings(draw(bags, groups, options, pool), options, pool);
}

Meetings sample_meetings(const SignatureSample& sample, const BucketSampleOptions& options,
                         ThreadPool& pool) {
  Meetings meetings{};
  if (sample.size() == 0) return meetings;
  const uint32_t most = std::min(sketch::max_per_key, sample.lanes);
  pool.for_chunks(most, 1, [&](size_t begin, size_t, unsigned) {
    const auto per_key = static_cast<uint32_t>(begin + 1);
    const sketch::Tables tables({.lanes = sample.lanes,
                                 .per_key = per_key,
                                 .tables = sampled_tables,
                                 .seed = options.seed});
    Meeting& mean = meetings[per_key];
    const double entries = sampled_tables * static_cast<double>(sample.size());
    for (uint32_t table = 0; table < sampled_tables; ++table) {
      const Meeting sum = meetings_in(tables, table, sample, options);
      mean.others += sum.others / entries;
      mean.split += sum.split / entries;
    }
  });
  return meetings;
}

}  // namespace kith::cluster
