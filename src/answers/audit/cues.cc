#include "answers/audit/cues.h"

#include <bit>
#include <queue>

#include "answers/audit/cue_table.h"
#include "text/words/tokens.h"

namespace kith::answers {
namespace {

// Two cues are near each other within so many bytes of folded text: about a sentence.
constexpr size_t near_bytes = 110;

// A claim is one cue alone, or two near each other; of a title or heading one of its parts.
struct ClaimRule {
  Claim claim;
  uint32_t alone;
  uint32_t first = 0;
  uint32_t second = 0;
  uint32_t alone_in_title = 0;
};
constexpr ClaimRule claim_rules[] = {
    {Claim::missing, 0, cue_thing, cue_gone | cue_lost, cue_missing | cue_gone},
    {Claim::missing, 0, cue_missing, cue_missing | cue_thing | cue_gone, 0},
    {Claim::failed, 0, cue_thing, cue_failed | cue_error, cue_error},
    {Claim::failed, 0, cue_error, cue_failed, 0},
    {Claim::nothing, cue_nothing, 0, 0, cue_nothing},
    {Claim::login, 0, cue_member, cue_must, cue_member},
    {Claim::consent, 0, cue_cookie | cue_adult, cue_agree, cue_cookie | cue_adult},
    {Claim::robots, cue_denied, cue_robot, cue_prove, cue_denied},
    {Claim::for_sale, cue_unset, cue_host, cue_sale, cue_unset},
    {Claim::scripts, 0, cue_script, cue_enable, cue_script},
    {Claim::elsewhere, cue_moved, 0, 0, cue_moved},
};

constexpr size_t cue_bits = 21;

// Where each cue ended last, and the claims that follow.
class ClaimReader {
 public:
  ClaimReader(bool is_title, const CueFinder::TakeClaim& take) : is_title_(is_title), take_(take) {
    last_.fill(never);
  }

  void take(uint32_t cues, size_t at) {
    for (uint32_t rest = cues; rest != 0; rest &= rest - 1) {
      last_[static_cast<size_t>(std::countr_zero(rest))] = at;
    }
    for (const ClaimRule& rule : claim_rules) {
      const uint32_t alone = rule.alone | (is_title_ ? rule.alone_in_title : 0);
      const bool is_pair = ((cues & rule.first) != 0 && is_near(rule.second & ~rule.first, at)) ||
                           ((cues & rule.second) != 0 && is_near(rule.first, at));
      if ((cues & alone) != 0 || is_pair) take_(rule.claim, at);
    }
  }

 private:
  static constexpr size_t never = SIZE_MAX;

  bool is_near(uint32_t cues, size_t at) const {
    for (uint32_t rest = cues; rest != 0; rest &= rest - 1) {
      const size_t last = last_[static_cast<size_t>(std::countr_zero(rest))];
      if (last != never && at - last <= near_bytes) return true;
    }
    return false;
  }

  const bool is_title_;
  const CueFinder::TakeClaim& take_;
  std::array<size_t, 32> last_;
};
static_assert(cue_bits <= 32);

}  // namespace

void append_folded(std::string_view token, bool is_unspaced, bool was_unspaced,
                   std::string& folded) {
  if (!is_unspaced || !was_unspaced) folded += ' ';
  folded += token;
}

const CueFinder& CueFinder::instance() {
  static const CueFinder finder;
  return finder;
}

CueFinder::CueFinder() : nodes_(1) {
  text::TokenSplitter splitter(Numbers::keep);
  for (const CueRow& row : cue_table) {
    std::string_view rest = row.words;
    while (!rest.empty()) {
      const size_t size = std::min(rest.find('|'), rest.size());
      std::string_view words = rest.substr(0, size);
      rest.remove_prefix(std::min(size + 1, rest.size()));
      const bool is_prefix = words.ends_with('*');
      if (is_prefix) words.remove_suffix(1);
      std::string folded;
      bool was_unspaced = false;
      splitter.reset(words);
      for (text::Token token; splitter.next(token); was_unspaced = token.unspaced) {
        append_folded(token.text, token.unspaced, was_unspaced, folded);
      }
      if (was_unspaced) {
        folded.erase(0, 1);
      } else if (!is_prefix) {
        folded += ' ';
      }
      add(folded, row.cue);
    }
  }
  link();
}

void CueFinder::add(std::string_view cue, uint32_t bits) {
  uint32_t node = 0;
  for (const char c : cue) {
    const auto found = nodes_[node].next.find(c);
    if (found != nodes_[node].next.end()) {
      node = found->second;
      continue;
    }
    const auto made = static_cast<uint32_t>(nodes_.size());
    nodes_[node].next.emplace(c, made);
    nodes_.emplace_back();
    node = made;
  }
  nodes_[node].cues |= bits;
}

uint32_t CueFinder::step(uint32_t node, char c) const {
  for (;; node = nodes_[node].fail) {
    const auto found = nodes_[node].next.find(c);
    if (found != nodes_[node].next.end()) return found->second;
    if (node == 0) return 0;
  }
}

void CueFinder::link() {
  std::queue<uint32_t> open;
  open.push(0);
  for (; !open.empty(); open.pop()) {
    const uint32_t node = open.front();
    nodes_[node].cues |= nodes_[nodes_[node].fail].cues;
    for (const auto& [c, child] : nodes_[node].next) {
      if (node != 0) nodes_[child].fail = step(nodes_[node].fail, c);
      open.push(child);
    }
  }
}

uint32_t CueFinder::cues_in(std::string_view folded) const {
  uint32_t node = 0;
  uint32_t cues = 0;
  for (const char c : folded) {
    node = step(node, c);
    cues |= nodes_[node].cues;
  }
  return cues;
}

void CueFinder::for_each_claim(std::string_view folded, bool is_title,
                               const TakeClaim& take) const {
  ClaimReader reader(is_title, take);
  uint32_t node = 0;
  for (size_t at = 0; at < folded.size(); ++at) {
    node = step(node, folded[at]);
    if (nodes_[node].cues != 0) reader.take(nodes_[node].cues, at);
  }
}

Claims CueFinder::find(std::string_view folded, bool is_title) const {
  Claims claims;
  for_each_claim(folded, is_title, [&](Claim claim, size_t) { claims.add(claim); });
  return claims;
}

}  // namespace kith::answers
