#include <utility>

#include "kith/bag_sketch.h"
#include "kith/index.h"

#include "api/bag_arrays.h"
#include "api/batch.h"
#include "api/index_core.h"
#include "base/reserve_more.h"

namespace kith {
namespace {

constexpr size_t asked_bags_per_chunk = 16;

Result<std::vector<uint16_t>> sign(const Bags& bags, const BagSketcher& sketcher,
                                   unsigned threads) {
  std::vector<uint16_t> rows;
  const Status done = run::guarded([&] {
    rows.resize(bags.size() * sketcher.lanes());
    return sketcher.signatures(bags, rows, threads);
  });
  KITH_TRY(done);
  return rows;
}

}  // namespace

struct BagIndex::State {
  State(const IndexOptions& options, const TablePlan& plan, BagSketcher with)
      : core(options, plan), sketcher(std::move(with)) {}

  api::IndexCore core;
  BagSketcher sketcher;
  Bags::Arrays bags;
};

BagIndex::BagIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
BagIndex::~BagIndex() = default;
BagIndex::BagIndex(BagIndex&&) noexcept = default;
BagIndex& BagIndex::operator=(BagIndex&&) noexcept = default;

Result<BagIndex> BagIndex::make(const IndexOptions& options) {
  return run::guarded([&]() -> Result<BagIndex> {
    KITH_ASSIGN(const TablePlan plan, api::plan_of(options));
    KITH_ASSIGN(BagSketcher sketcher,
                BagSketcher::make({.lanes = options.lanes, .seed = options.seed}));
    return BagIndex(std::make_unique<State>(options, plan, std::move(sketcher)));
  });
}

const IndexOptions& BagIndex::options() const {
  return state_->core.options();
}

const TablePlan& BagIndex::plan() const {
  return state_->core.plan();
}

uint32_t BagIndex::size() const {
  return state_->core.size();
}

Result<uint32_t> BagIndex::add(const Bags& bags, unsigned threads) {
  KITH_TRY(state_->core.check_room(bags.size()));
  KITH_ASSIGN(const std::vector<uint16_t> rows, sign(bags, state_->sketcher, threads));
  const uint32_t first = size();
  const sketch::BagCollection more = bags.arrays().collection();
  const Status done = run::guarded([&] {
    Bags::Arrays& all = state_->bags;
    reserve_more(all.entries, more.entries().size());
    reserve_more(all.offsets, more.size());
    state_->core.reserve(more.size());
    for (size_t i = 0; i < more.size(); ++i) {
      all.entries.insert(all.entries.end(), more[i].begin(), more[i].end());
      all.offsets.push_back(all.entries.size());
    }
    state_->core.append(rows, [&](size_t i) { return !more[i].empty(); });
    return Status::ok();
  });
  KITH_TRY(done);
  return first;
}

Result<std::vector<std::vector<Match>>> BagIndex::query(const Bags& bags, unsigned threads) const {
  KITH_ASSIGN(const std::vector<uint16_t> rows, sign(bags, state_->sketcher, threads));
  const sketch::BagCollection asked = bags.arrays().collection();
  const sketch::BagCollection all = state_->bags.collection();
  const uint32_t lanes = options().lanes;
  std::vector<std::vector<Match>> answers(asked.size());
  const auto answer = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (asked[i].empty()) continue;
      answers[i] =
          state_->core.matches(std::span(rows).subspan(i * lanes, lanes), size(),
                               [&](uint32_t id) { return sketch::similarity(asked[i], all[id]); });
    }
    return Status::ok();
  };
  KITH_TRY(api::for_chunks(asked.size(), asked_bags_per_chunk, threads, answer));
  return answers;
}

Result<std::vector<SimilarIds>> BagIndex::pairs(unsigned threads) const {
  const sketch::BagCollection all = state_->bags.collection();
  return state_->core.pairs(
      [&](uint32_t a, uint32_t b) { return sketch::similarity(all[a], all[b]); }, threads);
}

}  // namespace kith
