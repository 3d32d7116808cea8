#include "answers/audit/reasons.h"

#include <algorithm>
#include <functional>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

namespace kith::answers {
namespace {

// Limits of what a text without content has, in words and pages; docs/algorithms/audit.md says how
// they were found.
constexpr double most = 0.8;  // a share that stands for all of a family
constexpr double few_words = 80;
constexpr double few_words_of_wall = 120;
constexpr double most_words = 500;
constexpr double few_shown_words = 15;
constexpr double few_words_of_any = 60;
constexpr double few_words_of_redirect = 40;
constexpr double few_links = 5;
constexpr double most_spread = 8;  // words
constexpr double least_days = 28;
constexpr double most_numbers_of_calendar = 60;
constexpr uint64_t many_pages = 5;
constexpr uint64_t many_hosts = 3;

// A share of the values that is the most frequent one's.
class Counter {
 public:
  void add(uint64_t value) { largest_ = std::max(largest_, ++counts_[value]); }
  uint64_t distinct() const { return counts_.size(); }
  double largest_share(uint64_t of) const {
    return static_cast<double>(largest_) / static_cast<double>(of);
  }

 private:
  boost::unordered_flat_map<uint64_t, uint64_t> counts_;
  uint64_t largest_ = 0;
};

// Collects what speaks for a kind, and against it.
class Case {
 public:
  Case(NoContent kind, const Traits& given) : traits(given) { verdict.kind = kind; }

  void add(bool holds, double weight, std::string_view reason) {
    if (!holds) return;
    verdict.score += weight;
    if (weight > 0) reasons_.emplace_back(weight, reason);
  }
  double title(Claim claim) const { return traits.title_claims[static_cast<size_t>(claim)]; }
  double body(Claim claim) const { return traits.body_claims[static_cast<size_t>(claim)]; }

  Verdict end() {
    std::ranges::stable_sort(reasons_, std::greater(), &std::pair<double, std::string>::first);
    for (auto& [weight, reason] : reasons_) verdict.reasons.push_back(std::move(reason));
    return std::move(verdict);
  }

  const Traits& traits;
  Verdict verdict;

 private:
  std::vector<std::pair<double, std::string>> reasons_;
};

std::string one_text(const Traits& traits) {
  return fmt::format("one text at {} addresses", traits.pages);
}
std::string prose(const Traits& traits) {
  return fmt::format("{:.0f} words outside of links", traits.prose_words);
}
bool is_one_text(const Traits& traits) {
  return traits.same_text >= most;
}
// Many addresses, not one of which has to do with the text.
bool is_foreign(const Traits& traits) {
  return traits.slugs * static_cast<double>(traits.pages) >= many_pages && traits.agrees <= 0.1;
}
// A longer text says something itself, unless it is given for addresses of all kinds.
double weight_of_length(const Traits& traits) {
  if (traits.prose_words > most_words) return -1;
  if (traits.prose_words <= few_words_of_wall) return 0;
  return is_foreign(traits) && traits.patterns >= 3 ? -0.2 : -0.8;
}

// Pages of one template whose texts differ by more than a name.
bool differs(const Traits& traits) {
  return traits.same_text < 0.5 && traits.prose_spread > most_spread;
}
bool has_own_content(const Traits& traits) {
  return traits.same_media < 0.5 || (!is_one_text(traits) && traits.numbers > 10);
}
bool fits_address(const Traits& traits) {
  return traits.slugs >= 0.5 && traits.agrees >= 0.5;
}

// That addresses which have nothing to do with each other are answered by one text. For any kind,
// so that it does not decide which.
void add_addresses(Case& one) {
  const Traits& traits = one.traits;
  if (!is_one_text(traits) || !is_foreign(traits)) return;
  one.add(true, 0.3, "no word of the addresses stands in the text");
  one.add(
      traits.prose_words <= few_words_of_any && traits.pages >= 8 && traits.patterns >= many_hosts,
      0.3, fmt::format("addresses of {} patterns are answered alike", traits.patterns));
}
// The same where something speaks for the kind itself.
void add_addresses_if_marked(Case& one) {
  if (one.verdict.score > 0) add_addresses(one);
}

Verdict soft_404(const Traits& traits) {
  Case one(NoContent::soft_404, traits);
  one.add(one.title(Claim::missing) >= most, 0.9,
          "the title or a heading says that something is missing");
  one.add(one.title(Claim::failed) >= most && one.title(Claim::missing) < most, 0.7,
          "the title or a heading speaks of an error");
  one.add(one.title(Claim::nothing) >= most, 0.7,
          "the title or a heading says that there is nothing");
  one.add(one.body(Claim::missing) >= most, 0.6, "the text says that something is missing");
  one.add(one.body(Claim::failed) >= most && one.body(Claim::missing) < most, 0.4,
          "the text speaks of an error");
  one.add(one.body(Claim::nothing) >= most, 0.5, "the text says that there is nothing");
  one.add(traits.prose_words <= few_words, 0.2, prose(traits));
  one.add(is_one_text(traits), 0.2, one_text(traits));
  add_addresses(one);
  one.add(traits.noindex >= most, 0.2, "search engines are told to leave the pages out");
  const bool claims = one.title(Claim::missing) >= most || one.title(Claim::nothing) >= most;
  one.add(is_one_text(traits) && traits.echoes >= most && traits.prose_words <= few_words &&
              traits.pages >= many_pages,
          0.6, "the text repeats the address, and is one for all but for that");
  one.add(true, weight_of_length(traits), "");
  one.add(has_own_content(traits), -0.8, "");
  one.add(differs(traits), -0.3, "");
  one.add(fits_address(traits) && !(claims && traits.prose_words <= few_words), -0.7, "");
  return one.end();
}

Verdict login_wall(const Traits& traits) {
  Case one(NoContent::login_wall, traits);
  one.add(traits.passwords >= most, 0.6, "a form asks for a password");
  one.add(one.title(Claim::login) >= most, 0.5, "the title or a heading is about logging in");
  one.add(one.body(Claim::login) >= most, 0.3, "the text says that visitors have to log in");
  add_addresses_if_marked(one);
  one.add(traits.prose_words <= few_words_of_wall, 0.2, prose(traits));
  one.add(is_one_text(traits), 0.3, one_text(traits));
  one.add(traits.forms >= most && traits.passwords < most, 0.1, "a form");
  one.add(true, weight_of_length(traits), "");
  one.add(traits.same_text < 0.5 && traits.words > few_words_of_wall, -0.6, "");
  one.add(traits.passwords < most && fits_address(traits), -0.6, "");
  one.add(traits.same_media < 0.5, -0.5, "");
  return one.end();
}

Verdict consent_wall(const Traits& traits) {
  Case one(NoContent::consent_wall, traits);
  one.add(one.title(Claim::consent) >= most, 0.5,
          "the title or a heading asks for consent or an age");
  one.add(one.body(Claim::consent) >= most, 0.5, "the text asks for consent or an age");
  add_addresses_if_marked(one);
  one.add(traits.prose_words <= few_words_of_wall, 0.2, prose(traits));
  one.add(is_one_text(traits), 0.3, one_text(traits));
  one.add(traits.forms >= most, 0.1, "a form");
  one.add(true, weight_of_length(traits), "");
  one.add(!is_one_text(traits), -0.4, "");
  one.add(fits_address(traits), -0.7, "");
  one.add(traits.same_media < 0.5, -0.5, "");
  return one.end();
}

Verdict bot_check(const Traits& traits) {
  Case one(NoContent::bot_check, traits);
  one.add(traits.captchas >= most, 0.5, "a service that tells robots apart is called");
  one.add(one.title(Claim::robots) >= most, 0.6, "the title or a heading turns visitors away");
  one.add(one.body(Claim::robots) >= most, 0.4, "the text checks or turns away visitors");
  add_addresses_if_marked(one);
  one.add(traits.words <= few_words, 0.2, fmt::format("{:.0f} words in all", traits.words));
  one.add(is_one_text(traits), 0.3, one_text(traits));
  one.add(traits.links <= few_links, 0.1, "hardly any links");
  one.add(traits.refreshes >= most, 0.1, "the page loads itself again");
  one.add(true, weight_of_length(traits), "");
  one.add(fits_address(traits), -0.7, "");
  return one.end();
}

Verdict parked(const Traits& traits) {
  Case one(NoContent::parked, traits);
  one.add(one.title(Claim::for_sale) >= most, 0.6,
          "the title or a heading offers the host, or promises more");
  one.add(one.body(Claim::for_sale) >= most, 0.5, "the text offers the host, or promises more");
  add_addresses_if_marked(one);
  one.add(traits.hosts >= many_hosts, 0.3, fmt::format("the same on {} hosts", traits.hosts));
  one.add(traits.hosts > many_hosts + 1, 0.1, "of which all say the same");
  one.add(traits.whole_hosts >= 0.9, 0.3, "the hosts have no other pages");
  one.add(traits.names_host >= most, 0.1, "the text names its own host");
  one.add(traits.whole_hosts >= 0.9 && is_one_text(traits) && traits.patterns >= many_hosts &&
              traits.prose_words <= few_words && traits.links <= few_links,
          0.5, "whatever the address, the host gives one text");
  one.add(traits.prose_words <= few_words, 0.1, prose(traits));
  one.add(is_one_text(traits), 0.1, one_text(traits));
  one.add(true, weight_of_length(traits), "");
  one.add(has_own_content(traits), -0.5, "");
  one.add(fits_address(traits), -0.5, "");
  return one.end();
}

Verdict empty_app(const Traits& traits) {
  Case one(NoContent::empty_app, traits);
  const bool is_empty = traits.shown_words <= few_shown_words;
  one.add(is_empty, 0.4, fmt::format("{:.0f} words outside of <noscript>", traits.shown_words));
  one.add(traits.scripts >= most, 0.3, "scripts are to fill the page");
  one.add(traits.hidden_words >= 3, 0.4, "a text for visitors without scripts");
  one.add(one.body(Claim::scripts) >= most || one.title(Claim::scripts) >= most, 0.4,
          "the text asks for scripts");
  if (is_empty && traits.scripts >= most) add_addresses(one);
  one.add(traits.links < 1, 0.2, "no links");
  one.add(is_one_text(traits), 0.1, one_text(traits));
  one.add(!is_empty && (!is_one_text(traits) || traits.shown_words > 3 * few_shown_words), -1, "");
  one.add(traits.same_media < 0.5, -0.8, "");
  return one.end();
}

Verdict redirect(const Traits& traits) {
  Case one(NoContent::redirect, traits);
  one.add(traits.refreshes >= most, 0.7, "the page sends visitors to another address");
  one.add(one.title(Claim::elsewhere) >= most, 0.7,
          "the title or a heading speaks of another address");
  one.add(one.body(Claim::elsewhere) >= most, 0.4, "the text speaks of another address");
  one.add(traits.words <= few_words_of_redirect, 0.3,
          fmt::format("{:.0f} words in all", traits.words));
  one.add(traits.words > few_words, -0.8, "");
  return one.end();
}

}  // namespace

Traits traits_of(std::span<const PageFacts* const> pages, uint64_t pages_of_hosts) {
  Traits traits;
  traits.pages = pages.size();
  const auto n = static_cast<double>(pages.size());
  Counter texts, media, hosts, patterns;
  uint32_t fewest = UINT32_MAX;
  uint32_t most_prose = 0;
  double agreeing = 0;
  for (const PageFacts* const page : pages) {
    texts.add(page->text);
    media.add(page->media);
    hosts.add(page->host);
    patterns.add(page->pattern);
    fewest = std::min(fewest, page->prose_words);
    most_prose = std::max(most_prose, page->prose_words);
    traits.words += page->words / n;
    traits.prose_words += page->prose_words / n;
    traits.hidden_words += page->hidden_words / n;
    traits.shown_words += (page->words - std::min(page->words, page->hidden_words)) / n;
    traits.numbers += page->numbers / n;
    traits.links += page->links / n;
    traits.calendars += (page->days >= least_days ? 1 : 0) / n;
    traits.dates += page->has_date / n;
    traits.echoes += page->echoes / n;
    traits.names_host += page->names_host / n;
    traits.slugs += (page->address_words != 0) / n;
    agreeing += page->agrees / n;
    traits.scripts += (page->scripts > 0 ? 1 : 0) / n;
    traits.forms += (page->forms > 0 ? 1 : 0) / n;
    traits.passwords += page->has_password / n;
    traits.captchas += page->has_captcha / n;
    traits.noindex += page->is_noindex / n;
    traits.refreshes += page->refreshes / n;
    traits.repeats += page->repeats / n;
    for (size_t i = 0; i < claim_count; ++i) {
      traits.title_claims[i] += page->title_claims.here[i] / n;
      traits.body_claims[i] += page->body_claims.here[i] / n;
    }
  }
  traits.prose_spread = most_prose - fewest;
  traits.hosts = hosts.distinct();
  traits.patterns = patterns.distinct();
  traits.same_text = texts.largest_share(traits.pages);
  traits.same_media = media.largest_share(traits.pages);
  traits.whole_hosts = n / static_cast<double>(std::max(pages_of_hosts, traits.pages));
  traits.agrees = traits.slugs > 0 ? agreeing / traits.slugs : 0;
  return traits;
}

Verdict judge(const Traits& traits) {
  Verdict best = soft_404(traits);
  for (const auto rule : {login_wall, consent_wall, bot_check, parked, empty_app, redirect}) {
    Verdict next = rule(traits);
    if (next.score > best.score) best = std::move(next);
  }
  return best;
}

Verdict judge_calendar(const Traits& traits) {
  Case one(NoContent::calendar_trap, traits);
  one.add(traits.calendars >= most, 0.6, "the days of a month, one after the other");
  one.add(traits.dates >= most, 0.3, "the addresses are dates");
  one.add(true, 0.3,
          fmt::format("but for dates and numbers one text at {} addresses", traits.pages));
  one.add(one.body(Claim::nothing) >= most || one.title(Claim::nothing) >= most, 0.3,
          "the text says that there is nothing");
  one.add(traits.prose_words <= few_words_of_wall, 0.1, prose(traits));
  one.add(traits.numbers <= 1 && traits.prose_words <= few_words && traits.pages >= 10, 0.3,
          "nothing else differs");
  one.add(traits.numbers > most_numbers_of_calendar, -0.9, "");
  one.add(traits.calendars < most && traits.numbers > few_links, -0.5, "");
  one.add(true, weight_of_length(traits), "");
  return one.end();
}

}  // namespace kith::answers
