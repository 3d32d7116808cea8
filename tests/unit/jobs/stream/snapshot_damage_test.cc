// Snapshots whose checksums are right and whose values contradict each other: who makes a file to
// harm gets an error, and no stream that is wrong or reads beyond its columns.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream.h"

#include "jobs/stream/log.h"
#include "jobs/stream/store.h"
#include "jobs/stream/themes.h"
#include "storage/section_file.h"
#include "support/temp_dir.h"

namespace kith::jobs {
namespace {

constexpr const char* section_names[] = {
    "head",        "numbers",      "sizes",           "last_times",    "last_pages",
    "names",       "names_at",     "times",           "similarities",  "features",
    "features_at", "changes",      "means",           "means_at",      "counted",
    "words",       "word_pages",   "word_known",      "theme_words",   "theme_words_at",
    "theme_stems", "theme_counts", "theme_counts_at", "theme_counted", "theme_floors"};

// The sections of a snapshot, which can be changed and written again with checksums that are right.
class SnapshotSections {
 public:
  explicit SnapshotSections(const std::string& path) {
    const auto file = storage::SectionFile::open(storage::posix_file_system(), path, snapshot_kind);
    EXPECT_TRUE(file.is_ok());
    for (const char* name : section_names) {
      if (const auto bytes = file->section(name)) sections_[name] = as_text(*bytes);
    }
  }

  template <class T>
  std::vector<T> values(const std::string& name) const {
    const std::string& bytes = sections_.at(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class T>
  void set(const std::string& name, const std::vector<T>& values) {
    sections_.at(name) = as_text(std::as_bytes(std::span(values)));
  }
  template <class T>
  void set(const std::string& name, size_t at, T value) {
    auto all = values<T>(name);
    all.at(at) = value;
    set(name, all);
  }
  template <class T>
  void shorten(const std::string& name) {
    auto all = values<T>(name);
    ASSERT_FALSE(all.empty());
    all.pop_back();
    set(name, all);
  }

  SnapshotHead head() const { return *decode_head(sections_.at("head")); }
  void set_head(const SnapshotHead& head) { sections_.at("head") = encode(head); }

  void write(const std::string& path) const {
    auto file = storage::SectionWriter::create(storage::posix_file_system(), path, snapshot_kind);
    ASSERT_TRUE(file.is_ok());
    for (const auto& [name, bytes] : sections_) {
      ASSERT_TRUE(file->begin(name).is_ok() && file->append(bytes).is_ok());
    }
    ASSERT_TRUE(file->finish().is_ok());
  }

 private:
  std::map<std::string, std::string> sections_;
};

using Change = std::function<void(SnapshotSections&)>;

class SnapshotDamage : public testing::Test {
 protected:
  std::string folder() const { return dir_ / "stream"; }
  std::string snapshot() const { return folder() + "/stream.kith"; }

  // Three clusters of five documents about three things, and one of one document.
  void make(const StreamOptions& options) {
    std::filesystem::remove_all(folder());
    auto stream = Stream::open(folder(), options);
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    const char* const topics[] = {"guitar chord melody rhythm strings", "oven butter flour recipe",
                                  "river mountain valley glacier lake"};
    for (int i = 0; i < 15; ++i) {
      const std::string name = "page " + std::to_string(i);
      const std::string text = std::string(topics[i % 3]) + " w" + std::to_string(i);
      ASSERT_TRUE(
          stream->add({.name = name, .text = text, .language = "en", .time_ms = i}).is_ok());
    }
    ASSERT_TRUE(stream->add({.name = "alone", .text = "quite different", .time_ms = 20}).is_ok());
    ASSERT_EQ(stream->clusters().size(), 4u);
    ASSERT_TRUE(stream->snapshot().is_ok());
    options_ = options;
  }

  // What is said of the stream with that change.
  std::string error_with(const Change& change) {
    const std::string sound = test::read_file(snapshot());
    SnapshotSections sections(snapshot());
    change(sections);
    sections.write(snapshot());
    const auto read = Stream::read(folder());
    const auto opened = Stream::open(folder(), options_);
    EXPECT_EQ(read.is_ok(), opened.is_ok());
    test::write_file(snapshot(), sound);
    if (read.is_ok() || opened.is_ok()) return "";
    EXPECT_EQ(read.status().error().kind, ErrorKind::corrupt);
    EXPECT_EQ(opened.status().error().message, read.status().error().message);
    return read.status().error().message;
  }
  void expect_refused(const char* part, const std::vector<Change>& changes) {
    EXPECT_EQ(error_with([](SnapshotSections&) {}), "");
    for (size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_NE(error_with(changes[i]).find(part), std::string::npos);
    }
  }

  test::TempDir dir_{test::Medium::memory};
  StreamOptions options_;
};

StreamOptions small_sets() {
  StreamOptions options;
  options.similarity = 0.3;
  options.shingles.width = 1;
  options.themes = 5;
  return options;
}

StreamOptions learnt_bags(StreamLeader leader) {
  StreamOptions options;
  options.by = StreamBy::bags;
  options.similarity = 0.3;
  options.recall = 0.9;
  options.max_tables = 64;
  options.leader = leader;
  return options;
}

template <class T>
Change shortened(const char* name) {
  return [=](SnapshotSections& of) { of.shorten<T>(name); };
}

template <class T>
Change changed(const char* name, size_t at, T value) {
  return [=](SnapshotSections& of) { of.set(name, at, value); };
}

TEST_F(SnapshotDamage, ColumnsHaveAValueOfEachClusterOrDocument) {
  make(small_sets());
  expect_refused("clusters that contradict each other",
                 {shortened<uint32_t>("sizes"), shortened<int64_t>("last_times"),
                  shortened<uint64_t>("last_pages"), shortened<int64_t>("times"),
                  shortened<double>("similarities"), shortened<uint32_t>("changes"),
                  shortened<uint64_t>("features_at")});
}

TEST_F(SnapshotDamage, ClustersHaveNumbersMembersAndSimilarities) {
  make(small_sets());
  const uint64_t next = SnapshotSections(snapshot()).head().next_number;
  const Change moved = [](SnapshotSections& of) {
    auto sizes = of.values<uint32_t>("sizes");
    sizes[1] += std::exchange(sizes[0], 0);
    of.set("sizes", sizes);
  };
  expect_refused("clusters that contradict each other",
                 {moved, changed<uint32_t>("sizes", 0, 1000), changed<uint64_t>("numbers", 0, 0),
                  changed<uint64_t>("numbers", 0, next), changed<uint64_t>("last_pages", 0, 17),
                  changed<double>("similarities", 0, std::nan("")),
                  changed<double>("similarities", 1, std::numeric_limits<double>::infinity())});
}

TEST_F(SnapshotDamage, FeaturesAreThoseOfPages) {
  make(small_sets());
  const auto features = SnapshotSections(snapshot()).values<uint64_t>("features");
  const Change unsorted = [&](SnapshotSections& of) {
    auto values = features;
    std::swap(values[0], values[1]);
    of.set("features", values);
  };
  expect_refused("clusters that contradict each other",
                 {unsorted, changed<uint64_t>("features_at", 1, features.size() + 1),
                  changed<uint64_t>("features_at", 0, 1), shortened<uint64_t>("features")});
}

TEST_F(SnapshotDamage, NoDocumentIsThereTwice) {
  make(small_sets());
  expect_refused("a document that is there twice", {[](SnapshotSections& of) {
                   auto names = of.values<char>("names");
                   // Both have as many letters.
                   std::memcpy(names.data() + 6, names.data(), 6);
                   of.set("names", names);
                 }});
}

TEST_F(SnapshotDamage, MeansAreBags) {
  make(learnt_bags(StreamLeader::mean));
  const auto offsets = SnapshotSections(snapshot()).values<uint64_t>("means_at");
  ASSERT_GT(offsets.back(), 1u);
  const Change heavier = [](SnapshotSections& of) {
    of.set("means", 0, of.values<uint64_t>("means")[0] + 1);
  };
  // Weights that are right in all, and terms that do not ascend.
  const Change unsorted = [](SnapshotSections& of) {
    auto means = of.values<uint64_t>("means");
    std::swap(means[0], means[1]);
    of.set("means", means);
  };
  // One that weighs nothing: the others weigh as much as before.
  const Change empty = [](SnapshotSections& of) {
    auto means = of.values<uint64_t>("means");
    const uint64_t weight = static_cast<uint32_t>(means[0]);
    means[0] -= weight;
    means[1] += weight;
    of.set("means", means);
  };
  expect_refused("clusters that contradict each other",
                 {heavier, unsorted, empty, shortened<uint64_t>("means_at"),
                  changed<uint64_t>("means_at", 0, 1)});
}

// Of a cluster of one document whose mean is that document: it may have changed before.
TEST_F(SnapshotDamage, IsNoneWhereAClusterWithoutAMeanHasChanged) {
  make(learnt_bags(StreamLeader::mean));
  SnapshotSections sections(snapshot());
  const auto offsets = sections.values<uint64_t>("means_at");
  size_t without = 0;
  while (without + 1 < offsets.size() && offsets[without] != offsets[without + 1]) ++without;
  ASSERT_LT(without + 1, offsets.size());
  sections.set<uint32_t>("changes", without, 1);
  sections.write(snapshot());
  auto stream = Stream::open(folder(), options_);
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  EXPECT_EQ(stream->clusters().size(), 4u);
  ASSERT_TRUE(stream->snapshot().is_ok());
  EXPECT_EQ(SnapshotSections(snapshot()).values<uint32_t>("changes")[without], 1u);
}

TEST_F(SnapshotDamage, WordsAreThoseOfPages) {
  make(learnt_bags(StreamLeader::first));
  const Change longer = [](SnapshotSections& of) {
    of.set("counted", std::vector<uint64_t>{16, 0, 0});
  };
  const Change twice = [](SnapshotSections& of) {
    of.set("words", 1, of.values<uint32_t>("words")[0]);
  };
  const Change too_many = [](SnapshotSections& of) {
    constexpr size_t n = (1 << 21) + 1;
    std::vector<uint32_t> terms(n);
    for (size_t i = 0; i < n; ++i) terms[i] = static_cast<uint32_t>(i);
    of.set("words", terms);
    of.set("word_pages", std::vector<uint32_t>(n, 1));
    of.set("word_known", std::vector<uint32_t>(n, 0));
  };
  expect_refused(
      "words that contradict each other",
      {shortened<uint64_t>("counted"), longer, twice, too_many, shortened<uint32_t>("word_pages"),
       shortened<uint32_t>("word_known"), shortened<uint32_t>("words"),
       // An epoch that has not begun, and pages that were not counted.
       changed<uint64_t>("counted", 1, 3), changed<uint64_t>("counted", 1, 1 << 20),
       changed<uint64_t>("counted", 0, 1 << 20), changed<uint32_t>("word_pages", 0, 0),
       changed<uint32_t>("word_pages", 0, 1000), changed<uint32_t>("word_known", 0, 1000),
       changed<uint32_t>("word_known", 0, 1)});
}

// Counters of the theme_counts: word, count, error.
TEST_F(SnapshotDamage, WordsOfThemesHaveColumnsOfOneLength) {
  make(small_sets());
  const Change half_a_counter = [](SnapshotSections& of) { of.shorten<uint32_t>("theme_counts"); };
  const Change beyond = [](SnapshotSections& of) {
    const auto offsets = of.values<uint64_t>("theme_counts_at");
    of.set("theme_counts_at", offsets.size() - 1, offsets.back() + 1);
  };
  const Change same_stem = [](SnapshotSections& of) {
    of.set("theme_stems", 1, of.values<uint64_t>("theme_stems")[0]);
  };
  expect_refused("words of clusters that contradict each other",
                 {shortened<uint64_t>("theme_stems"), shortened<uint32_t>("theme_counted"),
                  shortened<uint32_t>("theme_floors"), shortened<uint64_t>("theme_counts_at"),
                  half_a_counter, beyond, same_stem});
}

TEST_F(SnapshotDamage, CountersOfThemesAreOfWordsAndWithinTheirCounts) {
  make(small_sets());
  const SnapshotSections sound(snapshot());
  const auto words = static_cast<uint32_t>(sound.values<uint64_t>("theme_stems").size());
  const auto counts = sound.values<uint32_t>("theme_counts");
  const size_t clusters = sound.values<uint64_t>("numbers").size();
  const Change same_word = [&](SnapshotSections& of) { of.set("theme_counts", 3, counts[0]); };
  // All counters in the first cluster, which has room for fewer.
  const Change too_many = [&](SnapshotSections& of) {
    std::vector<uint32_t> many;
    for (uint32_t i = 0; i <= Themes::cluster_counters; ++i) many.insert(many.end(), {i, 1, 0});
    std::vector<uint64_t> offsets(clusters + 2, Themes::cluster_counters + 1);
    offsets[0] = 0;
    of.set("theme_counts", many);
    of.set("theme_counts_at", offsets);
  };
  expect_refused(
      "words of clusters that contradict each other",
      {same_word, too_many, changed<uint32_t>("theme_counts", 0, words),
       changed<uint32_t>("theme_counts", 1, 0), changed<uint32_t>("theme_counts", 2, counts[1] + 1),
       changed<uint32_t>("theme_counted", 0, Themes::max_counted),
       changed<uint32_t>("theme_floors", 0, Themes::max_counted),
       changed<uint32_t>("theme_counted", clusters, Themes::max_counted)});
}

TEST_F(SnapshotDamage, NoClusterHasTwoThemes) {
  make(small_sets());
  expect_refused("a cluster that is there twice", {[](SnapshotSections& of) {
                   of.set("numbers", 1, of.values<uint64_t>("numbers")[0]);
                 }});
}

TEST_F(SnapshotDamage, OptionsAreThoseThatAStreamMayHave) {
  make(small_sets());
  const auto with = [](auto change) -> Change {
    return [=](SnapshotSections& of) {
      SnapshotHead head = of.head();
      change(head);
      of.set_head(head);
    };
  };
  expect_refused("options and counts that contradict each other",
                 {with([](SnapshotHead& of) { of.options.lanes = 7; }),
                  with([](SnapshotHead& of) { of.options.similarity = 2; }),
                  with([](SnapshotHead& of) { of.options.themes = 1000; }),
                  with([](SnapshotHead& of) { of.progress.told = of.progress.answers + 1; })});
}

// Snapshots have numbers from 1: the log before the first one has none.
TEST_F(SnapshotDamage, ANumberThatNoSnapshotHasIsLivedWith) {
  make(small_sets());
  SnapshotSections sections(snapshot());
  SnapshotHead head = sections.head();
  head.progress.snapshot = 0;
  sections.set_head(head);
  sections.write(snapshot());
  EXPECT_EQ(Stream::open(folder(), options_).status().error().kind, ErrorKind::corrupt);
  StreamOptions options = options_;
  options.repair = true;
  auto stream = Stream::open(folder(), options);
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  EXPECT_EQ(stream->counts().documents, 16u);
  ASSERT_TRUE(stream->add({.name = "more", .text = "one more"}).is_ok());
  ASSERT_TRUE(stream->snapshot().is_ok());
  stream = Stream::make();
  EXPECT_EQ(Stream::open(folder(), options_)->counts().documents, 17u);
}

TEST(SnapshotHead, RefusesBytesThatAreCutOrWrong) {
  SnapshotHead head;
  head.options.themes = 0;
  head.progress.sources["file"] = {.next = 7, .size = 8, .hash = 9};
  const std::string sound = encode(head);
  ASSERT_TRUE(decode_head(sound).is_ok());
  EXPECT_EQ(decode_head(sound)->progress.sources.at("file").size, 8u);
  const auto refused = [](const std::string& bytes) {
    const auto decoded = decode_head(bytes);
    return !decoded.is_ok() && decoded.error().kind == ErrorKind::corrupt;
  };
  for (size_t size = 0; size < sound.size(); ++size) {
    EXPECT_TRUE(refused(sound.substr(0, size))) << size;
  }
  EXPECT_TRUE(refused(sound + "x"));
  // `by` and `measure` are no words; `bits` does not fit 32 bits; nor does `bag` one.
  for (const auto& [field, byte] :
       {std::pair<size_t, size_t>{0, 0}, {1, 0}, {0, 3}, {4, 4}, {7, 0}, {20, 7}}) {
    std::string damaged = sound;
    damaged[8 * field + byte] = 0x77;
    EXPECT_TRUE(refused(damaged)) << field;
  }
}

TEST(LogRecord, RefusesBytesThatNoStreamHasWritten) {
  const PageWord words[] = {{11, "word"}, {12, "other"}};
  const uint64_t features[] = {1, 2};
  Record record;
  record.name = "page";
  record.source = "file";
  record.words = words;
  record.features = features;
  std::string sound;
  encode(record, sound);
  RecordBuffers buffers;
  const auto refused = [&](const std::string& bytes) {
    const auto decoded = decode(bytes, buffers);
    return !decoded.is_ok() && decoded.error().kind == ErrorKind::corrupt;
  };
  ASSERT_FALSE(refused(sound));
  EXPECT_EQ(decode(sound, buffers)->words[1].form, "other");
  // Only what lacks whole features may be the record of another page.
  for (size_t size = 0; size < sound.size(); ++size) {
    const bool is_whole = size == sound.size() - 8 || size == sound.size() - 16;
    EXPECT_EQ(refused(sound.substr(0, size)), !is_whole) << size;
  }
  for (const int kind : {0, 6, 0x7f, 0x80, 0x86}) {
    std::string damaged = sound;
    damaged[0] = static_cast<char>(kind);
    EXPECT_TRUE(refused(damaged)) << kind;
  }
}

}  // namespace
}  // namespace kith::jobs
