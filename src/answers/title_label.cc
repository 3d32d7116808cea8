#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "answers/subject_words.h"
#include "base/bytes.h"
#include "text/url/url.h"
#include "text/words/words.h"

namespace kith::answers {
namespace {

constexpr size_t max_words = 8;
constexpr size_t max_titles = 10'000;
// Fewer are too few for phrases, and of few more of them must have one.
constexpr uint64_t min_titles_of_pairs = 4;
constexpr uint64_t many_titles = 30;
// So many words are enough where titles have them.
constexpr size_t enough_words = 3;
constexpr size_t best_words = 5;
// A word stands in titles if more than one of so many has it.
constexpr uint64_t titles_per_word = 100;

bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

// How a word of the label stands in titles.
struct Spelling {
  uint64_t titles = 0;    // that have it
  uint64_t forms = 0;     // titles that have it or another form of it
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
    has_form_.fill(false);
    is_reply_ = without_reply(title).size() < title.size();
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
      for (size_t i = 0; i < label_.size(); ++i) has_form_[i] |= is_form_of(word, label_[i]);
      end = offset + word.size();
    }
    count(has_lower);
  }

  std::vector<std::string> write(uint64_t titles) const {
    std::vector<std::string> words;
    for (size_t i = 0; i < label_.size(); ++i) words.push_back(spelled(i));
    if (titles >= min_titles_of_pairs) join_pairs(words, titles);
    return in_titles_first(words, titles);
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

  void join_pairs(std::vector<std::string>& words, uint64_t titles) const {
    std::array<bool, max_words> gone{};
    while (const auto pair = best_pair(gone, titles)) {
      const auto [a, b] = *pair;
      words[std::min(a, b)] = words[a] + " " + words[b];
      words[std::max(a, b)].clear();
      gone[a] = gone[b] = true;
    }
  }

  // Words that titles have come first, and stand alone where they are enough: signatures, names of
  // authors and identifiers stand on every page, but in no title. Words after the best few make up
  // what is missing, but only one, or they would decide what the label says.
  std::vector<std::string> in_titles_first(const std::vector<std::string>& words,
                                           uint64_t titles) const {
    std::vector<std::string> label;
    std::vector<std::string> others;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].empty()) continue;
      const bool is_in_titles = spellings_[i].forms > titles / titles_per_word;
      const bool is_one_of_best = label.size() + others.size() < best_words;
      if (!is_one_of_best && label.size() + 1 != enough_words) break;
      if (is_in_titles) {
        label.push_back(words[i]);
      } else if (is_one_of_best) {
        others.push_back(words[i]);
      }
    }
    if (label.size() < enough_words) label.insert(label.end(), others.begin(), others.end());
    return label;
  }

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
      spellings_[a].forms += has_form_[a];
      for (size_t b = 0; b < label_.size(); ++b) pairs_[is_reply_][a][b] += seen_pair[a][b];
    }
  }

  // With a capital where four of five places have one.
  std::string spelled(size_t i) const {
    const Spelling& spelling = spellings_[i];
    const bool is_name = spelling.places >= 3 && spelling.capitals * 5 >= spelling.places * 4;
    return is_name ? spelling.with_capital : label_[i];
  }

  // Of words that are in no phrase yet the pair of most titles: at least max(3, a twentieth of
  // all; of few a third), and half of those that have the more frequent word.
  std::optional<Pair> best_pair(const std::array<bool, max_words>& gone, uint64_t titles) const {
    std::optional<Pair> best;
    const bool is_many = titles >= many_titles;
    uint64_t most = std::max<uint64_t>(3, titles / (is_many ? 20 : 3)) - 1;
    for (size_t a = 0; a < label_.size(); ++a) {
      for (size_t b = 0; b < label_.size(); ++b) {
        const uint64_t both = pairs_[0][a][b] + (is_many ? pairs_[1][a][b] : 0);
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
  bool is_reply_ = false;  // of a title, as the next two
  std::vector<Place> places_;
  std::array<bool, max_words> has_form_{};
  std::array<Spelling, max_words> spellings_;
  // Titles with a before b: first titles of threads and others, and answers, which do not count
  // where titles are few: one thread would make a phrase.
  std::array<std::array<std::array<uint64_t, max_words>, max_words>, 2> pairs_{};
};

}  // namespace

std::vector<std::string> title_label(std::vector<std::string> words,
                                     std::span<const std::string_view> titles) {
  TitleReader reader(std::move(words));
  for (const std::string_view title : titles) reader.read(title);
  return reader.write(titles.size());
}

namespace {

// At most `most` of the pages, evenly.
Result<std::vector<TitleInLanguage>> titles_of(const Run& run, std::span<const UrlId> pages,
                                               size_t most) {
  std::vector<TitleInLanguage> titles;
  const size_t step = pages.size() / most + 1;
  for (size_t i = 0; i < pages.size(); i += step) {
    KITH_ASSIGN(const std::string_view title, run.title(pages[i]));
    if (title.empty()) continue;
    KITH_ASSIGN(const std::string_view language, run.language(pages[i]));
    titles.push_back({title, text::language_of_tag(language).value_or(text::Language::other)});
  }
  return titles;
}

// The pages whose neighbours are read.
constexpr size_t max_probes = 100;

// Other pages whose ids are near those of some of `pages`: most are of the same hosts.
std::vector<UrlId> pages_near(const Run& run, std::span<const UrlId> pages) {
  constexpr UrlId distance = 4;
  std::vector<UrlId> inside(pages.begin(), pages.end());
  std::ranges::sort(inside);
  std::vector<UrlId> near;
  for (size_t i = 0; i < inside.size(); i += inside.size() / max_probes + 1) {
    const UrlId begin = inside[i] - std::min(inside[i], distance);
    const auto end = static_cast<UrlId>(std::min<uint64_t>(inside[i] + distance + 1, run.urls()));
    for (UrlId id = begin; id < end; ++id) {
      if (!std::ranges::binary_search(inside, id)) near.push_back(id);
    }
  }
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

// Whether half of the pages are of a host, by a sample: its name says nothing new of them then.
Result<bool> are_of_host(const Run& run, std::span<const UrlId> pages, std::string_view host) {
  constexpr size_t max_pages = 20;
  size_t read = 0;
  size_t of_host = 0;
  for (size_t i = 0; i < pages.size(); i += pages.size() / max_pages + 1, ++read) {
    KITH_ASSIGN(const std::string url, run.url(pages[i]));
    of_host += text::host_of(url) == host ? 1 : 0;
  }
  return of_host * 2 >= read;
}

// The subjects of the titles before the words.
Result<std::vector<std::string>> with_subjects(const Run& run, std::vector<std::string> words,
                                               std::span<const UrlId> pages,
                                               std::span<const UrlId> around) {
  constexpr size_t max_own = 300;
  constexpr size_t max_others = 500;
  KITH_ASSIGN(const std::vector<TitleInLanguage> own, titles_of(run, pages, max_own));
  SubjectWords subjects(own, text::OwnStopWords(run.report().options.stop_words));
  if (subjects.empty()) return words;
  KITH_ASSIGN(const std::vector<TitleInLanguage> parent, titles_of(run, around, max_others));
  subjects.keep_rare(parent);
  KITH_ASSIGN(const std::vector<TitleInLanguage> near,
              titles_of(run, pages_near(run, pages), max_others));
  // What all titles of a site have in common is no subject: only other pages of the site show it.
  if (near.size() < std::min(own.size(), max_probes)) return words;
  subjects.keep_rare(near);
  std::vector<std::string> all = subjects.written_as(words);
  all.insert(all.end(), std::make_move_iterator(words.begin()),
             std::make_move_iterator(words.end()));
  return all;
}

}  // namespace

Result<std::vector<std::string>> written_label(const Run& run, std::vector<std::string> words,
                                               std::span<const UrlId> pages,
                                               std::span<const UrlId> around,
                                               std::string_view host) {
  KITH_ASSIGN(words, with_subjects(run, std::move(words), pages, around));
  KITH_ASSIGN(const std::vector<TitleInLanguage> found, titles_of(run, pages, max_titles));
  std::vector<std::string_view> titles;
  titles.reserve(found.size());
  for (const TitleInLanguage& title : found) titles.push_back(title.title);
  KITH_ASSIGN(const bool is_of_host, are_of_host(run, pages, host));
  // Without other forms of a word before the best ones are taken.
  words = title_label(tidy_label(std::move(words), ""), titles);
  return tidy_label(std::move(words), is_of_host ? host : "");
}

}  // namespace kith::answers
