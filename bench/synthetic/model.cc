#include "synthetic/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/hash.h"

namespace kith::synthetic {
namespace {

constexpr uint64_t max_urls = 50'000'000;
constexpr uint32_t max_topics = 10'000'000;
constexpr uint32_t max_fan_out = 1000;
constexpr uint32_t min_vocabulary = 1000;
constexpr uint32_t max_vocabulary = 50'000'000;
constexpr double max_words = 100;

// Words of general text: flat at the head, where nearly every bag has some.
constexpr double general_exponent = 1.6;
constexpr double general_shift = 30;
// Words of topics are no general ones: the law of their ranks begins at this share of all.
constexpr double content_begin = 1.0 / 200;

constexpr double topic_exponent = 0.7;
constexpr double urls_per_subtopic = 30;
constexpr uint32_t subtopic_words = 14;  // which a subtopic has of its own
constexpr uint32_t topic_words = 40;     // which all subtopics share

constexpr double length_spread = 0.5;  // sigma of the logarithm
constexpr size_t longest = 400;

constexpr double min_site = 5;
constexpr double site_exponent = 1.2;
constexpr uint32_t urls_per_subject = 8;   // of a site
constexpr uint32_t urls_per_family = 200;  // of a site, for each of its templates
constexpr uint32_t template_words = 30;
constexpr double template_kept = 0.92;   // of the template, in a page
constexpr double text_in_family = 0.15;  // of a plain page's length
constexpr double fetched_share = 0.3;
constexpr double inlinks_exponent = 1.1;  // P(inlinks >= x) = x^-1.1
constexpr double max_inlinks = 1e6;
constexpr uint32_t near_copy = 16;  // copies of the neighbourhood come from so many before

// Separates the uses of one seed.
enum Purpose : uint64_t {
  of_page = 1,
  of_words,
  of_site,
  of_subject,
  of_family,
  of_word,
  of_links
};

uint64_t combine(uint64_t key, uint64_t more) {
  return mix64(key + mix64(more + 0x9e3779b97f4a7c15u));
}

double uniform_of(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// 1, 2, 3, ... with probability 1/2, 1/4, 1/8, ...: how often a general word is said.
uint32_t count_of(uint64_t bits) {
  return 1 + static_cast<uint32_t>(std::countr_zero(bits | (uint64_t{1} << 10)));
}

// The same with 3/4, 3/16, 3/64, ...: of a topic's words more are said once.
uint32_t small_count_of(uint64_t bits) {
  return 1 + (count_of(bits) - 1) / 2;
}

uint32_t draw_inlinks(Rng& rng) {
  const double links = std::pow(1 - rng.uniform(), -1 / inlinks_exponent);
  return static_cast<uint32_t>(std::min(links, max_inlinks));
}

// An index below n whose density falls as 1 / sqrt(index): u^2 n.
uint32_t skewed(double u, uint32_t n) {
  return std::min(n - 1, static_cast<uint32_t>(u * u * n));
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

ModelOptions filled_in(ModelOptions options) {
  if (options.topics == 0) {
    options.topics = static_cast<uint32_t>(std::max<uint64_t>(1, options.urls / 50));
  }
  if (options.vocabulary == 0) {
    const double heaps = 200 * std::sqrt(static_cast<double>(options.urls));
    options.vocabulary = std::max(5000u, static_cast<uint32_t>(heaps));
  }
  return options;
}

// 8, 64, 512, ... for a fan-out of 8.
std::vector<uint32_t> groups_by_level(uint32_t fan_out, uint32_t topics) {
  std::vector<uint32_t> groups;
  if (fan_out == 0) return groups;
  for (uint64_t count = fan_out; count < topics; count *= fan_out) {
    groups.push_back(static_cast<uint32_t>(count));
  }
  return groups;
}

uint32_t first_content_word(uint32_t vocabulary) {
  return static_cast<uint32_t>(vocabulary * content_begin);
}

}  // namespace

Status validate(const ModelOptions& options) {
  const auto usage = [](std::string message) {
    return Error{ErrorKind::usage, std::move(message)};
  };
  if (options.urls > max_urls) {
    return usage(fmt::format("--urls {}: must be at most {}", options.urls, max_urls));
  }
  if (options.topics > max_topics) {
    return usage(fmt::format("--topics {}: must be at most {}", options.topics, max_topics));
  }
  if (options.vocabulary != 0 &&
      (options.vocabulary < min_vocabulary || options.vocabulary > max_vocabulary)) {
    return usage(fmt::format("--vocabulary {}: must be between {} and {}", options.vocabulary,
                             min_vocabulary, max_vocabulary));
  }
  if (!(options.words >= 1 && options.words <= max_words)) {
    return usage(
        fmt::format("--words-per-bag {}: must be between 1 and {}", options.words, max_words));
  }
  const double of_urls =
      options.family_share + options.copy_share + options.one_word_share + options.empty_share;
  if (options.topic_fan_out == 1 || options.topic_fan_out > max_fan_out) {
    return usage(fmt::format("--topic-fan-out {}: must be 0, or between 2 and {}",
                             options.topic_fan_out, max_fan_out));
  }
  for (const double share :
       {options.topic_share, options.topic_spread, options.shared_share, options.family_share,
        options.copy_share, options.one_word_share, options.empty_share}) {
    if (!is_share(share)) return usage(fmt::format("{}: a share is between 0 and 1", share));
  }
  if (!(of_urls <= 1 + 1e-9)) {
    return usage(
        fmt::format("the shares of families, copies, one-word and empty bags add up to {}: "
                    "must be at most 1",
                    of_urls));
  }
  return Status::ok();
}

std::string describe(const ModelOptions& options) {
  const ModelOptions all = filled_in(options);
  return fmt::format(
      "synthetic: urls={} seed={} topics={} vocabulary={} words={} topic={} spread={} shared={} "
      "fan-out={} families={} copies={} one-word={} empty={}",
      all.urls, all.seed, all.topics, all.vocabulary, all.words, all.topic_share, all.topic_spread,
      all.shared_share, all.topic_fan_out, all.family_share, all.copy_share, all.one_word_share,
      all.empty_share);
}

Model::Model(const ModelOptions& options)
    : options_(filled_in(options)),
      key_(mix64(options.seed + 0x2545f4914f6cdd1du)),
      general_(options_.vocabulary, general_exponent, general_shift),
      content_(options_.vocabulary - first_content_word(options_.vocabulary), 1,
               first_content_word(options_.vocabulary)),
      topics_(options_.topics, topic_exponent, 0),
      groups_(groups_by_level(options_.topic_fan_out, options_.topics)) {
  lay_out_sites();
}

void Model::lay_out_sites() {
  const double largest = std::max(min_site, static_cast<double>(options_.urls) / 100);
  Rng rng(combine(key_, of_site));
  for (uint64_t begin = 0; begin < options_.urls;) {
    site_begin_.push_back(static_cast<uint32_t>(begin));
    const double size = min_site * std::pow(1 - rng.uniform(), -1 / site_exponent);
    begin += static_cast<uint64_t>(std::min(size, largest));
  }
  site_begin_.push_back(urls());
}

uint32_t Model::site_of(uint32_t id) const {
  const auto next = std::ranges::upper_bound(site_begin_.begin(), site_begin_.end() - 1, id);
  return static_cast<uint32_t>(std::distance(site_begin_.begin(), next) - 1);
}

Model::Subject Model::subject(uint64_t topic_bits, double place) const {
  const uint32_t topic = topics_.rank(topic_bits);
  const double urls = static_cast<double>(options_.urls) * topics_.share(topic);
  const auto subtopics = static_cast<uint32_t>(std::ceil(urls / urls_per_subtopic));
  return {topic, skewed(place, std::max(1u, subtopics))};
}

Page Model::page(uint32_t id) const {
  Page page;
  page.id = id;
  page.source = id;
  page.site = site_of(id);
  Rng links(combine(key_ + of_links, id));
  page.fetched = links.uniform() < fetched_share;
  page.inlinks = draw_inlinks(links);
  Rng rng(combine(key_ + of_page, id));
  double kind = rng.uniform();
  while (kind < options_.copy_share && page.source > 0) {
    const uint32_t before = page.source;
    const bool is_near = (rng() & 1) != 0;
    page.source = static_cast<uint32_t>(
        is_near ? before - 1 - rng.below(std::min(before, near_copy)) : rng.below(before));
    rng = Rng(combine(key_ + of_page, page.source));
    kind = rng.uniform();
  }
  const uint32_t site = page.source == id ? page.site : site_of(page.source);
  const uint64_t site_key = combine(key_ + of_subject, site);
  const uint32_t size = site_begin_[site + 1] - site_begin_[site];
  kind -= options_.copy_share;
  if (kind >= 0 && kind < options_.family_share) {
    page.kind = PageKind::family;
    page.family_site = site;
    page.family = static_cast<uint32_t>(rng.below(1 + size / urls_per_family));
    const uint64_t family_key = combine(site_key + of_family, page.family);
    const Subject subject = this->subject(mix64(family_key), uniform_of(family_key));
    page.topic = subject.topic;
    page.subtopic = subject.subtopic;
    return page;
  }
  kind -= options_.family_share;
  if (kind >= 0 && kind < options_.one_word_share) page.kind = PageKind::one_word;
  kind -= options_.one_word_share;
  if (kind >= 0 && kind < options_.empty_share) page.kind = PageKind::empty;
  const uint64_t number = rng.below(1 + (size - 1) / urls_per_subject);
  const Subject subject = this->subject(combine(site_key, number), rng.uniform());
  page.topic = subject.topic;
  page.subtopic = subject.subtopic;
  return page;
}

void Model::url(const Page& page, std::string& url) const {
  url.clear();
  fmt::format_to(std::back_inserter(url), "https://site-{:07}.test/pages/{:06}", page.site,
                 page.id - site_begin_[page.site]);
}

// A log-normal length whose mean is the option; the normal is a sum of four uniforms.
size_t Model::draw_length(Rng& rng) const {
  const uint64_t bits = rng();
  double sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xffff) * 0x1p-16;
  const double normal = (sum - 2) * std::sqrt(3.0);
  const double length =
      options_.words * std::exp(length_spread * normal - length_spread * length_spread / 2);
  return std::clamp<size_t>(static_cast<size_t>(std::lround(length)), 1, longest);
}

uint32_t Model::content_word(uint64_t key) const {
  return first_content_word(options_.vocabulary) + content_.rank(mix64(key));
}

// The topic, or one of the groups that it is in.
uint64_t Model::owner_of_shared_word(const Page& page, Rng& rng) const {
  const uint64_t topic = uint64_t{page.topic} << 32;
  if (groups_.empty()) return topic;
  const size_t level = rng.below(groups_.size() + 1);
  if (level == groups_.size()) return topic;
  return uint64_t{page.topic % groups_[level]} << 32 | (UINT32_MAX - level);
}

uint32_t Model::topic_word(const Page& page, Rng& rng) const {
  const bool is_special = rng.uniform() < 1 - options_.shared_share;
  const uint32_t place = skewed(rng.uniform(), is_special ? subtopic_words : topic_words);
  const uint64_t owner = is_special ? uint64_t{page.topic} << 32 | (page.subtopic + 1)
                                    : owner_of_shared_word(page, rng);
  return content_word(combine(key_ + of_word, owner) + place);
}

void Model::add_template(const Page& page, Rng& rng) {
  const uint64_t owner = uint64_t{page.family_site} << 32 | page.family;
  const uint64_t key = combine(key_ + of_family, owner);
  for (uint32_t i = 0; i < template_words; ++i) {
    if (rng.uniform() >= template_kept) continue;
    counter_.add(content_word(key + i), small_count_of(mix64(key + i) >> 32));
  }
}

void Model::add_text(const Page& page, size_t words, Rng& rng) {
  const double topic_share =
      std::min(1.0, options_.topic_share *
                        (1 - options_.topic_spread + 2 * options_.topic_spread * rng.uniform()));
  const size_t wanted = counter_.size() + words;
  // A bag whose topic has fewer words than it wants remains shorter.
  for (size_t tries = 0; counter_.size() < wanted && tries < 3 * words; ++tries) {
    const uint64_t bits = rng();  // the low 11 are for the count, the others for the kind
    const bool is_topical = uniform_of(bits) < topic_share;
    if (is_topical) {
      counter_.add(topic_word(page, rng), small_count_of(bits));
    } else {
      counter_.add(general_.rank(rng()), count_of(bits));
    }
  }
}

void Model::words(const Page& page, std::vector<bags::TermCount>& words) {
  Rng rng(combine(key_ + of_words, page.source));
  const size_t length = draw_length(rng);
  switch (page.kind) {
    case PageKind::empty:
      break;
    case PageKind::one_word:
      counter_.add(topic_word(page, rng), 1);
      break;
    case PageKind::family:
      add_template(page, rng);
      add_text(page, static_cast<size_t>(static_cast<double>(length) * text_in_family), rng);
      break;
    case PageKind::plain:
      add_text(page, length, rng);
      break;
  }
  counter_.take(words);
}

// Syllables of a consonant and a vowel are the digits of the number to base 95, at least two.
void spell(uint32_t term, std::string& word) {
  constexpr std::string_view consonants = "bcdfghjklmnpqrstvwz";
  constexpr std::string_view vowels = "aeiou";
  constexpr uint32_t base = consonants.size() * vowels.size();
  word.clear();
  for (uint32_t rest = term; rest > 0 || word.size() < 4; rest /= base) {
    word += consonants[rest % base / vowels.size()];
    word += vowels[rest % vowels.size()];
  }
}

}  // namespace kith::synthetic
