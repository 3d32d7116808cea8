#include "topics/classify/classifier.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <tuple>

#include <linear.h>

#include "base/check.h"
#include "base/hash.h"

namespace kith::topics {

Calibration::Calibration(std::span<const Trial> trials, double accuracy) {
  std::vector<Trial> falling(trials.begin(), trials.end());
  std::ranges::sort(falling, std::greater(), &Trial::margin);
  find_sure_margin(falling, accuracy);
  fit_steps(falling);
}

void Calibration::find_sure_margin(std::span<const Trial> falling, double accuracy) {
  for (size_t i = 0; i < falling.size(); ++i) {
    right_ += falling[i].is_right ? 1 : 0;
    // Equal margins are sure together.
    if (i + 1 < falling.size() && falling[i + 1].margin == falling[i].margin) continue;
    if (static_cast<double>(right_) < accuracy * static_cast<double>(i + 1)) continue;
    sure_margin_ = falling[i].margin;
    sure_ = i + 1;
    sure_and_right_ = right_;
  }
}

void Calibration::fit_steps(std::span<const Trial> falling) {
  struct Pool {
    float margin;  // the least
    double right = 0;
    double all = 0;
  };
  std::vector<Pool> pools;
  for (size_t i = falling.size(); i > 0;) {
    Pool equal{falling[i - 1].margin};
    for (; i > 0 && falling[i - 1].margin == equal.margin; --i) {
      equal.right += falling[i - 1].is_right ? 1 : 0;
      equal.all += 1;
    }
    // What is below may not be right more often.
    while (!pools.empty() && pools.back().right * equal.all >= equal.right * pools.back().all) {
      equal = {pools.back().margin, pools.back().right + equal.right, pools.back().all + equal.all};
      pools.pop_back();
    }
    pools.push_back(equal);
  }
  for (const Pool& pool : pools) steps_.push_back({pool.margin, pool.right / pool.all});
}

double Calibration::confidence(float margin) const {
  if (steps_.empty()) return 0;
  const auto above = std::ranges::upper_bound(steps_, margin, {}, &Step::margin);
  return above == steps_.begin() ? steps_.front().confidence : (above - 1)->confidence;
}

std::vector<Example> distinct_examples(const sketch::BagCollection& bags,
                                       std::vector<Example> examples) {
  struct Known {
    uint32_t class_number;
    uint64_t hash;
    uint32_t id;
  };
  std::vector<Known> known;
  for (const Example& example : examples) {
    const sketch::Bag bag = bags[example.id];
    if (!bag.empty()) {
      known.push_back({example.class_number, hash64(std::as_bytes(bag)), example.id});
    }
  }
  std::ranges::sort(
      known, {}, [](const Known& one) { return std::tuple(one.class_number, one.hash, one.id); });
  examples.clear();
  for (size_t i = 0; i < known.size(); ++i) {
    const bool is_new = i == 0 || known[i].class_number != known[i - 1].class_number ||
                        !std::ranges::equal(bags[known[i].id], bags[known[i - 1].id]);
    if (is_new) examples.push_back({known[i].id, known[i].class_number});
  }
  std::ranges::sort(examples, {}, &Example::id);
  return examples;
}

double unit_scale(sketch::Bag bag) {
  double squares = 0;
  for (const sketch::BagEntry& entry : bag) {
    squares += static_cast<double>(entry.weight) * static_cast<double>(entry.weight);
  }
  return 1 / std::sqrt(squares);
}

ExampleVectors::ExampleVectors(const sketch::BagCollection& bags, std::span<const Example> examples)
    : examples_(examples) {
  size_t entries = 0;
  uint32_t limit = 0;
  for (const Example& example : examples) {
    entries += bags[example.id].size();
    limit = std::max(limit, bags[example.id].back().term + 1);
  }
  numbers_.assign(limit, none);
  for (const Example& example : examples) {
    for (const sketch::BagEntry& entry : bags[example.id]) numbers_[entry.term] = 0;
  }
  for (uint32_t& number : numbers_) {
    if (number != none) number = static_cast<uint32_t>(terms_++);
  }
  nodes_ = std::make_unique<feature_node[]>(entries + 2 * examples.size());
  size_t at = 0;
  const int constant = static_cast<int>(terms_) + 1;
  for (const Example& example : examples) {
    const sketch::Bag bag = bags[example.id];
    const double scale = unit_scale(bag);
    begin_.push_back(at);
    for (const sketch::BagEntry& entry : bag) {
      nodes_[at++] = {static_cast<int>(numbers_[entry.term]) + 1, scale * entry.weight};
    }
    nodes_[at++] = {constant, 1};
    nodes_[at++] = {-1, 0};
  }
}

ExampleVectors::~ExampleVectors() = default;
ExampleVectors::ExampleVectors(ExampleVectors&&) noexcept = default;

uint64_t ExampleVectors::bytes(uint64_t examples, uint64_t entries, uint64_t terms) {
  return (entries + 2 * examples) * sizeof(feature_node) + examples * sizeof(size_t) +
         terms * sizeof(uint32_t);
}

feature_node* ExampleVectors::row(size_t i) const {
  return &nodes_[begin_[i]];
}

namespace {

// LIBLINEAR prints how it is doing, unless it is told how to print.
void silence() {
  static const bool done = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  KITH_CHECK(done);
}

struct DestroyModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

}  // namespace

Separator train_separator(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                          uint32_t class_number) {
  Separator separator;
  separator.weights.resize(vectors.terms());
  std::vector<double> targets;
  std::vector<feature_node*> nodes;
  size_t members = 0;
  for (const uint32_t row : rows) {
    const bool is_member = vectors.class_of(row) == class_number;
    members += is_member ? 1 : 0;
    targets.push_back(is_member ? 1 : -1);
    nodes.push_back(vectors.row(row));
  }
  if (members == 0 || members == rows.size()) return separator;
  silence();
  problem examples{};
  examples.l = static_cast<int>(rows.size());
  examples.n = static_cast<int>(vectors.terms()) + 1;
  examples.y = targets.data();
  examples.x = nodes.data();
  examples.bias = 1;
  parameter options{};
  options.solver_type = L2R_L2LOSS_SVC;
  options.C = 1;
  options.eps = 0.01;
  KITH_CHECK(check_parameter(&examples, &options) == nullptr);
  const std::unique_ptr<model, DestroyModel> trained(train(&examples, &options));
  // The weights are those of the target that the model names first.
  const float sign = trained->label[0] > 0 ? 1 : -1;
  for (size_t term = 0; term < vectors.terms(); ++term) {
    separator.weights[term] = sign * static_cast<float>(trained->w[term]);
  }
  separator.constant = sign * static_cast<float>(trained->w[vectors.terms()]);
  return separator;
}

uint64_t separator_bytes(uint64_t rows, uint64_t terms) {
  // Twelve vectors over the terms are in the hands of the solver, seven over the rows.
  return terms * (12 * sizeof(double) + sizeof(float)) + rows * 7 * sizeof(double);
}

SeparatorBlock::SeparatorBlock(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                               uint32_t begin, uint32_t end, ThreadPool& pool)
    : vectors_(vectors),
      begin_(begin),
      width_(end - begin),
      weights_(width_ * vectors.terms()),
      constants_(width_) {
  pool.for_chunks(width_, 1, [&](size_t i, size_t, unsigned) {
    const Separator trained = train_separator(vectors, rows, begin + static_cast<uint32_t>(i));
    for (size_t term = 0; term < trained.weights.size(); ++term) {
      weights_[term * width_ + i] = trained.weights[term];
    }
    constants_[i] = trained.constant;
  });
}

void SeparatorBlock::score(sketch::Bag bag, std::vector<double>& scores, Best& best) const {
  scores.assign(width_, 0);
  for (const sketch::BagEntry& entry : bag) {
    const uint32_t term = vectors_.number_of(entry.term);
    if (term == ExampleVectors::none) continue;
    const float* const weights = &weights_[term * width_];
    for (size_t i = 0; i < width_; ++i) scores[i] += entry.weight * double{weights[i]};
  }
  const double scale = unit_scale(bag);
  for (size_t i = 0; i < width_; ++i) {
    best.offer(begin_ + static_cast<uint32_t>(i),
               static_cast<float>(scale * scores[i] + constants_[i]));
  }
}

std::vector<uint32_t> folds_of(const ExampleVectors& vectors, uint32_t folds) {
  std::vector<uint32_t> rows(vectors.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::ranges::sort(rows, {}, [&](uint32_t row) {
    return std::tuple(vectors.class_of(row), mix64(vectors.id(row)), row);
  });
  std::vector<uint32_t> fold(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) fold[rows[i]] = static_cast<uint32_t>(i % folds);
  return fold;
}

Classifier::Classifier(const sketch::BagCollection& bags, const ExampleVectors& vectors,
                       uint32_t classes, uint64_t block_bytes, ThreadPool& pool)
    : bags_(bags),
      vectors_(vectors),
      classes_(classes),
      block_classes_(static_cast<uint32_t>(std::clamp<uint64_t>(
          block_bytes / SeparatorBlock::bytes(1, std::max<uint64_t>(1, vectors.terms())), 1,
          classes))),
      pool_(pool) {}

template <class Score>
void Classifier::for_each_block(const std::vector<uint32_t>& rows, const Score& score) const {
  for (uint32_t begin = 0; begin < classes_; begin += block_classes_) {
    const uint32_t end = std::min(begin + block_classes_, classes_);
    score(SeparatorBlock(vectors_, rows, begin, end, pool_));
  }
}

std::vector<Best> Classifier::cross_validate(const std::function<void(double)>& show) const {
  const auto folds =
      static_cast<uint32_t>(std::min<size_t>(max_folds, std::max<size_t>(1, vectors_.size())));
  const std::vector<uint32_t> fold = folds_of(vectors_, folds);
  std::vector<Best> best(vectors_.size());
  for (uint32_t held_back = 0; held_back < folds; ++held_back) {
    if (show) show(static_cast<double>(held_back) / folds);
    std::vector<uint32_t> learnt;
    std::vector<uint32_t> asked;
    for (uint32_t row = 0; row < fold.size(); ++row) {
      (fold[row] == held_back ? asked : learnt).push_back(row);
    }
    for_each_block(learnt, [&](const SeparatorBlock& block) {
      constexpr size_t grain = 64;
      pool_.for_chunks(asked.size(), grain, [&](size_t begin, size_t end, unsigned) {
        std::vector<double> scores;
        for (size_t i = begin; i < end; ++i) {
          block.score(bags_[vectors_.id(asked[i])], scores, best[asked[i]]);
        }
      });
    });
  }
  return best;
}

std::vector<Best> Classifier::classify() const {
  std::vector<uint32_t> all(vectors_.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<Best> best(bags_.size());
  std::vector<sketch::BagBuffer> buffers(pool_.size());
  for_each_block(all, [&](const SeparatorBlock& block) {
    constexpr uint64_t stretch = 1 << 20;
    pool_.for_chunks(bags_.size(), bags_.bags_in(stretch),
                     [&](size_t begin, size_t end, unsigned worker) {
                       const sketch::BagBlock some = bags_.block(begin, end, buffers[worker]);
                       std::vector<double> scores;
                       for (size_t id = begin; id < end; ++id) {
                         if (!some[id].empty()) block.score(some[id], scores, best[id]);
                       }
                     });
  });
  return best;
}

// Measured: 3 to 6 ns for an entry in one of some ten iterations, in five folds of four fifths of
// the examples and in all of them; a nanosecond to score one.
double Classifier::seconds(uint64_t classes, uint64_t example_entries, uint64_t entries) {
  constexpr double train_seconds = 50 * 5e-9;
  constexpr double score_seconds = 1e-9;
  return static_cast<double>(classes) * (train_seconds * static_cast<double>(example_entries) +
                                         score_seconds * static_cast<double>(entries));
}

uint64_t Classifier::bytes_of_thread(uint64_t examples, uint64_t terms) {
  return separator_bytes(examples, terms);
}

}  // namespace kith::topics
