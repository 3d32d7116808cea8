#include "synthetic/crawl_sites.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

#include "base/hash.h"
#include "base/random.h"

namespace kith::synthetic {
namespace {

constexpr double min_site = 4;
constexpr double site_exponent = 1.1;        // P(size >= x) = (x / min_site)^-1.1
constexpr double max_site_share = 1.0 / 50;  // of the pages

constexpr uint32_t pages_per_directory = 40;  // they have one subject
constexpr double pages_per_topic = 50;
constexpr double topic_exponent = 0.7;
constexpr double pages_per_subtopic = 30;
constexpr uint32_t shared_topic_words = 20;  // of TopicWords::size: those of all subtopics

// Words of topics are drawn log-uniformly from ranks between these.
constexpr uint32_t first_content_word = 300;
constexpr uint32_t content_words = 2'000'000;

constexpr std::array<std::string_view, 8> domains = {"com",   "org", "net", "de",
                                                     "co.uk", "fr",  "io",  "info"};

uint32_t topics_of(uint64_t pages) {
  return 1 + static_cast<uint32_t>(static_cast<double>(pages) / pages_per_topic);
}

double uniform_of(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

char* write(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* write(uint32_t number, char* to) {
  return std::to_chars(to, to + 10, number).ptr;
}

}  // namespace

uint64_t draw_key(uint64_t seed, CrawlPurpose purpose, uint64_t thing) {
  return mix64(mix64(seed * 64 + purpose + 0x2545f4914f6cdd1du) +
               mix64(thing + 0x9e3779b97f4a7c15u));
}

CrawlSites::CrawlSites(const CrawlOptions& options)
    : options_(options),
      topics_(topics_of(options.pages), topic_exponent, 0),
      content_words_(content_words, 1, first_content_word) {
  subtopics_.reserve(topics_.size());
  for (uint32_t topic = 0; topic < topics_.size(); ++topic) {
    const double pages = static_cast<double>(options.pages) * topics_.share(topic);
    subtopics_.push_back(static_cast<uint32_t>(std::ceil(pages / pages_per_subtopic)));
  }
  const double max_site = std::max(min_site, static_cast<double>(options.pages) * max_site_share);
  Rng rng(draw_key(options.seed, of_layout, 0));
  for (uint64_t begin = 0; begin < options.pages;) {
    begin_.push_back(begin);
    const double size = min_site * std::pow(1 - rng.uniform(), -1 / site_exponent);
    begin += static_cast<uint64_t>(std::min(size, max_site));
  }
  begin_.push_back(options.pages);
}

uint32_t CrawlSites::linked(uint32_t site) const {
  return pages(site) + static_cast<uint32_t>(options_.unfetched * pages(site));
}

Place CrawlSites::place(uint64_t page) const {
  const auto next = std::upper_bound(begin_.begin(), begin_.end() - 1, page);
  const auto site = static_cast<uint32_t>(std::distance(begin_.begin(), next) - 1);
  return {site, static_cast<uint32_t>(page - begin_[site])};
}

void CrawlSites::add_origin(uint32_t site, std::string& url) const {
  const uint64_t key = draw_key(options_.seed, of_host, site);
  url += (key & 1) != 0 ? "https://www." : "https://";
  url += spell_word(uint64_t{site} + 95 * 96).word();  // three syllables and more
  url += '.';
  // The first domain has half of the sites, the second a quarter of the others, and so on.
  const size_t domain = (key >> 1 & 1) != 0 ? 0 : (key >> 2) % domains.size();
  url += domains[domain];
}

char* CrawlSites::write_path(Place place, char* to) const {
  *to++ = '/';
  if (place.number == 0) return to;
  to = write(directory(place).word(), to);
  *to++ = '/';
  to = write(word_of(subject(place), place.number % TopicWords::size).word(), to);
  *to++ = '-';
  to = write(place.number, to);
  return write(".html", to);
}

char* CrawlSites::write_old_path(Place place, char* to) const {
  return write(place.number, write("/old/page.php?id=", to));
}

void CrawlSites::add_path(Place place, std::string& url) const {
  char path[max_path];
  url.append(path, write_path(place, path));
}

void CrawlSites::add_old_path(Place place, std::string& url) const {
  char path[max_path];
  url.append(path, write_old_path(place, path));
}

char* CrawlSites::write_topic_words(Place place, uint32_t count, uint64_t bits, char* to) const {
  const Subject subject = this->subject(place);
  Rng rng(bits);
  for (uint32_t i = 0; i < count; ++i) {
    const double u = rng.uniform();
    to = word_of(subject, static_cast<uint32_t>(u * u * TopicWords::size)).write(to);
  }
  return to;
}

Spelling CrawlSites::directory(Place place) const {
  const uint64_t directory = place.number / pages_per_directory;
  const uint64_t key =
      draw_key(options_.seed, of_directory, uint64_t{place.site} << 32 | directory);
  return spell_word(first_content_word + content_words_.rank(key));
}

CrawlSites::Subject CrawlSites::subject(Place place) const {
  const uint64_t directory = place.number / pages_per_directory;
  Rng rng(draw_key(options_.seed, of_subject, uint64_t{place.site} << 32 | directory));
  const uint32_t topic = topics_.rank(rng());
  const double u = rng.uniform();
  const auto subtopic = static_cast<uint64_t>(u * u * subtopics_[topic]);
  return {draw_key(options_.seed, of_topic_word, uint64_t{topic} << 32),
          draw_key(options_.seed, of_topic_word, uint64_t{topic} << 32 | (subtopic + 1))};
}

Spelling CrawlSites::word_of(const Subject& subject, uint32_t i) const {
  // Every third word is the topic's for as long as it has some, so that low ones are of both.
  const bool is_shared = i % 3 == 0 && i / 3 < shared_topic_words;
  const uint64_t key = (is_shared ? subject.topic_key : subject.subtopic_key) + i;
  return spell_word(first_content_word + content_words_.rank(mix64(key)));
}

TopicWords CrawlSites::topic_words(Place place) const {
  const Subject subject = this->subject(place);
  TopicWords all;
  for (uint32_t i = 0; i < TopicWords::size; ++i) all.words[i] = word_of(subject, i);
  return all;
}

bool CrawlSites::has_old_url(Place place) const {
  return place.number < pages(place.site) &&
         uniform_of(draw_key(options_.seed, of_old_url, page(place))) < options_.redirect_share;
}

}  // namespace kith::synthetic
