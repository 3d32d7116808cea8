// The URL and word half of the text stage: URLs resolved, text split into words, stop words,
// stems, languages. Targets: 0.25 us per href, 400 MB/s of English text.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "text/url/url.h"
#include "text/words/language.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::text {
namespace {

constexpr std::string_view english_words[] = {
    "the",     "of",       "and",       "to",          "in",       "a",           "is",
    "that",    "for",      "it",        "was",         "on",       "are",         "as",
    "with",    "they",     "at",        "be",          "this",     "from",        "or",
    "which",   "river",    "engine",    "temperature", "history",  "government",  "because",
    "several", "mountain", "language",  "painting",    "between",  "development", "small",
    "through", "station",  "describe",  "particular",  "music",    "children",    "different",
    "system",  "water",    "number",    "University",  "Germany",  "Thomas",      "London",
    "don't",   "research", "published", "northern",    "cultural", "information", "I"};
constexpr std::string_view german_words[] = {"der",
                                             "die",
                                             "und",
                                             "in",
                                             "den",
                                             "von",
                                             "zu",
                                             "das",
                                             "mit",
                                             "sich",
                                             "des",
                                             "auf",
                                             "f\u00fcr",
                                             "ist",
                                             "nicht",
                                             "ein",
                                             "\u00fcber",
                                             "H\u00e4user",
                                             "Stra\u00dfe",
                                             "Bundesregierung",
                                             "Entwicklung",
                                             "wurde",
                                             "Stadt",
                                             "Geschichte",
                                             "gr\u00f6\u00dfte",
                                             "Universit\u00e4t",
                                             "Fl\u00fcsse",
                                             "Jahr"};
constexpr std::string_view russian_words[] = {
    "\u0438",
    "\u0432",
    "\u043d\u0435",
    "\u043d\u0430",
    "\u044f",
    "\u0431\u044b\u043b",
    "\u0433\u043e\u0440\u043e\u0434",
    "\u0438\u0441\u0442\u043e\u0440\u0438\u044f",
    "\u041c\u043e\u0441\u043a\u0432\u0430",
    "\u0443\u043d\u0438\u0432\u0435\u0440\u0441\u0438\u0442\u0435\u0442",
    "\u0440\u0430\u0437\u0432\u0438\u0442\u0438\u0435",
    "\u043a\u043e\u0442\u043e\u0440\u044b\u0439"};
constexpr std::string_view chinese_words[] = {
    "\u6211\u4eec", "\u5728",       "\u5317\u4eac", "\u5927\u5b66", "\u5b66\u4e60",
    "\u7684",       "\u5386\u53f2", "\u53d1\u5c55", "\u4e16\u754c", "\u4e2d\u56fd",
    "\u4eba\u6c11", "\u662f",       "\u4e86",       "\u7ecf\u6d4e"};

template <size_t n>
std::string make_text(const std::string_view (&words)[n], std::string_view blank, size_t bytes) {
  Rng random(1);
  std::string text;
  while (text.size() < bytes) {
    // The front of each list is its frequent half.
    const uint64_t limit = random.below(2) == 0 ? n : n / 2;
    text += words[random.below(limit)];
    const uint64_t mark = random.below(16);
    text += mark == 0 ? ". " : mark == 1 ? ", " : blank;
  }
  return text;
}

constexpr size_t text_bytes = 256 << 10;

const std::string& text_of(int64_t kind) {
  static const std::string texts[] = {
      make_text(english_words, " ", text_bytes), make_text(german_words, " ", text_bytes),
      make_text(russian_words, " ", text_bytes), make_text(chinese_words, "", text_bytes)};
  return texts[kind];
}

void split_words(benchmark::State& state) {
  const std::string& text = text_of(state.range(0));
  WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  uint64_t words = 0;
  for (auto _ : state) {
    uint64_t sum = 0;
    for (splitter.reset(text); splitter.next(word, offset);) {
      sum += word.size() + static_cast<uint8_t>(word.front()) + offset;
      ++words;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
  state.counters["words/s"] =
      benchmark::Counter(static_cast<double>(words), benchmark::Counter::kIsRate);
}
BENCHMARK(split_words)->ArgName("en_de_ru_zh")->DenseRange(0, 3);

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  for (splitter.reset(text); splitter.next(word, offset);) words.emplace_back(word);
  return words;
}

void look_up_stop_words(benchmark::State& state) {
  const auto words = words_of(text_of(0).substr(0, 32 << 10));
  for (auto _ : state) {
    uint64_t found = 0;
    for (const auto& word : words) found += is_stop_word(Language::english, word);
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * words.size()));
}
BENCHMARK(look_up_stop_words);

void stem_words(benchmark::State& state) {
  const auto words = words_of(text_of(state.range(0)).substr(0, 32 << 10));
  const auto language = state.range(0) == 0 ? Language::english : Language::german;
  Stemmer stemmer;
  for (auto _ : state) {
    uint64_t bytes = 0;
    for (const auto& word : words) bytes += stemmer.stem(language, word).size();
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * words.size()));
}
BENCHMARK(stem_words)->ArgName("en_de")->DenseRange(0, 1);

void detect_languages(benchmark::State& state) {
  const std::string text = text_of(state.range(0)).substr(0, 20000);
  constexpr std::string_view attributes[] = {"en", "de", "ru", "zh"};
  const std::string_view attribute = state.range(1) != 0 ? attributes[state.range(0)] : "";
  for (auto _ : state) benchmark::DoNotOptimize(detect_language(attribute, text));
}
BENCHMARK(detect_languages)
    ->ArgNames({"en_de_ru_zh", "attribute"})
    ->ArgsProduct({{0, 1, 2, 3}, {0, 1}});

constexpr std::string_view hrefs[] = {
    "https://www.example.org/articles/2019/07/a-long-title-of-some-article.html",
    "page.html#section-3",
    "../images/index.html",
    "/",
    "/category/news/?page=2&sort=date",
    "#top",
    "http://forum.example.com/viewtopic.php?f=12&t=34567&start=20#p89012",
    "./chapter%20two/notes.html",
    "//cdn.example.net/lib/script.js?v=1.2.3",
    "javascript:void(0)",
    "mailto:someone@example.org",
    "class/kith/text/WordSplitter.html#a0b1c2d3",
    "https://example.org",
    "a/b/../c/d.html"};

void resolve_urls(benchmark::State& state) {
  Url base;
  Url url;
  if (!parse_url("https://docs.example.org/en/stable/library/index.html", nullptr, base)) {
    state.SkipWithError("the base is no URL");
  }
  for (auto _ : state) {
    for (const auto href : hrefs) {
      benchmark::DoNotOptimize(parse_url(href, &base, url));
      benchmark::DoNotOptimize(url.href.data());
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * std::size(hrefs)));
}
BENCHMARK(resolve_urls);

void make_surt_keys(benchmark::State& state) {
  std::string key;
  std::string url;
  for (auto _ : state) {
    surt_of_url("https://www.docs.example.org/articles/2019/07/a-long-title.html", key);
    url_of_surt(key, url);
    benchmark::DoNotOptimize(url.data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(make_surt_keys);

}  // namespace
}  // namespace kith::text

BENCHMARK_MAIN();
