// Text to shingles. The goal is 300 MB/s beyond the splitting into words (bench/text_words.cc), so
// that 100 MB/s of text go through all of the search for near-duplicates.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "text/words/shingles.h"
#include "text/words/words.h"

namespace kith::text {
namespace {

// Words of 1 to 12 letters, Zipf-like: short ones are frequent. Sentences have capitals and stops.
std::string make_text(size_t bytes, uint64_t seed) {
  Rng vocabulary(7);
  std::vector<std::string> words;
  for (size_t i = 0; i < 5000; ++i) {
    std::string word;
    const size_t length = 1 + vocabulary.below(4 + std::min<size_t>(i / 50, 8));
    for (size_t j = 0; j < length; ++j) {
      word.push_back(static_cast<char>('a' + vocabulary.below(26)));
    }
    words.push_back(word);
  }
  Rng rng(seed);
  std::string text;
  while (text.size() < bytes) {
    const double u = rng.uniform();
    text += words[static_cast<size_t>(u * u * u * static_cast<double>(words.size()))];
    text += rng.below(12) == 0 ? ".\nThe " : " ";
  }
  return text;
}

std::vector<std::string> documents(size_t bytes) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < 64; ++i) texts.push_back(make_text(bytes, i));
  return texts;
}

template <class Work>
void over_documents(benchmark::State& state, size_t bytes, const Work& work) {
  const auto texts = documents(bytes);
  size_t next = 0;
  size_t done = 0;
  for (auto _ : state) {
    work(texts[next]);
    done += texts[next].size();
    next = (next + 1) % texts.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(done));
}

void split(benchmark::State& state) {
  WordSplitter splitter;
  over_documents(state, static_cast<size_t>(state.range(0)), [&](const std::string& text) {
    std::string_view word;
    uint32_t offset = 0;
    uint64_t sum = 0;
    for (splitter.reset(text); splitter.next(word, offset);) sum += word.size();
    benchmark::DoNotOptimize(sum);
  });
}
BENCHMARK(split)->ArgName("bytes")->Arg(500)->Arg(6000)->Arg(100000);

void shingle(benchmark::State& state) {
  ShingleOptions options;
  options.tokens.normalize = state.range(1) != 0;
  options.tokens.unit = state.range(2) != 0 ? TokenUnit::characters : TokenUnit::words;
  Shingler shingler(options);
  std::vector<uint64_t> shingles;
  over_documents(state, static_cast<size_t>(state.range(0)), [&](const std::string& text) {
    shingler.read(text, shingles);
    benchmark::DoNotOptimize(shingles.data());
  });
}
BENCHMARK(shingle)
    ->ArgNames({"bytes", "normalize", "characters"})
    ->ArgsProduct({{500, 6000, 100000}, {1}, {0}})
    ->ArgsProduct({{6000}, {0}, {0, 1}})
    ->ArgsProduct({{6000}, {1}, {1}});

void make_elements(benchmark::State& state) {
  ShingleOptions options;
  options.bag = state.range(1) != 0;
  Shingler shingler(options);
  std::vector<uint64_t> elements;
  over_documents(state, static_cast<size_t>(state.range(0)), [&](const std::string& text) {
    shingler.elements(text, elements);
    benchmark::DoNotOptimize(elements.data());
  });
}
BENCHMARK(make_elements)->ArgNames({"bytes", "bag"})->ArgsProduct({{500, 6000, 100000}, {0, 1}});

}  // namespace
}  // namespace kith::text

BENCHMARK_MAIN();
