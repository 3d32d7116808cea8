#include "answers/audit/families.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "base/hash.h"

namespace kith::answers {
namespace {

// Shorter prose is no text by which pages of several hosts are one family.
constexpr uint32_t least_prose = 5;
// Addresses that differ in parameters alone, but in none that looks like a session, are a trap only
// where there are so many.
constexpr size_t least_variants = 5;
// What a page without content may have besides what it says, where texts of a family differ.
constexpr uint32_t most_words_of_template = 80;

uint64_t joined(uint64_t a, uint64_t b) {
  return mix64(a * golden + b);
}

class FamilyFinder {
 public:
  FamilyFinder(const std::vector<PageFacts>& pages, const AuditOptions& options)
      : pages_(pages), options_(options), is_taken_(pages.size()) {
    for (const PageFacts& page : pages) ++pages_of_host_[page.host];
  }

  std::vector<Family> run() {
    find_calendars();
    find_texts();
    find_templates();
    find_traps();
    std::ranges::sort(families_, {}, [](const Family& family) { return family.pages.front(); });
    return std::move(families_);
  }

 private:
  using Group = std::span<const uint32_t>;
  // The key of a page; nothing: it is in no group.
  using KeyOf = std::function<std::optional<uint64_t>(const PageFacts& page)>;

  // Calls take(group) for pages of equal keys, those that are not taken, by their first pages.
  template <class Take>
  void for_each_group(std::span<const uint32_t> of, const KeyOf& key_of, const Take& take) {
    std::vector<std::pair<uint64_t, uint32_t>> keys;
    for (const uint32_t id : of) {
      if (is_taken_[id]) continue;
      if (const auto key = key_of(pages_[id])) keys.emplace_back(*key, id);
    }
    std::ranges::sort(keys);
    std::vector<uint32_t> group;
    for (size_t begin = 0; begin < keys.size();) {
      size_t end = begin;
      group.clear();
      while (end < keys.size() && keys[end].first == keys[begin].first) {
        group.push_back(keys[end++].second);
      }
      begin = end;
      if (group.size() >= options_.min_pages) take(Group(group));
    }
  }
  template <class Take>
  void for_each_group(const KeyOf& key_of, const Take& take) {
    std::vector<uint32_t> all(pages_.size());
    for (uint32_t id = 0; id < all.size(); ++id) all[id] = id;
    for_each_group(all, key_of, take);
  }

  Traits traits(Group group) const {
    std::vector<const PageFacts*> pages;
    std::vector<uint64_t> hosts;
    for (const uint32_t id : group) {
      pages.push_back(&pages_[id]);
      hosts.push_back(pages_[id].host);
    }
    std::ranges::sort(hosts);
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    uint64_t pages_of_hosts = 0;
    for (const uint64_t host : hosts) pages_of_hosts += pages_of_host_.at(host);
    return traits_of(pages, pages_of_hosts);
  }

  bool accept(Group group, Verdict verdict, uint32_t stays = UINT32_MAX) {
    if (verdict.score + 1e-9 < options_.min_score) return false;
    for (const uint32_t id : group) is_taken_[id] = true;
    families_.push_back({std::move(verdict), {group.begin(), group.end()}, stays});
    return true;
  }

  void find_calendars() {
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          if (page.days < 28 && !page.has_date) return std::nullopt;
          return joined(page.pattern, page.dateless);
        },
        [&](Group group) { accept(group, judge_calendar(traits(group))); });
  }

  // One text outside of links; and where that is not enough, one text.
  void find_texts() {
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          return page.prose_words >= least_prose ? page.prose : joined(page.host, page.prose);
        },
        [&](Group group) {
          if (accept(group, judge(traits(group)))) return;
          const std::vector<uint32_t> copy(group.begin(), group.end());
          for_each_group(
              copy,
              [](const PageFacts& page) { return std::optional(joined(page.host, page.text)); },
              [&](Group same) { accept(same, judge(traits(same))); });
        });
  }

  // Texts that differ, under one title; then with as many links and forms, that claim the same.
  void find_templates() {
    const auto judge_group = [&](Group group) { accept(group, judge(traits(group))); };
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          if (bits_of(page.title_claims) == 0) return std::nullopt;
          return joined(page.host, page.title);
        },
        judge_group);
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          const uint64_t claims =
              bits_of(page.title_claims) << claim_count | bits_of(page.body_claims);
          const bool is_short = page.prose_words <= most_words_of_template;
          const uint64_t broad = bit_of(Claim::failed);
          if ((bits_of(page.title_claims) & ~broad) == 0 || !is_short) return std::nullopt;
          return joined(joined(page.host, claims), joined(page.links, page.forms));
        },
        judge_group);
  }

  void find_traps() {
    const auto take_sessions = [&](Group group) {
      take_trap(group, "the addresses differ in a session alone");
    };
    // Numbers that differ are of the visit, unless what looks like a session may name content.
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          if (page.without_session == 0) return joined(hash64(page.url), page.dateless);
          if (!page.has_named_session) return std::nullopt;
          return joined(page.without_session, page.dateless);
        },
        take_sessions);
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          const uint64_t key = page.without_session != 0 ? page.without_session : hash64(page.url);
          return joined(key, page.text);
        },
        take_sessions);
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          const uint64_t key = page.without_query != 0 ? page.without_query : hash64(page.url);
          return joined(key, page.text);
        },
        [&](Group group) {
          if (group.size() < least_variants) return;
          take_trap(group, "the addresses differ in parameters alone");
        });
    for_each_group(
        [](const PageFacts& page) -> std::optional<uint64_t> {
          if (!page.repeats) return std::nullopt;
          return joined(page.host, page.text);
        },
        [&](Group group) { take_trap(group, "parts of the path are repeated again and again"); });
  }

  // The shortest address stays.
  void take_trap(Group group, std::string_view reason) {
    const uint32_t stays = *std::ranges::min_element(
        group, {}, [&](uint32_t id) { return std::tuple(pages_[id].url.size(), pages_[id].url); });
    accept(group,
           {NoContent::session_trap,
            1.2,
            {std::string(reason), fmt::format("one text at {} addresses", group.size())}},
           stays);
  }

  const std::vector<PageFacts>& pages_;
  const AuditOptions& options_;
  std::vector<bool> is_taken_;
  boost::unordered_flat_map<uint64_t, uint64_t> pages_of_host_;
  std::vector<Family> families_;
};

}  // namespace

std::vector<Family> find_families(const std::vector<PageFacts>& pages,
                                  const AuditOptions& options) {
  return FamilyFinder(pages, options).run();
}

}  // namespace kith::answers
