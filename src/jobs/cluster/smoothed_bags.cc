#include "jobs/cluster/smoothed_bags.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "bags/mean_bag.h"
#include "bags/tables.h"
#include "bags/tables_writer.h"

namespace kith::jobs {
namespace {

constexpr size_t batch_bags = 2048;  // bags made by all threads before they are written
constexpr size_t grain = 64;

struct alignas(worker_alignment) Worker {
  bags::MeanBag mean;
  std::vector<sketch::BagEntry> buffer;
  std::vector<sketch::BagEntry> heaviest;
};

// So that pages of very many words do not take the memory.
sketch::Bag heaviest_words(sketch::Bag bag, std::vector<sketch::BagEntry>& buffer) {
  if (bag.size() <= max_smoothed_words) return bag;
  buffer.assign(bag.begin(), bag.end());
  std::ranges::nth_element(buffer, buffer.begin() + max_smoothed_words,
                           [](const sketch::BagEntry& a, const sketch::BagEntry& b) {
                             return a.weight != b.weight ? a.weight > b.weight : a.term < b.term;
                           });
  buffer.resize(max_smoothed_words);
  return buffer;
}

void smooth(const sketch::BagCollection& bags, std::span<const similar::Neighbour> list, size_t id,
            Worker& worker, std::vector<sketch::BagEntry>& smoothed) {
  list = list.first(std::min<size_t>(list.size(), smoothing_neighbours));
  uint32_t all = 0;
  for (const similar::Neighbour& entry : list) {
    const uint32_t share = smoothing_share(entry.sum_of_minima);
    worker.mean.add(heaviest_words(bags.read(entry.id, worker.buffer), worker.heaviest),
                    others_weight * share);
    all += share;
  }
  worker.mean.add(heaviest_words(bags.read(id, worker.buffer), worker.heaviest),
                  own_weight * std::max(all, 1u));
  worker.mean.take(smoothed_terms, smoothed);
}

}  // namespace

uint32_t smoothing_share(uint32_t sum_of_minima) {
  constexpr double unit = 1 << 16;
  return std::max(1u,
                  static_cast<uint32_t>(std::lround(sketch::similarity_of(sum_of_minima) * unit)));
}

uint64_t smoothing_bytes(const sketch::BagCollection& bags, unsigned threads) {
  uint64_t largest = 0;
  const std::span<const uint64_t> offsets = bags.offsets();
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    largest = std::max(largest, offsets[i + 1] - offsets[i]);
  }
  constexpr uint64_t made = batch_bags * (smoothed_terms * 2 * sizeof(sketch::BagEntry));
  const uint64_t added = std::min<uint64_t>(largest, max_smoothed_words);
  return made + threads * (bags::MeanBag::bytes((smoothing_neighbours + 1) * added) +
                           4 * largest * sizeof(sketch::BagEntry));
}

Status write_smoothed_bags(storage::FileSystem& fs, const std::string& path,
                           const sketch::BagCollection& bags, const run::Neighbours& neighbours,
                           ThreadPool& pool) {
  KITH_ASSIGN(auto file, bags::ItemsWriter::create(fs, path, bags::bags_kind, "entries"));
  std::vector<Worker> workers(pool.size());
  std::vector<std::vector<sketch::BagEntry>> made(std::min(batch_bags, bags.size()));
  for (size_t first = 0; first < bags.size(); first += batch_bags) {
    const size_t count = std::min(batch_bags, bags.size() - first);
    pool.for_chunks(count, grain, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t i = begin; i < end; ++i) {
        smooth(bags, neighbours[first + i], first + i, workers[worker], made[i]);
      }
    });
    neighbours.release();
    for (const std::vector<sketch::BagEntry>& bag : std::span(made).first(count)) {
      KITH_TRY(file.add(std::as_bytes(std::span(bag)), bag.size()));
    }
  }
  return file.finish();
}

}  // namespace kith::jobs
