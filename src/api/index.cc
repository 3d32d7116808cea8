#include "kith/index.h"

#include <algorithm>
#include <utility>

#include "kith/bags.h"
#include "kith/sketches.h"

#include "api/batch.h"
#include "api/index_core.h"
#include "base/memory.h"
#include "sketch/estimate.h"

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

namespace {

constexpr size_t asked_sets_per_chunk = 16;

// The sets with their elements ascending, each once.
Sets sorted_sets(const SetsView& sets) {
  Sets sorted;
  sorted.offsets.reserve(sets.size() + 1);
  std::vector<uint64_t> set;
  for (size_t i = 0; i < sets.size(); ++i) {
    set.assign(sets[i].begin(), sets[i].end());
    if (std::ranges::adjacent_find(set, std::ranges::greater_equal()) != set.end()) {
      std::ranges::sort(set);
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    sorted.elements.insert(sorted.elements.end(), set.begin(), set.end());
    sorted.offsets.push_back(sorted.elements.size());
  }
  return sorted;
}

// Sets that are to be added or asked for.
struct SignedSets {
  Sets sets;
  std::vector<uint16_t> rows;
};

Result<SignedSets> sign(const SetsView& view, const MinHasher& hasher, unsigned threads) {
  KITH_TRY(validate(view));
  SignedSets made;
  const Status done = run::guarded([&] {
    made.sets = sorted_sets(view);
    made.rows.resize(view.size() * hasher.lanes());
    return hasher.signatures(made.sets, made.rows, threads);
  });
  KITH_TRY(done);
  return made;
}

}  // namespace

struct SetIndex::State {
  State(const IndexOptions& options, const TablePlan& plan, MinHasher with)
      : core(options, plan), hasher(std::move(with)) {}

  std::vector<Match> query(const SignedSets& of, size_t i) const {
    const sketch::HashSet set = of.sets[i];
    if (set.empty()) return {};
    const uint32_t lanes = hasher.lanes();
    return core.matches(std::span(of.rows).subspan(i * lanes, lanes), core.size(),
                        [&](uint32_t id) { return sketch::overlap(set, sets[id]).resemblance(); });
  }

  api::IndexCore core;
  MinHasher hasher;
  Sets sets;
};

SetIndex::SetIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
SetIndex::~SetIndex() = default;
SetIndex::SetIndex(SetIndex&&) noexcept = default;
SetIndex& SetIndex::operator=(SetIndex&&) noexcept = default;

Result<SetIndex> SetIndex::make(const IndexOptions& options) {
  return run::guarded([&]() -> Result<SetIndex> {
    KITH_ASSIGN(const TablePlan plan, api::plan_of(options));
    KITH_ASSIGN(MinHasher hasher, MinHasher::make({.lanes = options.lanes, .seed = options.seed}));
    return SetIndex(std::make_unique<State>(options, plan, std::move(hasher)));
  });
}

const IndexOptions& SetIndex::options() const {
  return state_->core.options();
}

const TablePlan& SetIndex::plan() const {
  return state_->core.plan();
}

uint32_t SetIndex::size() const {
  return state_->core.size();
}

std::span<const uint64_t> SetIndex::set(uint32_t id) const {
  return state_->sets[id];
}

Result<uint32_t> SetIndex::add(std::span<const uint64_t> set) {
  const uint64_t offsets[] = {0, set.size()};
  return add(SetsView{offsets, set}, 1);
}

Result<uint32_t> SetIndex::add(const SetsView& sets, unsigned threads) {
  KITH_TRY(state_->core.check_room(sets.size()));
  KITH_ASSIGN(const SignedSets made, sign(sets, state_->hasher, threads));
  const uint32_t first = size();
  const Status done = run::guarded([&] {
    Sets& all = state_->sets;
    reserve_more(all.elements, made.sets.elements.size());
    reserve_more(all.offsets, made.sets.size());
    state_->core.reserve(made.sets.size());
    for (size_t i = 0; i < made.sets.size(); ++i) {
      all.elements.insert(all.elements.end(), made.sets[i].begin(), made.sets[i].end());
      all.offsets.push_back(all.elements.size());
    }
    state_->core.append(made.rows, [&](size_t i) { return !made.sets[i].empty(); });
    return Status::ok();
  });
  KITH_TRY(done);
  return first;
}

Result<std::vector<Match>> SetIndex::query(std::span<const uint64_t> set) const {
  const uint64_t offsets[] = {0, set.size()};
  KITH_ASSIGN(auto answers, query(SetsView{offsets, set}, 1));
  return std::move(answers.front());
}

Result<std::vector<std::vector<Match>>> SetIndex::query(const SetsView& sets,
                                                        unsigned threads) const {
  KITH_ASSIGN(const SignedSets asked, sign(sets, state_->hasher, threads));
  std::vector<std::vector<Match>> answers(sets.size());
  const auto answer = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) answers[i] = state_->query(asked, i);
    return Status::ok();
  };
  KITH_TRY(api::for_chunks(sets.size(), asked_sets_per_chunk, threads, answer));
  return answers;
}

Result<std::vector<SimilarIds>> SetIndex::pairs(unsigned threads) const {
  const Sets& sets = state_->sets;
  return state_->core.pairs(
      [&](uint32_t a, uint32_t b) { return sketch::overlap(sets[a], sets[b]).resemblance(); },
      threads);
}

}  // namespace kith
