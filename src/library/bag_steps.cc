// kith::BagSteps: the words of pages, the keys of their URLs.
#include "kith/bag_steps.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bags/fragment.h"
#include "bags/page_digest.h"
#include "bags/run.h"
#include "bags/term_counter.h"
#include "bags/vocabulary/vocabulary.h"
#include "base/utf8.h"
#include "crawl/read/json_line.h"
#include "crawl/read/page.h"
#include "library/batch.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/words/language.h"

namespace kith {
namespace {

// Of a run its options are checked; of its input and output nothing is used.
ClusterOptions run_options_of(const BagStepOptions& options) {
  ClusterOptions run;
  run.inputs = {"texts"};
  run.output = "memory";
  run.bags = BagKind::content;
  run.boilerplate = Boilerplate::keep;
  run.weighting = options.weighting;
  run.min_df = options.min_df;
  run.max_df = options.max_df;
  run.max_terms = options.max_terms;
  run.max_page = options.max_page;
  run.language = options.language;
  return run;
}

bags::DigestOptions digest_options(const BagStepOptions& options) {
  bags::DigestOptions digest;
  digest.kind = BagKind::content;
  digest.language = text::language_of_tag(options.language);
  return digest;
}

// The way of some pages to their words, as JSON lines take it on one machine. To be used once.
class PageWordReader {
 public:
  explicit PageWordReader(const BagStepOptions& options)
      : max_page_(options.max_page),
        terms_(vocabulary_),
        digester_(digest_options(options), terms_) {}

  void add(std::string_view text, std::string_view title) {
    if (!text.empty()) read(cut_utf8(text, max_page_), cut_utf8(title, crawl::kLongestTitle));
    counter_.take(counts_);
    for (const bags::TermCount& entry : counts_) {
      words_.terms.push_back(entry.term);
      words_.counts.push_back(entry.count);
    }
    words_.offsets.push_back(words_.terms.size());
  }

  PageWords take() {
    for (const std::string_view stem : vocabulary_.stems()) words_.stems.add(stem);
    words_.documents.resize(words_.stems.size());
    for (const uint32_t stem : words_.terms) ++words_.documents[stem];
    add_forms();
    return std::move(words_);
  }

 private:
  void read(std::string_view text, std::string_view title) {
    crawl::Page page;
    page.kind = crawl::PageKind::text;
    page.charset = "utf-8";
    page.body = text;
    const bags::PageDigest& digest = digester_.read(url_, page_text_.read(page), title);
    words_.words += digest.title_terms.size() + digest.terms.size();
    for (const auto* const terms : {&digest.title_terms, &digest.terms}) {
      for (const uint32_t term : *terms) {
        if (term != bags::no_term) counter_.add(term);
      }
    }
  }

  // A word that was met in several languages comes once.
  void add_forms() {
    std::vector<bags::SurfaceCount> forms = terms_.surfaces();
    std::ranges::sort(forms, [](const bags::SurfaceCount& a, const bags::SurfaceCount& b) {
      return std::tuple(a.term, a.word) < std::tuple(b.term, b.word);
    });
    for (size_t i = 0; i < forms.size(); ++i) {
      const bags::SurfaceCount& form = forms[i];
      if (i > 0 && forms[i - 1].term == form.term && forms[i - 1].word == form.word) {
        words_.form_counts.back() += form.count;
        continue;
      }
      words_.forms.add(form.word);
      words_.form_stems.push_back(form.term);
      words_.form_counts.push_back(form.count);
    }
  }

  const uint64_t max_page_;
  const text::Url url_;  // links are not looked at
  bags::Vocabulary vocabulary_;
  bags::TermReader terms_;
  bags::PageDigester digester_;
  pipeline::PageText page_text_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
  PageWords words_;
};

}  // namespace

struct BagSteps::State {
  BagStepOptions options;
};

BagSteps::BagSteps(std::unique_ptr<const State> state) : state_(std::move(state)) {}
BagSteps::~BagSteps() = default;
BagSteps::BagSteps(BagSteps&&) noexcept = default;
BagSteps& BagSteps::operator=(BagSteps&&) noexcept = default;

Result<BagSteps> BagSteps::make(const BagStepOptions& options) {
  return pipeline::guarded([&]() -> Result<BagSteps> {
    KITH_TRY(validate(run_options_of(options)));
    return BagSteps(std::make_unique<const State>(State{options}));
  });
}

const BagStepOptions& BagSteps::options() const {
  return state_->options;
}

Result<PageWords> BagSteps::words(std::span<const std::string_view> texts,
                                  std::span<const std::string_view> titles) const {
  if (!titles.empty() && titles.size() != texts.size()) {
    return library::usage(fmt::format("{} titles of {} texts: give one for each text, or none",
                                      titles.size(), texts.size()));
  }
  return pipeline::guarded([&]() -> Result<PageWords> {
    PageWordReader reader(state_->options);
    for (size_t i = 0; i < texts.size(); ++i) {
      reader.add(texts[i], titles.empty() ? std::string_view() : titles[i]);
    }
    return reader.take();
  });
}

StringList BagSteps::url_keys(std::span<const std::string_view> urls) {
  StringList keys;
  text::Url parsed;
  std::string key;
  for (const std::string_view url : urls) {
    key.clear();
    if (text::parse_url(url, nullptr, parsed)) text::surt_of_url(parsed.href, key);
    keys.add(key);
  }
  return keys;
}

}  // namespace kith
