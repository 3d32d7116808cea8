#include "bags/boilerplate/filter.h"

#include <algorithm>
#include <tuple>

#include "base/memory.h"
#include "text/url/url.h"

namespace kith::bags {
namespace {

constexpr size_t max_listed_hosts = 10;

// Without a sample, as on a host of a few pages: more than half of its words are links.
bool is_menu(const Block& block, uint32_t words) {
  return 2 * uint64_t{block.link_words} > words;
}

// A block that is nine tenths of its page is what the page says: on copies of a page, too, and on
// pages of an error, however many there are.
bool is_page(uint32_t words, size_t words_of_page) {
  return 10 * uint64_t{words} >= 9 * uint64_t{words_of_page};
}

// Of a block of a page of so many words.
uint32_t words_of(std::span<const Block> blocks, size_t block, size_t words) {
  const size_t end = block + 1 < blocks.size() ? blocks[block + 1].begin : words;
  return static_cast<uint32_t>(end - blocks[block].begin);
}

}  // namespace

void BoilerplateTally::count(std::string_view host, uint64_t key, uint64_t words,
                             uint64_t left_out) {
  Stripe& stripe = stripes_[key % stripes];
  const std::lock_guard lock(stripe.mutex);
  HostBoilerplate& counted = stripe.hosts[key];
  if (counted.words == 0) counted.host = host;
  counted.words += words;
  counted.left_out += left_out;
}

BoilerplateReport BoilerplateTally::report() const {
  BoilerplateReport counts;
  counts.blocks = templates_.blocks();
  counts.most = hosts();
  counts.hosts = counts.most.size();
  if (counts.most.size() > max_listed_hosts) counts.most.resize(max_listed_hosts);
  return counts;
}

std::vector<HostBoilerplate> BoilerplateTally::hosts() const {
  std::vector<HostBoilerplate> hosts;
  for (const Stripe& stripe : stripes_) {
    for (const auto& [key, host] : stripe.hosts) {
      if (host.left_out > 0) hosts.push_back(host);
    }
  }
  std::ranges::sort(hosts, [](const HostBoilerplate& a, const HostBoilerplate& b) {
    return std::tie(b.left_out, a.host) < std::tie(a.left_out, b.host);
  });
  return hosts;
}

uint64_t BoilerplateFilter::choose(std::string_view url, std::span<const Block> blocks,
                                   size_t words) {
  const Templates& templates = tally_->templates();
  const Sites sites = sites_of(url);
  const bool is_known = templates.knows(sites);
  left_out_ = 0;
  is_left_out_.assign(blocks.size(), false);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint32_t size = words_of(blocks, i, words);
    if (is_page(size, words)) continue;
    if (is_known ? !templates.is_template(sites, blocks[i].hash) : !is_menu(blocks[i], size)) {
      continue;
    }
    left_out_ += size;
    is_left_out_[i] = true;
  }
  if (is_known) tally_->count(text::host_of(url), sites.host(), words, left_out_);
  return left_out_;
}

std::span<const uint32_t> BoilerplateFilter::filter(const PageDigest& page) {
  if (choose(page.url, page.blocks, page.terms.size()) == 0) return page.terms;
  terms_.assign(page.terms.begin(), page.terms.end());
  for (size_t i = 0; i < page.blocks.size(); ++i) {
    if (!is_left_out_[i]) continue;
    std::fill_n(terms_.begin() + page.blocks[i].begin, words_of(page.blocks, i, terms_.size()),
                no_term);
  }
  return terms_;
}

void BoilerplateFilter::forget_buffers() {
  free_memory(terms_);
  free_memory(is_left_out_);
}

}  // namespace kith::bags
