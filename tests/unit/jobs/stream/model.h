// The rules of docs/algorithms/stream.md as plain loops over lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/stream.h"

#include "bags/weights.h"
#include "sketch/bag.h"
#include "unit/jobs/stream/elements.h"

namespace kith::jobs {

class Model {
 public:
  struct Document {
    std::string name;
    Elements elements;
    int64_t time;
    double similarity;
  };
  struct Group {
    uint64_t number;
    std::vector<Document> members;
    int64_t last_time;
    uint64_t last_page;
    uint64_t touched;  // a number that grows
    // By bags what is compared: as it was signed, when the group had several members or one; and
    // members that came and went since a mean was compared with it. Else the leaders that have
    // passed on since the members were compared with theirs.
    Elements mean;
    uint64_t changes = 0;
    bool is_of_several = false;
  };

  explicit Model(const StreamOptions& options, size_t mean_terms = 1000)
      : options_(options), mean_terms_(mean_terms) {}

  StreamAnswer add(const std::string& name, const Elements& elements, int64_t time) {
    begin(time);
    StreamAnswer answer;
    bool is_update = false;
    if (auto [group, at] = find(name); group != groups_.end()) {
      if (group->members[at].elements == elements) {
        touch(group);
        answer.decisions = {decision(*find_group(name), at, StreamRole::duplicate)};
        return answer;
      }
      is_update = true;
      take_out(name, answer);
    }
    Document document{name, elements, now_, 1};
    if (options_.pairs) {
      for (const auto& [number, value, group] : matches(document)) {
        answer.pairs.push_back({group->members[0].name, name, value});
      }
    }
    const auto role = place(document);
    answer.decisions.push_back(last_decision(name, is_update ? StreamRole::updated : role));
    learn(elements);
    while (options_.most_leaders > 0 && groups_.size() > options_.most_leaders) {
      groups_.erase(longest_waiting());
    }
    return answer;
  }

  StreamAnswer remove(const std::string& name, int64_t time) {
    begin(time);
    StreamAnswer answer;
    StreamDecision gone{name, 0, StreamRole::deleted, 0, "", 0};
    if (auto [group, at] = find(name); group != groups_.end()) {
      gone = decision(*group, at, StreamRole::deleted);
      --gone.size;
      take_out(name, answer);
    }
    answer.decisions.push_back(gone);
    return answer;
  }

  const std::list<Group>& groups() const { return groups_; }

 private:
  struct Found {
    uint64_t number;
    double value;
    std::list<Group>::iterator group;
  };

  double similarity(const Elements& a, const Elements& b) const {
    if (a.empty() || b.empty()) return 0;
    if (options_.by == StreamBy::simhash) return 1 - __builtin_popcountll(a[0] ^ b[0]) / 64.0;
    if (options_.by == StreamBy::fingerprint) {
      return a[0] >> (64 - options_.bits) == b[0] >> (64 - options_.bits) ? 1 : 0;
    }
    if (options_.by == StreamBy::bags) return bag_similarity(a, b);
    const auto common = static_cast<double>(std::ranges::count_if(
        a, [&](uint64_t element) { return std::ranges::find(b, element) != b.end(); }));
    const auto sizes = static_cast<double>(a.size() + b.size());
    if (options_.measure == StreamMeasure::resemblance) return common / (sizes - common);
    return common / static_cast<double>(std::min(a.size(), b.size()));
  }

  static uint32_t term_of(uint64_t entry) { return static_cast<uint32_t>(entry >> 32); }
  static uint32_t weight_of(uint64_t entry) { return static_cast<uint32_t>(entry); }

  static double bag_similarity(const Elements& a, const Elements& b) {
    uint64_t common = 0;
    for (const uint64_t of_a : a) {
      for (const uint64_t of_b : b) {
        if (term_of(of_a) == term_of(of_b)) common += std::min(weight_of(of_a), weight_of(of_b));
      }
    }
    return static_cast<double>(common) / static_cast<double>(2 * sketch::bag_total - common);
  }

  bool learns() const { return options_.by == StreamBy::bags && options_.dictionary.empty(); }

  static Elements normalised(const std::map<uint32_t, double>& of) {
    std::vector<bags::RealWeight> weights;
    for (const auto& [term, weight] : of) weights.push_back({term, weight});
    std::vector<sketch::BagEntry> bag;
    bags::normalise(weights, 0, bag);
    Elements elements;
    for (const sketch::BagEntry& entry : bag)
      elements.push_back(uint64_t{entry.term} << 32 | entry.weight);
    return elements;
  }

  // The weights of learnt words: those of the pages that had come when the epoch began.
  Elements bag_of_page(const Elements& elements) const {
    if (!learns()) return elements;
    std::map<uint32_t, double> weights;
    for (const uint64_t of : elements) {
      const auto found = known_.find(term_of(of));
      const double df = found == known_.end() ? 1 : static_cast<double>(found->second);
      const auto n = static_cast<double>(known_pages_);
      weights[term_of(of)] = std::sqrt(weight_of(of)) * (n > 0 ? std::log((n + 1) / df) : 1.0);
    }
    return normalised(weights);
  }

  void learn(const Elements& elements) {
    if (!learns()) return;
    for (const uint64_t of : elements) ++counted_[term_of(of)];
    ++counted_pages_;
    if (counted_pages_ != (known_pages_ == 0 ? 256 : 2 * known_pages_)) return;
    known_ = counted_;
    known_pages_ = counted_pages_;
    for (Group& group : groups_) sign(group);
  }

  Elements mean_of(const Group& group) const {
    if (group.members.size() == 1 || options_.leader == StreamLeader::first) {
      return bag_of_page(group.members[0].elements);
    }
    std::map<uint32_t, uint64_t> sums;
    for (const Document& member : group.members) {
      for (const uint64_t of : bag_of_page(member.elements)) sums[term_of(of)] += weight_of(of);
    }
    std::vector<std::pair<uint32_t, uint64_t>> largest(sums.begin(), sums.end());
    std::ranges::stable_sort(largest,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    largest.resize(std::min(largest.size(), mean_terms_));
    std::ranges::sort(largest);
    std::map<uint32_t, double> weights;
    for (const auto& [term, sum] : largest) weights[term] = static_cast<double>(sum);
    return normalised(weights);
  }

  const Elements& compared(const Group& group) const {
    return options_.by == StreamBy::bags ? group.mean : group.members[0].elements;
  }

  void sign(Group& group) {
    group.mean = mean_of(group);
    group.is_of_several = group.members.size() > 1;
    if (options_.leader == StreamLeader::mean) group.changes = 0;
  }

  static bool is_due(Group& group) {
    if (16 * ++group.changes < group.members.size()) return false;
    group.changes = 0;
    return true;
  }

  void follow(Group& group) {
    if (options_.leader == StreamLeader::first) return;
    if (!is_due(group)) return;
    if (similarity(mean_of(group), compared(group)) < 0.9) sign(group);
  }

  double minimum() const {
    if (options_.by == StreamBy::simhash) return 1 - options_.distance / 64.0;
    return options_.by == StreamBy::fingerprint ? 1 : options_.similarity;
  }

  double value(const Document& document, const Group& group) const {
    const double plain = similarity(bag_of_page(document.elements), compared(group));
    if (options_.half_life_ms == 0) return plain;
    const auto apart = static_cast<double>(std::abs(document.time - group.members[0].time));
    return plain * std::exp2(-apart / static_cast<double>(options_.half_life_ms));
  }

  void begin(int64_t time) {
    ++pages_;
    now_ = std::max(now_, time);
    groups_.remove_if([&](const Group& group) {
      const double horizon = -std::log2(minimum()) * static_cast<double>(options_.half_life_ms) + 1;
      return (options_.half_life_ms > 0 &&
              static_cast<double>(now_ - group.members[0].time) > horizon) ||
             (options_.forget_after_ms > 0 && now_ - group.last_time > options_.forget_after_ms) ||
             (options_.forget_after_pages > 0 &&
              pages_ - group.last_page > options_.forget_after_pages);
    });
  }

  std::list<Group>::iterator find_group(const std::string& name) { return find(name).first; }
  std::pair<std::list<Group>::iterator, size_t> find(const std::string& name) {
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
      for (size_t at = 0; at < group->members.size(); ++at) {
        if (group->members[at].name == name) return {group, at};
      }
    }
    return {groups_.end(), 0};
  }

  std::list<Group>::iterator longest_waiting() {
    return std::min_element(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return a.last_page != b.last_page ? a.last_page < b.last_page : a.touched < b.touched;
    });
  }

  void touch(std::list<Group>::iterator group) {
    group->last_time = now_;
    group->last_page = pages_;
    group->touched = ++touches_;
  }

  // By number.
  std::vector<Found> matches(const Document& document) {
    std::vector<Found> found;
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
      const double worth = value(document, *group);
      if (worth >= minimum()) found.push_back({group->number, worth, group});
    }
    std::ranges::sort(found, {}, &Found::number);
    return found;
  }

  StreamRole place(Document document) {
    std::vector<Found> found;
    if (!options_.pairs) found = matches(document);
    if (found.empty()) {
      document.similarity = 1;
      groups_.push_back({next_number_++, {document}, 0, 0, 0, {}});
      sign(groups_.back());
      touch(std::prev(groups_.end()));
      return StreamRole::leader;
    }
    auto chosen = found.begin();
    if (options_.assign == Assign::best) {
      chosen = std::max_element(found.begin(), found.end(),
                                [](const Found& a, const Found& b) { return a.value < b.value; });
    }
    document.similarity = chosen->value;
    const bool is_equal = chosen->group->members[0].elements == document.elements;
    chosen->group->members.push_back(document);
    touch(chosen->group);
    follow(*chosen->group);
    return is_equal ? StreamRole::duplicate : StreamRole::member;
  }

  void take_out(const std::string& name, StreamAnswer& answer) {
    const auto [group, at] = find(name);
    group->members.erase(group->members.begin() + static_cast<ptrdiff_t>(at));
    if (group->members.empty()) {
      groups_.erase(group);
      return;
    }
    if (options_.leader == StreamLeader::first && group->members.size() == 1) group->changes = 0;
    if (at > 0) return follow(*group);
    group->members[0].similarity = 1;
    if (options_.leader == StreamLeader::mean) {
      if ((!group->is_of_several && !learns()) || is_due(*group)) sign(*group);
      answer.decisions.push_back(decision(*group, 0, StreamRole::moved));
      return;
    }
    sign(*group);
    const bool are_compared = is_due(*group);
    std::vector<Document> parted;
    for (size_t i = 1; are_compared && i < group->members.size();) {
      Document& member = group->members[i];
      member.similarity = value(member, *group);
      if (member.similarity >= minimum()) {
        ++i;
        continue;
      }
      parted.push_back(member);
      group->members.erase(group->members.begin() + static_cast<ptrdiff_t>(i));
    }
    answer.decisions.push_back(decision(*group, 0, StreamRole::moved));
    for (const Document& document : parted) {
      place(document);
      answer.decisions.push_back(last_decision(document.name, StreamRole::moved));
    }
  }

  StreamDecision last_decision(const std::string& name, StreamRole role) {
    const auto [group, at] = find(name);
    return decision(*group, at, role);
  }
  StreamDecision decision(const Group& group, size_t at, StreamRole role) const {
    return {group.members[at].name,       group.number,          role,
            group.members[at].similarity, group.members[0].name, group.members.size()};
  }

  StreamOptions options_;
  size_t mean_terms_;
  std::list<Group> groups_;
  int64_t now_ = INT64_MIN;
  uint64_t pages_ = 0;
  uint64_t touches_ = 0;
  uint64_t next_number_ = 1;
  std::map<uint32_t, uint64_t> counted_;  // pages by word
  std::map<uint32_t, uint64_t> known_;    // the same when the epoch began
  uint64_t counted_pages_ = 0;
  uint64_t known_pages_ = 0;
};

}  // namespace kith::jobs
