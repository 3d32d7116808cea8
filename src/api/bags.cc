#include "kith/bags.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/batch.h"
#include "bags/weights.h"

namespace kith {
namespace {

constexpr size_t bags_per_chunk = 256;
constexpr size_t max_terms = 65'536;
// A sum of so many such weights is finite.
constexpr double max_weight = 1e300;

Status check_offsets(const BagsView& view) {
  const uint64_t entries = std::min(view.terms.size(), view.weights.size());
  for (size_t i = 0; i + 1 < view.offsets.size(); ++i) {
    if (view.offsets[i] > view.offsets[i + 1]) {
      return api::usage(fmt::format("bag {}: its offsets descend", i));
    }
    if (view.offsets[i + 1] > entries) {
      return api::usage(fmt::format("bag {}: ends at {}, but there are {} terms and {} weights", i,
                                    view.offsets[i + 1], view.terms.size(), view.weights.size()));
    }
    if (view.offsets[i + 1] - view.offsets[i] > max_terms) {
      return api::usage(fmt::format("bag {}: has {} terms, more than {}", i,
                                    view.offsets[i + 1] - view.offsets[i], max_terms));
    }
  }
  return Status::ok();
}

// Whether the weights are those of a bag already; then `bag` is that.
bool is_scaled(std::span<const bags::RealWeight> weights, std::vector<sketch::BagEntry>& bag) {
  bag.clear();
  double sum = 0;
  for (const bags::RealWeight& entry : weights) {
    const double units = entry.weight * sketch::weight_one;
    if (units > sketch::bag_total || units != std::floor(units)) return false;
    sum += units;
    bag.push_back({entry.term, static_cast<uint32_t>(units)});
  }
  return sum == sketch::bag_total;
}

// Makes the bags of a view, one after the other.
class BagMaker {
 public:
  explicit BagMaker(const BagsView& view) : view_(view) {}

  // Valid until the next call.
  Result<sketch::Bag> make(size_t number) {
    weights_.clear();
    for (uint64_t at = view_.offsets[number]; at < view_.offsets[number + 1]; ++at) {
      const double weight = view_.weights[at];
      if (!(weight > 0 && weight <= max_weight)) {
        return api::usage(fmt::format("bag {}: the weight {} of term {} must be from above 0 to {}",
                                      number, weight, view_.terms[at], max_weight));
      }
      weights_.push_back({view_.terms[at], weight});
    }
    std::ranges::sort(weights_, {}, &bags::RealWeight::term);
    const auto twice = std::ranges::adjacent_find(weights_, {}, &bags::RealWeight::term);
    if (twice != weights_.end()) {
      return api::usage(fmt::format("bag {}: has term {} twice", number, twice->term));
    }
    if (!is_scaled(weights_, bag_)) bags::normalise(weights_, 0, bag_);
    return sketch::Bag(bag_);
  }

 private:
  const BagsView& view_;
  std::vector<bags::RealWeight> weights_;
  std::vector<sketch::BagEntry> bag_;
};

}  // namespace

Bags::Bags() : arrays_(std::make_shared<const Arrays>()) {}
Bags::Bags(std::shared_ptr<const Arrays> arrays) : arrays_(std::move(arrays)) {}

Result<Bags> Bags::make(const BagsView& view, unsigned threads) {
  KITH_TRY(check_offsets(view));
  if (view.offsets.size() < 2) return Bags();
  auto arrays = std::make_shared<Arrays>();
  const size_t n = view.offsets.size() - 1;
  const uint64_t first = view.offsets.front();
  const Status done = run::guarded([&] {
    arrays->offsets.assign(view.offsets.begin(), view.offsets.end());
    for (uint64_t& offset : arrays->offsets) offset -= first;
    arrays->entries.resize(arrays->offsets.back());
    return Status::ok();
  });
  KITH_TRY(done);
  const auto make = [&](size_t begin, size_t end) -> Status {
    BagMaker maker(view);
    for (size_t i = begin; i < end; ++i) {
      KITH_ASSIGN(const sketch::Bag bag, maker.make(i));
      std::ranges::copy(bag,
                        arrays->entries.begin() + static_cast<std::ptrdiff_t>(arrays->offsets[i]));
    }
    return Status::ok();
  };
  KITH_TRY(api::for_chunks(n, bags_per_chunk, threads, make));
  return Bags(std::shared_ptr<const Arrays>(std::move(arrays)));
}

size_t Bags::size() const {
  return arrays_->collection().size();
}

size_t Bags::terms(size_t i) const {
  return arrays_->collection()[i].size();
}

std::vector<BagTerm> Bags::operator[](size_t i) const {
  std::vector<BagTerm> terms;
  for (const sketch::BagEntry& entry : arrays_->collection()[i]) {
    terms.push_back({entry.term, static_cast<double>(entry.weight) / sketch::weight_one});
  }
  return terms;
}

double Bags::similarity(size_t i, size_t j) const {
  return kith::sketch::similarity(arrays_->collection()[i], arrays_->collection()[j]);
}

}  // namespace kith
