#include "distributed/page_words.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "bags/fragment.h"
#include "base/bytes.h"
#include "crawl/read/json_line.h"
#include "text/words/language.h"

namespace kith::distributed {
namespace {

bags::DigestOptions digest_options(const ClusterOptions& options, bool blocks) {
  bags::DigestOptions digest;
  digest.kind = BagKind::content;
  digest.blocks = blocks;
  digest.language = text::language_of_tag(options.language);
  return digest;
}

bool has_term(std::span<const uint32_t> terms) {
  return std::ranges::any_of(terms, [](uint32_t term) { return term != bags::no_term; });
}

}  // namespace

void PageWords::add_page(std::span<const bags::TermCount> counts, bags::Slots slots) {
  std::array<bool, bags::max_parts> has_part = {};
  for (const bags::TermCount& count : counts) {
    entries.push_back(packed(count.term, count.count));
    ++documents[count.term];
    has_part[slots.part(count.term)] = true;
  }
  filled += has_part[0] ? 1 : 0;
  linked += has_part[1] ? 1 : 0;
  offsets.push_back(entries.size());
}

std::span<const uint32_t> PageFilter::filter(const bags::PageDigest& page) {
  const std::span<const uint32_t> kept = filter_.filter(page);
  counts_.words += page.terms.size();
  counts_.left_out += filter_.left_out();
  if (filter_.left_out() == 0 || has_term(kept) || has_term(page.title_terms)) return kept;
  if (!has_term(page.terms)) return kept;
  ++counts_.kept_whole;
  return page.terms;
}

void PageFilter::add(const bags::FragmentCounts& counts) {
  counts_.words += counts.text_words;
  counts_.left_out += counts.left_out;
  counts_.kept_whole += counts.kept_whole;
}

BoilerplateReport PageFilter::counts() const {
  BoilerplateReport counts = counts_;
  counts.most = tally_.hosts();
  counts.hosts = counts.most.size();
  return counts;
}

PageWordReader::PageWordReader(const ClusterOptions& options, PageFilter* filter)
    : max_page_(options.max_page),
      filter_(filter),
      terms_(vocabulary_),
      digester_(digest_options(options, filter != nullptr), terms_) {}

void PageWordReader::add(const crawl::Page& page) {
  text::parse_url_or_name(page.url, url_);
  count(page);
  end_page();
}

void PageWordReader::add_text(std::string_view text, std::string_view title) {
  crawl::Page page;
  page.kind = crawl::PageKind::text;
  page.charset = "utf-8";
  page.body = cut_utf8(text, max_page_);
  page.title = cut_utf8(title, crawl::kLongestTitle);
  if (!text.empty()) count(page);
  end_page();
}

void PageWordReader::count(const crawl::Page& page) {
  const bags::PageDigest& digest =
      digester_.read(url_, page_text_.read(page), page.title, page.time);
  words_.words += digest.title_terms.size() + digest.terms.size();
  const std::span<const uint32_t> text =
      filter_ == nullptr ? std::span<const uint32_t>(digest.terms) : filter_->filter(digest);
  const auto add_all = [this](std::span<const uint32_t> terms) {
    for (const uint32_t term : terms) {
      if (term != bags::no_term) counter_.add(term);
    }
  };
  for (uint32_t i = 0; i < bags::title_count; ++i) add_all(digest.title_terms);
  add_all(text);
}

void PageWordReader::end_page() {
  counter_.take(counts_);
  words_.documents.resize(vocabulary_.size());
  words_.add_page(counts_, bags::Slots());
}

PageWords PageWordReader::take() {
  for (const std::string_view stem : vocabulary_.stems()) words_.stems.add(stem);
  words_.documents.resize(words_.stems.size());
  add_forms(terms_, words_);
  return std::move(words_);
}

// A word that was met in several languages comes once.
void add_forms(const bags::TermReader& terms, PageWords& words) {
  std::vector<bags::SurfaceCount> forms = terms.surfaces();
  std::ranges::sort(forms, [](const bags::SurfaceCount& a, const bags::SurfaceCount& b) {
    return std::tuple(a.term, a.word) < std::tuple(b.term, b.word);
  });
  for (size_t i = 0; i < forms.size(); ++i) {
    const bags::SurfaceCount& form = forms[i];
    if (i > 0 && forms[i - 1].term == form.term && forms[i - 1].word == form.word) {
      words.form_counts.back() += form.count;
      continue;
    }
    words.forms.add(form.word);
    words.form_stems.push_back(form.term);
    words.form_counts.push_back(form.count);
  }
}

PageWords words_of_texts(const ClusterOptions& options, std::span<const std::string_view> texts,
                         std::span<const std::string_view> titles) {
  PageWordReader reader(options);
  for (size_t i = 0; i < texts.size(); ++i) {
    reader.add_text(texts[i], titles.empty() ? std::string_view() : titles[i]);
  }
  return reader.take();
}

StringList url_keys(std::span<const std::string_view> urls, bool names) {
  StringList keys;
  text::Url parsed;
  std::string key;
  for (const std::string_view url : urls) {
    key.clear();
    const bool is_page =
        names ? text::parse_url_or_name(url, parsed) : text::parse_url(url, nullptr, parsed);
    if (is_page) text::surt_of_url(parsed.href, key);
    keys.add(key);
  }
  return keys;
}

}  // namespace kith::distributed
