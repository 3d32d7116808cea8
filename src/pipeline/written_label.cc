// kith::written_label: labels with phrases and capitals, by titles.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kith/topics.h"

#include "base/ascii.h"
#include "pipeline/tidy_label.h"
#include "text/url/url.h"
#include "text/words/words.h"

namespace kith {
namespace {

constexpr size_t max_words = 8;
constexpr size_t max_titles = 10'000;
// Smaller topics have too few titles for phrases.
constexpr uint64_t min_pages = 30;

bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

// How a word of the label stands in titles.
struct Spelling {
  uint64_t titles = 0;    // that have it
  uint64_t places = 0;    // in titles that are not written in capitals throughout, not at the front
  uint64_t capitals = 0;  // of these, with a capital
  std::string with_capital;  // the first of them
};

class TitleReader {
 public:
  explicit TitleReader(std::vector<std::string> label) : label_(std::move(label)) {
    label_.resize(std::min(label_.size(), max_words));
  }

  void read(std::string_view title) {
    places_.clear();
    splitter_.reset(title);
    std::string_view word;
    uint32_t offset = 0;
    bool has_lower = false;
    size_t end = 0;  // of the word before
    for (bool is_first = true; splitter_.next(word, offset); is_first = false) {
      const std::string_view written = title.substr(offset, word.size());
      constexpr size_t long_word = 4;
      has_lower = has_lower || (!is_first && word.size() >= long_word && !is_upper(written[0]));
      // What lower case has made longer or shorter is left as it is.
      const bool is_same = std::ranges::equal(written, word, {}, ascii_lower);
      const bool follows = !is_first && offset == end + 1 && title[end] == ' ';
      places_.push_back({is_same ? index_of(word) : std::nullopt, written, is_first, follows});
      end = offset + word.size();
    }
    count(has_lower);
  }

  std::vector<std::string> write(uint64_t pages, uint64_t titles) const {
    std::vector<std::string> words;
    for (size_t i = 0; i < label_.size(); ++i) words.push_back(spelled(i));
    if (pages < min_pages) return words;
    std::array<bool, max_words> gone{};
    while (const auto pair = best_pair(gone, titles)) {
      const auto [a, b] = *pair;
      words[std::min(a, b)] = words[a] + " " + words[b];
      words[std::max(a, b)].clear();
      gone[a] = gone[b] = true;
    }
    std::erase(words, "");
    return words;
  }

 private:
  struct Place {
    std::optional<size_t> word;  // of the label
    std::string_view written;
    bool is_first;
    bool follows;  // the word before it, with a blank between them: a.b is no phrase
  };
  struct Pair {
    size_t a;
    size_t b;
  };

  std::optional<size_t> index_of(std::string_view word) const {
    const auto found = std::ranges::find(label_, word);
    if (found == label_.end()) return std::nullopt;
    return static_cast<size_t>(found - label_.begin());
  }

  void count(bool is_sentence) {
    std::array<bool, max_words> seen{};
    std::array<std::array<bool, max_words>, max_words> seen_pair{};
    const Place* last = nullptr;
    for (const Place& place : places_) {
      if (place.word) {
        Spelling& spelling = spellings_[*place.word];
        seen[*place.word] = true;
        if (is_sentence && !place.is_first) {
          ++spelling.places;
          spelling.capitals += is_upper(place.written[0]);
          if (is_upper(place.written[0]) && spelling.with_capital.empty()) {
            spelling.with_capital = place.written;
          }
        }
        const bool beside = last != nullptr && last->word && place.follows;
        if (beside && *last->word != *place.word) seen_pair[*last->word][*place.word] = true;
      }
      last = &place;
    }
    for (size_t a = 0; a < label_.size(); ++a) {
      spellings_[a].titles += seen[a];
      for (size_t b = 0; b < label_.size(); ++b) pairs_[a][b] += seen_pair[a][b];
    }
  }

  // With a capital where four of five places have one.
  std::string spelled(size_t i) const {
    const Spelling& spelling = spellings_[i];
    const bool is_name = spelling.places >= 3 && spelling.capitals * 5 >= spelling.places * 4;
    return is_name ? spelling.with_capital : label_[i];
  }

  // Of words that are in no phrase yet the pair of most titles: at least max(3, a twentieth of
  // all), and half of those that have the more frequent word.
  std::optional<Pair> best_pair(const std::array<bool, max_words>& gone, uint64_t titles) const {
    std::optional<Pair> best;
    uint64_t most = std::max<uint64_t>(3, titles / 20) - 1;
    for (size_t a = 0; a < label_.size(); ++a) {
      for (size_t b = 0; b < label_.size(); ++b) {
        const uint64_t both = pairs_[a][b];
        const uint64_t either = std::max(spellings_[a].titles, spellings_[b].titles);
        if (gone[a] || gone[b] || both <= most || both * 2 < either) continue;
        best = {a, b};
        most = both;
      }
    }
    return best;
  }

  std::vector<std::string> label_;
  text::WordSplitter splitter_;
  std::vector<Place> places_;  // of a title
  std::array<Spelling, max_words> spellings_;
  std::array<std::array<uint64_t, max_words>, max_words> pairs_{};  // titles with a before b
};

}  // namespace

Result<std::vector<std::string>> written_label(const Run& run, const TopicTree& tree,
                                               uint32_t number) {
  KITH_ASSIGN(const std::span<const UrlId> pages, tree.pages(number));
  TitleReader reader(tree.topic(number).label);
  const size_t step = pages.size() / max_titles + 1;
  uint64_t titles = 0;
  for (size_t i = 0; i < pages.size(); i += step) {
    KITH_ASSIGN(const std::string_view title, run.title(pages[i]));
    reader.read(title);
    ++titles;
  }
  std::vector<std::string> words = reader.write(pages.size(), titles);
  if (pages.empty()) return words;
  KITH_ASSIGN(const std::string exemplar, run.url(tree.topic(number).exemplar));
  return pipeline::tidy_label(std::move(words), text::host_of(exemplar));
}

}  // namespace kith
