#include "crawl/copy/file_cuts.h"

#include <utility>

namespace kith::crawl {
namespace {

bool overlap(const Extent& cut, const MemberExtent& member) {
  return cut.begin < member.unpacked_end && member.unpacked_begin < cut.end;
}

bool covers(const Extent& cut, const MemberExtent& member) {
  return cut.begin <= member.unpacked_begin && member.unpacked_end <= cut.end;
}

}  // namespace

void FileCuts::member_ended(const MemberExtent& member, uint64_t position) {
  settle(position);
  // One without bytes needs no decision, and any number of them may come before the next byte.
  if (member.unpacked_begin < member.unpacked_end) pending_.push_back(member);
}

void FileCuts::record_begins(uint64_t record, uint64_t position) {
  settle(position);
  const bool is_needed = std::exchange(next_is_needed_, false);
  if (next_ == records_.size() || records_[next_] != record) return;
  ++next_;
  if (is_needed) {
    ++kept_by_damage_;
    return;
  }
  cuts_.push_back({position, kOpen});
}

void FileCuts::record_ended(uint64_t position) {
  if (!cuts_.empty() && cuts_.back().end == kOpen) cuts_.back().end = position;
  settle(position);
}

void FileCuts::record_needs_next() {
  next_is_needed_ = true;
}

// Decides the members that the reader has passed: all cuts before `position` are known.
void FileCuts::settle(uint64_t position) {
  while (!pending_.empty() && pending_.front().unpacked_end <= position) {
    decide(pending_.front());
    pending_.pop_front();
  }
}

void FileCuts::decide(const MemberExtent& member) {
  while (first_cut_ < cuts_.size() && cuts_[first_cut_].end <= member.unpacked_begin) ++first_cut_;
  if (first_cut_ == cuts_.size()) return;
  const Extent& cut = cuts_[first_cut_];
  if (!overlap(cut, member)) return;
  if (member.sound && covers(cut, member) && !touched_.empty() &&
      touched_.back().cut == first_cut_) {
    MemberExtent& before = touched_.back().members;
    if (before.sound && covers(cut, before)) {
      before.end = member.end;
      before.unpacked_end = member.unpacked_end;
      return;
    }
  }
  touched_.push_back({member, first_cut_});
}

// Gives back the cuts that overlap a broken member.
void FileCuts::finish() {
  settle(kOpen);
  std::vector<Extent> sound_cuts;
  auto broken = touched_.begin();
  for (const Extent& cut : cuts_) {
    while (broken != touched_.end() &&
           (broken->members.sound || broken->members.unpacked_end <= cut.begin)) {
      ++broken;
    }
    if (broken != touched_.end() && overlap(cut, broken->members)) {
      ++kept_by_damage_;
    } else {
      sound_cuts.push_back(cut);
    }
  }
  cuts_ = std::move(sound_cuts);
}

}  // namespace kith::crawl
