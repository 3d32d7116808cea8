// The words of clusters: their summary beside exact counts, themes beside plain loops, and what is
// left of both when a stream is cut off.
#include "jobs/stream/themes.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream.h"

#include "base/random.h"
#include "cluster/labels.h"
#include "jobs/stream/page_words.h"
#include "support/drifting_pages.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

// Few words are frequent, as in a language.
uint32_t random_word(Rng& rng, uint64_t words) {
  return static_cast<uint32_t>(rng.below(1 + rng.below(1 + rng.below(words))));
}

void expect_bounds(const HeavyHitters& summary, const std::map<uint32_t, uint32_t>& exact) {
  for (const HeavyHitters::Counter& counter : summary.counters()) {
    const uint32_t counted = exact.at(counter.word);
    ASSERT_LE(counter.count - counter.error, counted);
    ASSERT_GE(counter.count, counted);
  }
  for (const auto& [word, counted] : exact) ASSERT_GE(summary.most_of(word), counted);
}

TEST(HeavyHitters, CountWithinTheirError) {
  for (const bool has_index : {false, true}) {
    for (const uint32_t most : {4, 64, 500}) {
      Rng rng(most);
      HeavyHitters summary(most, has_index);
      std::map<uint32_t, uint32_t> exact;
      std::vector<uint32_t> gone;
      uint64_t total = 0;
      for (int i = 0; i < 20'000; ++i) {
        const uint32_t word = random_word(rng, 2000);
        summary.add(word, 3, gone);
        exact[word] += 3;
        total += 3;
        ASSERT_LE(summary.counters().size(), most);
        ASSERT_LE(summary.floor(), total / (most / 4 * 3));
        if (i % 1000 == 999) expect_bounds(summary, exact);
      }
      EXPECT_FALSE(gone.empty());
    }
  }
}

TEST(HeavyHitters, CountWithinTheirErrorWhenHalved) {
  Rng rng(1);
  HeavyHitters summary(64, true);
  std::map<uint32_t, uint32_t> exact;
  std::vector<uint32_t> gone;
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t word = random_word(rng, 500);
    summary.add(word, 16, gone);
    exact[word] += 16;
    if (rng.below(500) > 0) continue;
    const uint64_t times = rng.below(8) == 0 ? 40 : 1 + rng.below(3);
    summary.halve(times, gone);
    for (auto& [of, counted] : exact) counted = times < 32 ? counted >> times : 0;
    expect_bounds(summary, exact);
  }
}

TEST(HeavyHitters, TellWhichWordsComeAndGo) {
  Rng rng(2);
  for (const bool has_index : {false, true}) {
    HeavyHitters summary(16, has_index);
    std::map<uint32_t, int> held;
    for (int i = 0; i < 5000; ++i) {
      const uint32_t word = random_word(rng, 100);
      std::vector<uint32_t> gone;
      if (summary.add(word, 16, gone)) ++held[word];
      if (i % 700 == 0) summary.halve(2, gone);
      for (const uint32_t of : gone) --held[of];
      std::erase_if(held, [](const auto& entry) { return entry.second == 0; });
      ASSERT_EQ(held.size(), summary.counters().size());
      for (const HeavyHitters::Counter& counter : summary.counters()) {
        ASSERT_EQ(held.at(counter.word), 1);
      }
    }
  }
}

std::vector<std::string> forms(PageWords words) {
  std::vector<std::string> forms;
  for (const PageWord& word : words) forms.emplace_back(word.form);
  return forms;
}

TEST(PageWords, AreTheMostFrequentStemsInTheOrderOfThePage) {
  PageWordReader reader;
  const auto of = [&](std::string_view title, std::string_view text) {
    return forms(reader.read({.name = "a", .text = text, .title = title, .language = "en"}));
  };
  EXPECT_EQ(of("Rivers", "The boat and the rivers; a river, boats, a mountain."),
            (std::vector<std::string>{"rivers", "boat", "mountain"}));
  EXPECT_EQ(of("", "mountain boat the river river"),
            (std::vector<std::string>{"river", "mountain", "boat"}));
  EXPECT_EQ(of("", "the and of 12 4th"), std::vector<std::string>());
  const std::string long_word = "antidisestablishmentarianism";
  EXPECT_EQ(of("", "boat " + long_word + " " + long_word),
            (std::vector<std::string>{long_word, "boat"}));
  std::string many;
  for (char c = 'a'; c <= 'z'; ++c) many += std::string(5, c) + " ";
  EXPECT_EQ(of("", many + "zzzzz").size(), PageWordReader::most);
  EXPECT_EQ(of("", many + "zzzzz").front(), "zzzzz");
}

TEST(PageWords, DoNotDependOnThePagesBefore) {
  PageWordReader reader;
  const StreamPage page{.name = "a", .text = "boats boat river", .language = "en"};
  // More words than a reader keeps.
  for (uint32_t begin = 0; begin < 80'000; begin += 1000) {
    std::string text = "boating";
    for (uint32_t i = begin; i < begin + 1000; ++i) {
      std::string word;
      for (uint32_t left = i + 1; left > 0; left /= 20) word += "bcdfghjklmnpqrstvwxz"[left % 20];
      text += " q" + word;
    }
    reader.read({.name = "b", .text = text, .language = "en"});
    ASSERT_EQ(forms(reader.read(page)), (std::vector<std::string>{"boats", "river"}));
  }
}

// The rules of docs/algorithms/stream.md, with every word counted.
class ThemeModel {
 public:
  ThemeModel(size_t most, int64_t half_life) : most_(most), half_life_(half_life) {}

  void advance(int64_t clock) {
    if (half_life_ == 0) return;
    const auto period = static_cast<int64_t>(
        std::floor(static_cast<double>(clock) / static_cast<double>(half_life_)));
    for (; begun_ && period_ < period; ++period_) {
      halve(stream_);
      for (auto& [number, cluster] : clusters_) halve(cluster);
    }
    period_ = period;
    begun_ = true;
  }
  void join(uint64_t number, uint32_t size, const std::vector<std::string>& words) {
    Counts& cluster = clusters_[number];
    cluster.size = size;
    for (Counts* const counts : {&stream_, &cluster}) {
      if (!words.empty()) counts->documents += 16;
      for (const std::string& word : words) counts->words[word] += 16;
    }
  }
  void leave(uint64_t number, uint32_t size) {
    Counts& cluster = clusters_[number];
    cluster.size = size;
    while (cluster.documents / 32 > size) halve(cluster);
  }
  void end(uint64_t number) { clusters_.erase(number); }

  std::vector<std::string> theme(uint64_t number) {
    const Counts& cluster = clusters_[number];
    std::vector<std::pair<double, std::string>> found;
    if (cluster.size < 2) return {};
    for (const auto& [word, count] : cluster.words) {
      const uint64_t inside = std::min(count, cluster.documents);
      const uint64_t others = stream_.documents - cluster.documents;
      const uint64_t outside = std::min(stream_.words[word] - inside, others);
      const bool is_of_several = inside > 16 || inside > cluster.documents / 2;
      if (!is_of_several || inside * 10 < cluster.documents * 3) continue;
      if (inside * others < outside * cluster.documents) continue;
      found.emplace_back(cluster::log_likelihood_ratio(inside, cluster.documents, outside, others),
                         word);
    }
    std::ranges::sort(found, [&](const auto& a, const auto& b) {
      const uint64_t of_a = cluster.words.at(a.second);
      const uint64_t of_b = cluster.words.at(b.second);
      if (a.first != b.first) return a.first > b.first;
      return of_a != of_b ? of_a > of_b : a.second < b.second;
    });
    std::vector<std::string> theme;
    for (const auto& [score, word] : found) {
      if (theme.size() < most_) theme.push_back(word);
    }
    return theme;
  }

 private:
  struct Counts {
    uint64_t documents = 0;  // in sixteenths
    uint32_t size = 0;
    std::map<std::string, uint64_t> words;
  };
  static void halve(Counts& counts) {
    counts.documents /= 2;
    for (auto& [word, count] : counts.words) count /= 2;
    std::erase_if(counts.words, [](const auto& entry) { return entry.second == 0; });
  }

  const size_t most_;
  const int64_t half_life_;
  bool begun_ = false;
  int64_t period_ = 0;
  Counts stream_;
  std::map<uint64_t, Counts> clusters_;
};

TEST(Themes, AreThoseOfPlainLoops) {
  for (const int64_t half_life : {0, 300}) {
    StreamOptions options;
    options.themes = 5;
    options.half_life_ms = half_life;
    Themes themes(options);
    ThemeModel model(*options.themes, half_life);
    Rng rng(3);
    std::map<uint64_t, uint32_t> sizes;
    size_t with_words = 0;
    int64_t clock = -5000;
    for (int i = 0; i < 3000; ++i) {
      clock += static_cast<int64_t>(rng.below(10));
      themes.advance(clock);
      model.advance(clock);
      const uint64_t cluster = 1 + rng.below(6);
      const uint64_t what = rng.below(20);
      if (what > 3) {
        std::vector<std::string> words;
        std::vector<PageWord> given;
        for (char c = 'a'; c < 'z'; ++c) {
          const bool is_own = static_cast<uint64_t>(c - 'a') / 4 == cluster;
          if (rng.below(is_own ? 2 : 6) == 0 && what < 19) words.emplace_back(3, c);
        }
        for (const std::string& word : words) given.push_back({hash64(word), word});
        themes.join(cluster, ++sizes[cluster], given);
        model.join(cluster, sizes[cluster], words);
      } else if (sizes[cluster] > 1) {
        themes.leave(cluster, --sizes[cluster]);
        model.leave(cluster, sizes[cluster]);
      } else if (sizes[cluster] == 1) {
        sizes[cluster] = 0;
        themes.end(cluster);
        model.end(cluster);
      }
      for (const auto& [number, size] : sizes) {
        ASSERT_EQ(themes.theme(number), model.theme(number));
        with_words += themes.theme(number).empty() ? 0 : 1;
      }
    }
    EXPECT_GT(with_words, 5000u);
  }
}

TEST(Themes, HoldNoWordThatNobodyCounts) {
  StreamOptions options;
  options.half_life_ms = 1000;
  Themes themes(options);
  themes.advance(0);
  Rng rng(4);
  for (uint64_t page = 0; page < 5000; ++page) {
    std::vector<PageWord> words;
    for (uint64_t i = 0; i < 16; ++i) words.push_back({page * 100 + i, "word"});
    themes.join(page % 200, 2, words);
  }
  EXPECT_GT(themes.bytes(), 1u << 20);
  for (uint64_t cluster = 0; cluster < 200; ++cluster) themes.end(cluster);
  themes.advance(60'000);
  EXPECT_TRUE(themes.stream().words.counters().empty());
  for (uint32_t word = 0; word < themes.words().numbers(); ++word) {
    ASSERT_EQ(themes.words()[word].holders, 0u);
  }
}

TEST(Themes, AreHalvedBeforeCountsAreTooLarge) {
  Themes themes({});
  const std::vector<PageWord> words = {{7, "seven"}};
  themes.restore_word(words[0]);
  const HeavyHitters::Counter counter{0, 1000, 0};
  themes.restore_stream({Themes::max_counted - 16, 0, std::span(&counter, 1)});
  themes.release_words();
  themes.join(1, 1, words);
  EXPECT_EQ(themes.stream().counted, Themes::max_counted / 2);
  EXPECT_EQ(themes.stream().words.counters()[0].count, 508u);
  EXPECT_EQ(themes.find(1)->counted, 8u);
}

StreamOptions drift_options() {
  StreamOptions options;
  options.shingles.width = 1;
  options.similarity = 0.4;
  options.half_life_ms = 15'000;
  options.decision_themes = true;
  return options;
}

StreamPage page_of(const test::DriftingPage& page) {
  return {.name = page.name, .text = page.text, .language = "en", .time_ms = page.time_ms};
}

// Three minutes of a stream: 3600 pages of 6 topics. bench_stream_drift makes an hour.
TEST(Stream, ThemesFollowTheDrift) {
  test::DriftingPages pages(5, 6, 20, 50);
  auto stream = Stream::make(drift_options());
  ASSERT_TRUE(stream.is_ok());
  size_t words = 0;
  size_t own = 0;
  size_t current = 0;
  uint64_t most_memory[2] = {};
  for (int i = 0; i < 3600; ++i) {
    const test::DriftingPage page = pages.next();
    const auto answer = stream->add(page_of(page));
    ASSERT_TRUE(answer.is_ok());
    const StreamDecision& made = answer->decisions.back();
    if (i >= 600) {
      uint64_t& memory = most_memory[i >= 2000];
      memory = std::max(memory, stream->counts().memory);
    }
    if (i < 600 || made.size < 5) continue;
    ASSERT_FALSE(made.theme.empty());
    for (const std::string& word : made.theme) {
      ++words;
      own += pages.topic_of(word) == page.topic ? 1 : 0;
      current += pages.is_current(word, page.topic) ? 1 : 0;
    }
  }
  EXPECT_GT(words, 10'000u);
  // A word that has just become common to all topics is told from others by none of them yet.
  EXPECT_GT(static_cast<double>(own), 0.95 * static_cast<double>(words));
  EXPECT_GT(static_cast<double>(current), 0.7 * static_cast<double>(words));
  EXPECT_LT(most_memory[1], most_memory[0] * 5 / 4);
}

TEST(Stream, ThemesAreChargedAndForgotten) {
  StreamOptions options;
  options.themes = 5;
  options.memory = 6 << 20;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  options.themes = 0;
  auto without = Stream::make(options);
  ASSERT_TRUE(without.is_ok());
  test::DriftingPages pages(6, 2000, 1, 1);
  for (int i = 0; i < 8000; ++i) {
    const test::DriftingPage page = pages.next();
    ASSERT_TRUE(stream->add(page_of(page)).is_ok());
    ASSERT_TRUE(without->add(page_of(page)).is_ok());
    ASSERT_LE(stream->counts().memory, options.memory);
  }
  EXPECT_GT(stream->counts().forgotten_room, 0u);
  EXPECT_LT(stream->counts().clusters, without->counts().clusters);
  for (const StreamCluster& cluster : without->clusters()) ASSERT_TRUE(cluster.theme.empty());
}

TEST(Stream, ThemesAreOfTextsAndOfSeveralDocuments) {
  StreamOptions options;
  options.by = StreamBy::fingerprint;
  options.decision_themes = true;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  const auto theme = [&](const char* name, const char* text) {
    return stream->add({.name = name, .text = text, .language = "en"})->decisions.back().theme;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(theme("a", "a boat on the river"), Words());
  EXPECT_EQ(theme("b", "snow in the mountains"), Words());
  EXPECT_EQ(theme("c", "a boat on the river"), (Words{"boat", "river"}));
  EXPECT_EQ(stream->theme(1), (Words{"boat", "river"}));
  EXPECT_EQ(stream->cluster_of("a")->theme, (Words{"boat", "river"}));
  EXPECT_EQ(stream->theme(2), Words());
  EXPECT_EQ(stream->theme(99), Words());
  ASSERT_TRUE(stream->remove({.name = "a"}).is_ok());
  EXPECT_EQ(stream->theme(1), Words());
  const uint64_t elements[] = {42};
  for (const char* name : {"d", "e"}) {
    ASSERT_TRUE(stream->add({.name = name, .elements = elements}).is_ok());
  }
  EXPECT_EQ(stream->cluster_of("e")->members.size(), 2u);
  EXPECT_EQ(stream->cluster_of("e")->theme, Words());
  options.themes = 17;
  EXPECT_EQ(validate(options).error().kind, ErrorKind::usage);
}

// What is said of a page that comes, or of one that goes.
std::vector<std::string> themes_of(Stream& stream, const test::DriftingPage& page, size_t at) {
  StreamPage next = page_of(page);
  next.source = "pages";
  next.next = at + 1;
  const auto answer = at % 9 == 8 ? stream.remove(next) : stream.add(next);
  EXPECT_TRUE(answer.is_ok());
  std::vector<std::string> themes;
  if (!answer.is_ok()) return themes;
  for (const StreamDecision& made : answer->decisions) {
    themes.insert(themes.end(), made.theme.begin(), made.theme.end());
  }
  return themes;
}

TEST(StreamThemes, AreTheSameWhenItIsCutOff) {
  const test::TempDir dir(test::Medium::memory);
  const std::string folder = dir / "stream";
  test::DriftingPages drifting(7, 4, 10, 100);
  std::vector<test::DriftingPage> pages;
  for (int i = 0; i < 600; ++i) {
    pages.push_back(drifting.next());
    // Pages that come again, with another text, or that go.
    if (i > 20 && i % 3 == 2) pages.back().name = pages[pages.size() - 12].name;
  }
  auto whole = Stream::make(drift_options());
  ASSERT_TRUE(whole.is_ok());
  Rng rng(8);
  size_t words = 0;
  for (size_t at = 0; at < pages.size();) {
    auto stream = Stream::open(folder, drift_options());
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    ASSERT_EQ(stream->source("pages").next, at);
    for (size_t end = std::min(pages.size(), at + 1 + rng.below(60)); at < end; ++at) {
      const auto themes = themes_of(*stream, pages[at], at);
      ASSERT_EQ(themes, themes_of(*whole, pages[at], at));
      words += themes.size();
    }
    const Status kept = rng.below(2) > 0 ? stream->snapshot() : Status::ok();
    ASSERT_TRUE(kept.is_ok());
    ASSERT_TRUE(stream->flush().is_ok());
  }
  EXPECT_GT(words, 1000u);
  ASSERT_TRUE(Stream::open(folder, drift_options())->snapshot().is_ok());
  auto read = Stream::read(folder);
  ASSERT_TRUE(read.is_ok());
  const std::vector<StreamCluster> expected = whole->clusters();
  const std::vector<StreamCluster> found = read->clusters();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].theme, expected[i].theme);
  StreamOptions other = drift_options();
  other.themes = 3;
  EXPECT_EQ(Stream::open(folder, other).status().error().kind, ErrorKind::usage);
}

// Words that went leave room in the table of words, which the file does not have.
TEST(StreamThemes, AreKeptWithoutTheWordsThatWent) {
  const test::TempDir dir(test::Medium::memory);
  StreamOptions options;
  options.by = StreamBy::simhash;
  options.half_life_ms = 1000;
  options.decision_themes = true;
  auto stream = Stream::open(dir / "stream", options);
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  const auto add = [&](const char* name, const char* text, int64_t time) {
    const auto answer =
        stream->add({.name = name, .text = text, .language = "en", .time_ms = time});
    ASSERT_TRUE(answer.is_ok());
  };
  add("a", "a boat on the river and a mountain under the snow", 0);
  // A hundred half-lives later.
  add("b", "snow in winter", 100'000);
  add("c", "snow in winter", 100'000);
  add("d", "guitars and melodies", 100'000);
  const std::vector<std::string> theme = stream->theme(2);
  EXPECT_EQ(theme, (std::vector<std::string>{"snow", "winter"}));
  ASSERT_TRUE(stream->snapshot().is_ok());
  stream = Stream::make();
  stream = Stream::open(dir / "stream", options);
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  EXPECT_EQ(stream->theme(2), theme);
}

// Stems of several languages may have the same form.
TEST(Themes, SayAFormOnce) {
  StreamOptions options;
  options.themes = 5;
  Themes themes(options);
  const PageWord words[] = {{1, "boat"}, {2, "boat"}, {3, "river"}};
  const PageWord others[] = {{4, "snow"}};
  for (uint32_t size = 1; size <= 3; ++size) themes.join(1, size, words);
  for (uint32_t size = 1; size <= 3; ++size) themes.join(2, size, others);
  EXPECT_EQ(themes.theme(1), (std::vector<std::string>{"boat", "river"}));
  EXPECT_EQ(themes.theme(2), std::vector<std::string>{"snow"});
}

TEST(StreamThemes, AreKeptAsBeforeWhereNothingIsSaid) {
  const test::TempDir dir(test::Medium::memory);
  const auto themes_of = [&](const std::string& folder, bool decisions,
                             std::optional<uint32_t> asked) {
    StreamOptions options;
    options.decision_themes = decisions;
    options.themes = asked;
    return *Stream::open(folder, options)->options().themes;
  };
  EXPECT_EQ(themes_of(dir / "shown", true, {}), 5u);
  EXPECT_EQ(themes_of(dir / "shown", false, {}), 5u);
  EXPECT_EQ(themes_of(dir / "unseen", false, {}), 0u);
  EXPECT_EQ(themes_of(dir / "unseen", true, {}), 0u);
  EXPECT_EQ(themes_of(dir / "asked", false, 3), 3u);
  EXPECT_EQ(themes_of(dir / "asked", true, {}), 3u);
}

}  // namespace
}  // namespace kith::jobs
