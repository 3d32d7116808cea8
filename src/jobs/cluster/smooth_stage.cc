#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "bags/tables.h"
#include "bags/weights.h"
#include "base/budget.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/pair_stage.h"
#include "run/memory_budget.h"

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

namespace {

// The smoothed bags as they are joined.
struct Smoothed {
  bags::BagTable bags;
  cluster::SimilarityPlan plan;
  std::optional<SignatureTable> signatures;
};

// Files in the scratch folder.
struct ScratchFiles {
  explicit ScratchFiles(const std::string& folder)
      : bags(folder + "/smoothed_bags.kith"), signatures(folder + "/smoothed_signatures.kith") {}
  Status remove(storage::FileSystem& fs) const {
    KITH_TRY(fs.remove(bags));
    return fs.remove(signatures);
  }
  std::string bags;
  std::string signatures;
};

// Nothing is counted with the exact engine. Tables are for a threshold, which is that of smoothed
// bags: these are much more alike than bags of pages.
Result<cluster::SimilarityPlan> plan_smoothed(const sketch::BagCollection& bags,
                                              const SmoothInputs& inputs, ThreadPool& pool,
                                              SmoothReport& report) {
  if (inputs.engine == EngineChoice::exact) {
    cluster::SimilarityPlan plan;
    plan.groups = similar::find_duplicates(bags, pool);
    return plan;
  }
  ClusterOptions options = inputs.options;
  options.engine = inputs.engine;
  options.order = Order::url;
  options.similarity.reset();
  Report choices;
  KITH_ASSIGN(cluster::SimilarityPlan plan,
              cluster::make_plan(bags, {}, {}, options, pool, choices));
  report.similarity = choices.threshold.similarity;
  report.per_key = choices.engine.per_key;
  report.tables = choices.engine.tables;
  return plan;
}

// Counts what the lists have that those by own bags do not.
void count_others(const run::Neighbours& smoothed, const run::Neighbours& own,
                  SmoothReport& report) {
  constexpr size_t stretch = 1 << 14;
  std::vector<uint32_t> known;
  for (size_t id = 0; id < smoothed.size(); ++id) {
    known.clear();
    for (const similar::Neighbour& entry : own[id]) known.push_back(entry.id);
    std::ranges::sort(known);
    report.listed += smoothed[id].size();
    for (const similar::Neighbour& entry : smoothed[id]) {
      report.others += !std::ranges::binary_search(known, entry.id);
    }
    if (id % stretch != stretch - 1) continue;
    smoothed.release();
    own.release();
  }
}

// Opens the smoothed bags; where they and their signatures are small they stay, at the cost of the
// memory of `resources`.
Result<Smoothed> open_smoothed(const ScratchFiles& files, const SmoothInputs& inputs,
                               PairResources& resources, SmoothReport& report) {
  Smoothed smoothed;
  KITH_ASSIGN(smoothed.bags, bags::BagTable::open(resources.fs, files.bags));
  report.entries = smoothed.bags.bags().entries().size();
  const bool has_tables = inputs.engine == EngineChoice::lsh;
  const uint64_t row = has_tables ? uint64_t{inputs.options.lanes} * sizeof(uint16_t) : 0;
  const uint64_t bytes = smoothed.bags.bags().entries().size_bytes() + inputs.bags.size() * row;
  // Up to half of their share, so that the lists find room where those by own bags did.
  const bool stays = run::may_stay(2 * bytes, resources.memory);
  if (stays) {
    KITH_TRY(smoothed.bags.stay());
    resources.memory = resources.memory.without(Share::kept_files, bytes);
  }
  const sketch::BagCollection& bags = smoothed.bags.bags();
  KITH_ASSIGN(smoothed.plan, plan_smoothed(bags, inputs, resources.pool, report));
  if (!has_tables) return smoothed;
  KITH_TRY(write_signatures(resources.fs, files.signatures, bags,
                            cluster::sketch_options(inputs.options), resources.pool));
  KITH_ASSIGN(smoothed.signatures, SignatureTable::open(resources.fs, files.signatures,
                                                        inputs.options.lanes, bags.size()));
  if (stays) KITH_TRY(smoothed.signatures->stay());
  return smoothed;
}

}  // namespace

Result<SmoothReport> write_smoothed_neighbours(const NeighbourFiles& files,
                                               const SmoothInputs& inputs, PairResources resources,
                                               const ProgressCallback& progress) {
  const uint64_t ids = inputs.bags.size();
  resources.held = ids * run::bytes_of_smoothed_url;
  KITH_TRY(run::working_memory(resources.memory, ids)
               .check(resources.held + smoothing_bytes(inputs.bags, resources.pool.size()),
                      run::counted(ids, "URLs")));
  const ScratchFiles scratch(resources.scratch);
  KITH_TRY(write_smoothed_bags(resources.fs, scratch.bags, inputs.bags, inputs.neighbours,
                               resources.pool));
  SmoothReport report;
  KITH_ASSIGN(const Smoothed smoothed, open_smoothed(scratch, inputs, resources, report));
  const auto show = [&](Progress step) {
    step.stage = "smooth";
    if (progress) progress(step);
  };
  KITH_TRY(write_neighbours(files, smoothed.bags.bags(), smoothed.plan,
                            smoothed.signatures ? &*smoothed.signatures : nullptr, resources, show)
               .status());
  KITH_ASSIGN(const auto lists, run::Neighbours::open(resources.fs, files.neighbours));
  count_others(lists, inputs.neighbours, report);
  KITH_TRY(scratch.remove(resources.fs));
  return report;
}

}  // namespace kith::jobs
