#include "synthetic/crawl_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"

namespace kith::synthetic {
namespace {

constexpr size_t max_frames = 2048;

constexpr double length_spread = 0.6;  // sigma of the logarithm of the number of words
constexpr double max_length = 8;       // of the mean

constexpr uint64_t topic_words_of_256 = 64;  // of the words of a text: a quarter
constexpr size_t words_per_sentence = 14;
constexpr uint32_t words_per_paragraph = 70;
constexpr uint32_t min_words_to_link = 4;
constexpr uint32_t min_link_gap = 30;    // words to the next link: 4 and an even draw below a
constexpr uint32_t max_link_gap = 150;   // number of the page between these
constexpr double external_links = 0.12;  // of those in the text
constexpr uint32_t max_link_bytes = 320;
constexpr uint32_t max_listed = 16;

constexpr uint32_t min_menu = 8;
constexpr uint32_t max_menu = 40;
constexpr uint32_t min_footer = 3;
constexpr uint32_t max_footer = 10;
constexpr size_t min_script = 3'000;
constexpr size_t max_script = 17'600;
constexpr size_t scripts_size = 1'000'000;
constexpr size_t max_line = 100;

constexpr std::string_view page_begin =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"stylesheet\" href=\"/css/site.css\">\n<script>\n";

constexpr std::array<double, 4> changes = {0.002, 0.01, 0.03, 0.08};
constexpr double change_in_family = 0.01;
constexpr uint32_t min_family = 8;  // pages of a site that is one

uint64_t below(double share) {
  return static_cast<uint64_t>(share * 0x1p64);
}

uint32_t draw_between(uint32_t low, uint32_t high, Rng& rng) {
  return low + static_cast<uint32_t>(rng.below(high - low + 1));
}

size_t max_words_of(const CrawlOptions& options) {
  return static_cast<size_t>(options.words * max_length) + 1;
}

// A bound on the bytes of a page: every word and every link at their largest, and the frame.
size_t max_page_bytes(const CrawlOptions& options) {
  const size_t words = max_words_of(options);
  const size_t links = words / min_words_to_link + max_listed + 1;
  return words * 24 + links * max_link_bytes + max_script +
         (max_menu + max_footer) * max_link_bytes + 4096;
}

}  // namespace

PageWriter::PageWriter(const CrawlOptions& options)
    : options_(options),
      sites_(options),
      scripts_(make_scripts()),
      frames_(max_frames),
      page_(max_page_bytes(options)) {}

// Sources are pages of lower numbers, so that this ends.
PageContent PageWriter::content(Place place) const {
  PageContent content{.frame = place, .source = place};
  const uint32_t site_pages = sites_.pages(place.site);
  Rng of_site(draw_key(options_.seed, of_kind, uint64_t{place.site} << 32 | 1));
  if (of_site.uniform() < options_.family_share && site_pages >= min_family && place.number > 0) {
    content.source.number = 1;
    content.change = change_in_family;
    content.change_key = draw_key(options_.seed, of_change, sites_.page(place));
    return content;
  }
  const uint64_t page = sites_.page(place);
  Rng rng(draw_key(options_.seed, of_source, page));
  const double kind = rng.uniform();
  if (kind < options_.duplicate_share) {
    if (place.number == 0) return content;
    return this->content({place.site, static_cast<uint32_t>(rng.below(place.number))});
  }
  if (kind >= options_.duplicate_share + options_.near_share || page == 0) return content;
  const bool is_near = (rng() & 1) != 0 && place.number > 0;
  const uint64_t source = is_near ? page - 1 - rng.below(place.number) : rng.below(page);
  content.source = this->content(sites_.place(source)).source;
  content.change = changes[rng() % changes.size()];
  content.change_key = draw_key(options_.seed, of_change, page);
  return content;
}

void PageWriter::write(std::string_view text) {
  std::memcpy(to_, text.data(), text.size());
  to_ += text.size();
}

std::string_view PageWriter::html(Place place) {
  const PageContent content = this->content(place);
  const Frame& frame = this->frame(content.frame.site);
  const TopicWords topic = sites_.topic_words(content.source);
  to_ = page_.data();
  links_ = frame.links;
  change_ = Rng(content.change_key);
  change_below_ = below(content.change);
  write(page_begin);
  write(frame.script);
  write("\n</script>\n<title>");
  to_ = sites_.write_topic_words(
      content.source, 4, draw_key(options_.seed, of_text, sites_.page(content.source)), to_);
  to_ = fmt::format_to(to_, "{}</title>\n", content.source.number);
  write(frame.header);
  write_text(content, topic);
  write(frame.footer);
  const auto size = static_cast<size_t>(to_ - page_.data());
  KITH_CHECK(size <= page_.size());
  return {page_.data(), size};
}

// A log-normal length whose mean is the option; the normal is a sum of four uniforms.
size_t PageWriter::draw_words(Rng& rng) const {
  const uint64_t bits = rng();
  double sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xffff) * 0x1p-16;
  const double normal = (sum - 2) * std::sqrt(3.0);
  const double length =
      options_.words * std::exp(length_spread * normal - length_spread * length_spread / 2);
  return std::clamp<size_t>(static_cast<size_t>(length), 1, max_words_of(options_));
}

void PageWriter::write_words(size_t count, const TopicWords& topic, Rng& text) {
  char* to = to_;
  for (size_t i = 1; i <= count; ++i) {
    uint64_t bits = text();
    if (change_below_ > 0 && change_() < change_below_) bits = change_();
    if ((bits & 0xff) < topic_words_of_256) {
      const uint64_t u = bits >> 8 & 0xffff;
      to = topic.words[u * u * TopicWords::size >> 32].write(to);
    } else {
      to = words_.write(bits, to);
    }
    if (i % words_per_sentence == 0) {
      to[-1] = '.';
      *to++ = ' ';
    }
  }
  to_ = to;
}

void PageWriter::write_text(const PageContent& content, const TopicWords& topic) {
  const uint64_t source = sites_.page(content.source);
  Rng text(draw_key(options_.seed, of_text, source));
  Rng links(draw_key(options_.seed, of_links, source));
  const uint32_t gap = draw_between(min_link_gap, max_link_gap, links);
  write("<h1>");
  write_words(5, topic, text);
  write("</h1>\n<p>");
  size_t of_paragraph = 0;
  for (size_t left = draw_words(links); left > 0;) {
    const size_t count = std::min<size_t>(left, min_words_to_link + links.below(gap));
    write_words(count, topic, text);
    left -= count;
    of_paragraph += count;
    if (of_paragraph >= words_per_paragraph) {
      write("</p>\n<p class=\"text\">");
      of_paragraph = 0;
    }
    write_link(content, draw_target(content.source, links), links);
  }
  write("</p>\n");
  write_list(content, links);
}

// A page of the own site, low numbers most, or any page of another one, or its home page.
Place PageWriter::draw_target(Place from, Rng& rng) const {
  if (rng.uniform() < external_links) {
    const Place place = sites_.place(rng.below(options_.pages));
    return (rng() & 1) != 0 ? place : Place{place.site, 0};
  }
  const double u = rng.uniform();
  return {from.site, static_cast<uint32_t>(u * u * u * sites_.linked(from.site))};
}

void PageWriter::write_link(const PageContent& content, Place target, Rng& rng) {
  const uint64_t bits = rng();
  write("<a href=\"");
  if (target.site != content.frame.site) {
    std::string origin;
    sites_.add_origin(target.site, origin);
    write(origin);
  }
  const bool is_old = (bits & 3) == 0 && sites_.has_old_url(target);
  to_ = is_old ? sites_.write_old_path(target, to_) : sites_.write_path(target, to_);
  write("\">");
  to_ = sites_.write_topic_words(target, 1 + (bits >> 2 & 3), bits, to_) - 1;
  write("</a> ");
  ++links_;
}

// Pages of the same directory, as most sites list them under a text.
void PageWriter::write_list(const PageContent& content, Rng& rng) {
  const uint32_t linked = sites_.linked(content.source.site);
  const uint32_t count = std::min(linked - 1, 4 + static_cast<uint32_t>(rng.below(max_listed - 4)));
  write("<ul class=\"related\">\n");
  for (uint32_t i = 1; i <= count; ++i) {
    write("<li>");
    write_link(content, {content.source.site, (content.source.number + i) % linked}, rng);
    write("</li>\n");
  }
  write("</ul>\n");
}

const PageWriter::Frame& PageWriter::frame(uint32_t site) {
  Frame& frame = frames_[site % frames_.size()];
  if (frame.site != site) frame = make_frame(site);
  return frame;
}

// Statements of made names, one per line; no word of them is shown.
std::string PageWriter::make_scripts() const {
  Rng rng(draw_key(options_.seed, of_frame, UINT64_MAX));
  std::string lines;
  while (lines.size() < scripts_size) {
    char name[16];
    const std::string_view word(name, words_.write(rng(), name) - name - 1);
    fmt::format_to(std::back_inserter(lines),
                   "window.{0}=function(a,b){{return a.{0}||b[{1}];}};\n", word, rng.below(1000));
  }
  return lines;
}

void PageWriter::add_list(uint32_t site, uint32_t count, bool is_menu, Rng& rng,
                          std::string& out) const {
  char words[16 * 3];
  const uint32_t linked = sites_.linked(site);
  for (uint32_t i = 0; i < count; ++i) {
    const double u = rng.uniform();
    const Place target{site, is_menu ? i % linked : static_cast<uint32_t>(u * u * u * linked)};
    out += "<li class=\"item\"><a class=\"item-link\" href=\"";
    sites_.add_path(target, out);
    out += "\">";
    out.append(words, sites_.write_topic_words(target, 1 + i % 3, rng(), words) - 1);
    out += "</a></li>\n";
  }
}

PageWriter::Frame PageWriter::make_frame(uint32_t site) const {
  Rng rng(draw_key(options_.seed, of_frame, site));
  const uint32_t linked = sites_.linked(site);
  const uint32_t menu = std::min(linked, draw_between(min_menu, max_menu, rng));
  const uint32_t footer = std::min(linked, draw_between(min_footer, max_footer, rng));
  Frame frame;
  frame.site = site;
  frame.links = menu + footer;
  const size_t script = draw_between(min_script, max_script, rng);
  const size_t from = scripts_.find('\n', rng.below(scripts_size - max_script - max_line)) + 1;
  frame.script = std::string_view(scripts_).substr(from, scripts_.find('\n', from + script) - from);
  frame.header = "</head>\n<body>\n<div id=\"header\"><ul class=\"menu\">\n";
  add_list(site, menu, true, rng, frame.header);
  frame.header += "</ul></div>\n<div id=\"main\">\n";
  frame.footer = "</div>\n<div id=\"footer\"><ul>\n";
  add_list(site, footer, false, rng, frame.footer);
  frame.footer += "</ul>\n<p>";
  char word[16];
  for (uint32_t i = 0; i < 30; ++i) frame.footer.append(word, words_.write(rng(), word));
  frame.footer += "</p></div>\n</body>\n</html>\n";
  return frame;
}

}  // namespace kith::synthetic
