#include "similar/exact/inverted_index.h"

#include <algorithm>

#include "base/check.h"
#include "similar/exact/answer_builder.h"
#include "similar/exact/question.h"

namespace kith::similar {

void InvertedIndex::insert(uint32_t id, sketch::Bag bag) {
  KITH_CHECK(ids_.size() < no_id);
  const size_t slot = ids_.size();
  ids_.push_back(id);
  bags_.push_back(bag);
  if (!bag.empty()) term_limit_ = std::max(term_limit_, bag.back().term + uint64_t{1});
  if (slot >> block_bits == blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_.back();
  for (const sketch::BagEntry entry : bag) {
    const uint32_t number = table_.insert(entry.term);
    if (number == terms_.size()) terms_.emplace_back();
    const auto weight = static_cast<uint16_t>(coarse(entry.weight));
    Term& term = terms_[number];
    ++term.frequency;
    term.max_weight = std::max(term.max_weight, weight);
    if (number >= block.lists.size()) block.lists.resize(number + size_t{1});
    append(block.lists[number], {static_cast<uint16_t>(slot & (block_slots - 1)), weight},
           block.postings);
  }
}

// A full list moves to the end with twice the room; what it leaves behind is never more than
// what it takes.
void InvertedIndex::append(List& list, Posting posting, StableStore& postings) {
  if (list.size == list.capacity) {
    list.capacity = std::max(2u, 2 * list.capacity);
    Posting* const place = postings.allocate<Posting>(list.capacity).data();
    std::copy_n(list.begin, list.size, place);
    list.begin = place;
  }
  list.begin[list.size++] = posting;
}

uint64_t InvertedIndex::bytes() const {
  uint64_t sum = table_.bytes() + terms_.capacity() * sizeof(Term) +
                 ids_.capacity() * sizeof(uint32_t) + bags_.capacity() * sizeof(sketch::Bag);
  for (const Block& block : blocks_) {
    sum += block.postings.bytes() + block.lists.capacity() * sizeof(List);
  }
  return sum;
}

namespace {

// What the steps of a query cost, in nanoseconds; only their ratios matter, for deciding when to
// stop reading postings and compare the remaining candidates.
constexpr double posting_cost = 0.7;
constexpr double merge_base_cost = 100;
constexpr double merge_entry_cost = 1;

}  // namespace

// One query on its way through the blocks.
class InvertedIndex::Search {
 public:
  Search(const InvertedIndex& index, sketch::Bag bag, const Question& question, Scratch& scratch,
         Answer& answer)
      : index_(index),
        bag_(bag),
        question_(question),
        scratch_(scratch),
        slots_{index.ids_, index.bags_, index.term_limit_},
        answer_(bag, question, slots_, answer, scratch.work) {
    prepare_terms();
  }

  void run() {
    search_blocks([&](size_t first_slot, size_t processed) {
      answer_.finish(sums_, first_slot, scratch_.rest_[processed], static_cast<uint32_t>(processed),
                     scratch_.answers_);
      return true;
    });
    answer_.sort_nearest();
  }

  void run_to_first() {
    search_blocks([&](size_t first_slot, size_t processed) {
      return !answer_.finish_at_first(sums_, first_slot, scratch_.rest_[processed],
                                      scratch_.answers_);
    });
  }

 private:
  // Calls finish(first slot, terms processed) for each block until it returns false.
  template <class Finish>
  void search_blocks(const Finish& finish) {
    ++scratch_.work.queries;
    for (size_t block = 0; block < index_.blocks_.size() && !scratch_.terms_.empty(); ++block) {
      const size_t processed = add_up_block(block);
      if (processed > 0 && !finish(block << block_bits, processed)) return;
    }
  }
  void prepare_terms();
  size_t add_up_block(size_t block);
  size_t open_segments(const Block& block);
  void accumulate(const Scratch::Segment& segment);
  bool can_finish(size_t processed, uint64_t postings_left);

  const InvertedIndex& index_;
  const sketch::Bag bag_;
  const Question& question_;
  Scratch& scratch_;
  const SlotTable slots_;
  AnswerBuilder answer_;
  bool saturates_ = false;  // sums could pass 16 bits: a bag with very many terms
  double merge_cost_ = 0;
  // Of the block at hand:
  size_t first_slot_ = 0;
  std::span<uint16_t> sums_;   // padded to a multiple of sum_group
  uint32_t own_slot_ = no_id;  // to be kept out
};

void InvertedIndex::Search::prepare_terms() {
  auto& terms = scratch_.terms_;
  terms.clear();
  for (const sketch::BagEntry entry : bag_) {
    const uint32_t number = index_.table_.find(entry.term);
    if (number == TermTable::none) continue;
    const Term& term = index_.terms_[number];
    terms.push_back(
        {number, term.frequency, std::min<uint32_t>(coarse(entry.weight), term.max_weight)});
  }
  // Weight per posting, best first: the most certainty for the work.
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    const uint64_t left = uint64_t{a.weight} * b.frequency;
    const uint64_t right = uint64_t{b.weight} * a.frequency;
    return left != right ? left > right : a.number < b.number;
  });
  auto& rest = scratch_.rest_;
  rest.assign(terms.size() + 1, 0);
  for (size_t i = terms.size(); i-- > 0;) rest[i] = rest[i + 1] + terms[i].weight;
  saturates_ = coarse_total + terms.size() > UINT16_MAX;
  merge_cost_ = merge_base_cost + merge_entry_cost * static_cast<double>(bag_.size());
}

// Finds the lists of all terms in a block. Returns the number of postings in them.
size_t InvertedIndex::Search::open_segments(const Block& block) {
  auto& segments = scratch_.segments_;
  segments.clear();
  size_t postings = 0;
  for (const auto& term : scratch_.terms_) {
    const List list = term.number < block.lists.size() ? block.lists[term.number] : List{};
    segments.push_back({list.begin, list.size, term.weight});
    postings += list.size;
  }
  return postings;
}

void InvertedIndex::Search::accumulate(const Scratch::Segment& segment) {
  uint16_t* const sums = sums_.data();
  const Posting* const end = segment.begin + segment.size;
  const auto weight = static_cast<uint16_t>(segment.weight);
  if (saturates_) {
    for (const Posting* p = segment.begin; p != end; ++p) {
      const uint32_t sum = uint32_t{sums[p->slot]} + std::min(p->weight, weight);
      sums[p->slot] = static_cast<uint16_t>(std::min<uint32_t>(sum, UINT16_MAX));
    }
    return;
  }
  for (const Posting* p = segment.begin; p != end; ++p) {
    sums[p->slot] = static_cast<uint16_t>(sums[p->slot] + std::min(p->weight, weight));
  }
}

// Adds up the sums of a block as far as it pays, and collects the candidates. Returns how many
// terms were processed; 0 when the block has none of them.
size_t InvertedIndex::Search::add_up_block(size_t block_number) {
  first_slot_ = block_number << block_bits;
  const size_t slots = std::min(block_slots, index_.size() - first_slot_);
  uint64_t postings_left = open_segments(index_.blocks_[block_number]);
  if (postings_left == 0) return 0;
  scratch_.sums_.assign((slots + sum_group - 1) / sum_group * sum_group, 0);
  sums_ = scratch_.sums_;
  own_slot_ = question_.except != no_id && question_.except >> block_bits == block_number
                  ? question_.except & (block_slots - 1)
                  : no_id;

  const auto& segments = scratch_.segments_;
  size_t processed = 0;
  uint64_t read = 0;
  uint64_t next_check = slots / 4;  // a check scans the accumulators
  while (processed < segments.size()) {
    if (read >= next_check && postings_left > 0) {
      if (can_finish(processed, postings_left)) break;
      next_check = read + std::max<uint64_t>(slots / 4, read / 4);
    }
    accumulate(segments[processed]);
    read += segments[processed].size;
    postings_left -= segments[processed].size;
    ++processed;
  }
  scratch_.work.postings += read;
  scratch_.work.pruned += postings_left;
  if (processed == segments.size()) {
    if (own_slot_ != no_id) sums_[own_slot_] = 0;
    answer_.raise_cutoff(sums_, first_slot_, static_cast<uint32_t>(processed), scratch_.answers_);
    auto& candidates = scratch_.answers_.candidates;
    candidates.clear();
    for_each_at_least(sums_, answer_.cutoff(), [&](uint32_t slot) {
      candidates.push_back(slot);
      return true;
    });
  }
  return processed;
}

// Whether the answer can be completed from partial sums more cheaply than by reading on; then
// the candidates are the slots that can still be part of it.
bool InvertedIndex::Search::can_finish(size_t processed, uint64_t postings_left) {
  const uint32_t rest = scratch_.rest_[processed];
  if (rest >= answer_.least() && question_.min_sum != 0) return false;
  if (own_slot_ != no_id) sums_[own_slot_] = 0;
  answer_.raise_cutoff(sums_, first_slot_, static_cast<uint32_t>(processed), scratch_.answers_);
  const uint32_t cutoff = answer_.cutoff();
  if (cutoff <= rest) return false;
  const double affordable = static_cast<double>(postings_left) * posting_cost / merge_cost_;
  auto& candidates = scratch_.answers_.candidates;
  candidates.clear();
  for_each_at_least(sums_, cutoff - rest, [&](uint32_t slot) {
    candidates.push_back(slot);
    return static_cast<double>(candidates.size()) <= affordable;
  });
  return static_cast<double>(candidates.size()) <= affordable;
}

void InvertedIndex::ask(sketch::Bag bag, const Question& question, Scratch& scratch,
                        Answer& answer) const {
  Search(*this, bag, question, scratch, answer).run();
}

void InvertedIndex::query(sketch::Bag bag, uint32_t min_sum, Scratch& scratch,
                          std::vector<Neighbour>& found, const ClassQuestion& of_class) const {
  const Question question{.min_sum = std::max(1u, min_sum), .list = true, .of_class = of_class};
  ask(bag, question, scratch, scratch.answer_);
  std::swap(found, scratch.answer_.similar);
}

Neighbour InvertedIndex::earliest(sketch::Bag bag, uint32_t min_sum, Scratch& scratch,
                                  const ClassQuestion& of_class) const {
  const Question question{.min_sum = std::max(1u, min_sum), .list = true, .of_class = of_class};
  Search(*this, bag, question, scratch, scratch.answer_).run_to_first();
  const auto& found = scratch.answer_.similar;
  return found.empty() ? Neighbour{no_id, 0} : found.front();
}

}  // namespace kith::similar
