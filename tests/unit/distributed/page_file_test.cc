// Files of a crawl read one by one, and all of them at once.
#include "distributed/page_file.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pages.h"

#include "support/temp_dir.h"
#include "unit/api/sample.h"

namespace kith::distributed {
namespace {

std::string line_of(std::string_view url, std::string_view text) {
  return "{\"url\":\"" + std::string(url) + "\",\"text\":\"" + std::string(text) + "\"}\n";
}

// A folder of files that have some URLs in common, and a damaged line.
class CrawlFolder {
 public:
  CrawlFolder() {
    write("b.jsonl", line_of("http://a.example/1", "gardens of houses") +
                         line_of("HTTP://A.example/2#top", "walls of the old gardens") +
                         line_of("http://a.example/1", "said twice in one file"));
    write("a.jsonl", line_of("http://a.example/2", "the wall was first read here") + "{\"url\":\n" +
                         line_of("http://b.example/", "towers"));
    write("c/d.jsonl", line_of("http://b.example/", "of a later file") +
                           line_of("http://c.example/", "bridges") +
                           line_of("http://a.example/1", "of a later file, too"));
  }

  ClusterOptions options() const {
    ClusterOptions options;
    options.inputs = {std::string(dir_.path()), test::sample_crawl()};
    return options;
  }

 private:
  void write(const std::string& name, const std::string& lines) const {
    std::filesystem::create_directories(std::filesystem::path(dir_ / name).parent_path());
    test::write_file(dir_ / name, lines);
  }

  const test::TempDir dir_;
};

ClusterOptions one_file(ClusterOptions options, const std::string& path) {
  options.inputs = {path};
  return options;
}

// By file its URLs with several captures, and the ranks of those that it gives.
struct SeveralOfFile {
  std::vector<std::string> urls;
  std::vector<uint32_t> ranks;
};

std::vector<SeveralOfFile> several_of(const ClusterOptions& options,
                                      const std::vector<std::string>& files) {
  struct Known {
    std::vector<size_t> files;  // of its captures
    uint32_t rank = 0;
    size_t best = 0;
  };
  std::map<std::string, Known> captures;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto file = *PageFile::open(one_file(options, files[i]));
    for (;;) {
      const auto found = file->next_urls();
      EXPECT_TRUE(found);
      if (found->ranks.empty()) break;
      for (size_t url = 0; url < found->ranks.size(); ++url) {
        Known& known = captures[std::string(found->urls[url])];
        if (known.files.empty() || found->ranks[url] > known.rank) {
          known.rank = found->ranks[url];
          known.best = i;
        }
        known.files.push_back(i);
      }
    }
  }
  std::vector<SeveralOfFile> several(files.size());
  for (const auto& [url, known] : captures) {
    if (known.files.size() == 1) continue;
    for (const size_t file : std::set<size_t>(known.files.begin(), known.files.end())) {
      several[file].urls.push_back(url);
      several[file].ranks.push_back(file == known.best ? known.rank : no_capture);
    }
  }
  return several;
}

// The URLs of pages, and their words, in their order.
struct ReadFile {
  std::vector<std::string> urls;
  std::string words;  // different ones of some pages at a time
  CrawlCounts counts;
};

ReadFile read_words(const ClusterOptions& options, const SeveralOfFile& several) {
  const std::vector<std::string_view> urls(several.urls.begin(), several.urls.end());
  const auto file = *PageFile::open(options, {.several = urls, .ranks = several.ranks});
  ReadFile read;
  for (;;) {
    const auto pages = file->next_words(1, 1);
    EXPECT_TRUE(pages);
    EXPECT_EQ(pages->urls.size(), pages->words.pages());
    if (pages->urls.size() == 0) break;
    for (size_t i = 0; i < pages->urls.size(); ++i) read.urls.emplace_back(pages->urls[i]);
    read.words += pages->words.forms.bytes;
  }
  read.counts = file->counts();
  return read;
}

std::map<std::string, uint64_t> skipped_of(const CrawlCounts& counts) {
  return {counts.skipped.begin(), counts.skipped.end()};
}

TEST(PageFile, ReadsWhatOneReaderOfAllFilesReads) {
  const CrawlFolder folder;
  const auto files = list_page_files(folder.options());
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 4u);
  EXPECT_TRUE((*files)[0].ends_with("a.jsonl"));
  EXPECT_TRUE((*files)[2].ends_with("c/d.jsonl"));

  auto all = PageReader::open(folder.options(), false);
  ASSERT_TRUE(all);
  std::vector<std::string> urls;
  for (;;) {
    const auto page = all->next();
    ASSERT_TRUE(page);
    if (!*page) break;
    urls.push_back((*page)->url);
  }

  const auto several = several_of(folder.options(), *files);
  EXPECT_EQ(several[1].urls,
            (std::vector<std::string>{"http://a.example/1", "http://a.example/2"}));
  EXPECT_EQ(several[1].ranks, (std::vector<uint32_t>{0, no_capture}));
  std::vector<std::string> found;
  CrawlCounts counts;
  std::map<std::string, uint64_t> skipped;
  for (size_t i = 0; i < files->size(); ++i) {
    const ReadFile file = read_words(one_file(folder.options(), (*files)[i]), several[i]);
    found.insert(found.end(), file.urls.begin(), file.urls.end());
    counts += file.counts;
    for (const auto& [kind, count] : file.counts.skipped) skipped[kind] += count;
  }
  EXPECT_EQ(found, urls);
  const CrawlCounts expected = all->counts();
  EXPECT_EQ(counts.records, expected.records);
  EXPECT_EQ(counts.pages, expected.pages);
  EXPECT_EQ(counts.bytes_in, expected.bytes_in);
  EXPECT_EQ(skipped, skipped_of(expected));
  EXPECT_EQ(skipped.at("duplicate"), 4u);
  EXPECT_EQ(skipped.at("damaged"), 1u);
}

// Each capture says when it is from.
TEST(PageFile, GivesTheCaptureThatOneReaderChooses) {
  const test::TempDir dir;
  const auto line = [](const std::string& url, const std::string& date, const std::string& word) {
    return "{\"url\":\"http://a.example/" + url + "\",\"text\":\"" + word + "\",\"date\":\"" +
           date + "\"}\n";
  };
  test::write_file(dir / "a.jsonl",
                   line("1", "2020-01-03", "wall") + line("1", "2020-01-02", "bridge") +
                       line("1", "2020-01-02", "square") + line("2", "", "station") +
                       line("3", "2020-01-05", "garden"));
  test::write_file(dir / "b.jsonl",
                   line("2", "2020-01-01", "markets") + line("1", "2020-01-04", "tower") +
                       line("3", "2020-01-05", "roof") + line("4", "2020-01-01", "house") +
                       line("2", "2020-01-09", "river"));
  ClusterOptions options;
  options.inputs = {std::string(dir.path())};
  options.language = "en";
  const auto files = *list_page_files(options);
  for (const auto& [captures, first, second] :
       {std::tuple(Captures::first, "bridgegarden", "marketshouse"),
        std::tuple(Captures::last, "garden", "towerhouseriver")}) {
    options.captures = captures;
    const auto several = several_of(options, files);
    ReadFile read = read_words(one_file(options, files[0]), several[0]);
    EXPECT_EQ(read.words, first);
    EXPECT_EQ(skipped_of(read.counts).at("duplicate"), 5 - read.urls.size());
    read = read_words(one_file(options, files[1]), several[1]);
    EXPECT_EQ(read.words, second);
    EXPECT_EQ(skipped_of(read.counts).at("duplicate"), 5 - read.urls.size());
  }
  const std::vector<std::string_view> urls = {"http://a.example/1"};
  EXPECT_FALSE(PageFile::open(one_file(options, files[0]), {.several = urls}));
}

ClusterOptions content_of(const std::string& path) {
  ClusterOptions options;
  options.inputs = {path};
  options.language = "en";
  options.bags = BagKind::content;
  return options;
}

TEST(PageFile, HasTheWordsOfItsTexts) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", line_of("http://a.example/1", "Gardens of old houses") +
                                        line_of("http://a.example/2", "The garden wall"));
  ClusterOptions options = content_of(dir / "x.jsonl");
  options.boilerplate = Boilerplate::keep;
  const auto file = *PageFile::open(options);
  const auto read = file->next_words(100, 1 << 20);
  ASSERT_TRUE(read);
  const std::vector<std::string_view> texts = {"Gardens of old houses", "The garden wall"};
  const PageWords words = words_of_texts(options, texts);
  EXPECT_EQ(read->words.stems.bytes, words.stems.bytes);
  EXPECT_EQ(read->words.offsets, words.offsets);
  EXPECT_EQ(read->words.entries, words.entries);
  EXPECT_EQ(read->words.documents, words.documents);
  EXPECT_EQ(read->words.forms.bytes, words.forms.bytes);
  EXPECT_EQ(read->words.form_counts, words.form_counts);
  EXPECT_EQ(read->words.words, words.words);
  EXPECT_EQ(read->words.filled, 2u);
  EXPECT_EQ(read->words.linked, 0u);
}

// Ten pages of a site with one menu, and a page of another site.
std::string pages_with_a_menu() {
  std::string lines;
  for (int i = 0; i < 10; ++i) {
    lines += line_of(
        "http://a.example/" + std::to_string(i),
        "alpha beta gamma\\nwall tower " + std::string(1, static_cast<char>('k' + i)) + "ing");
  }
  return lines + line_of("http://b.example/", "alpha beta gamma\\nbridges");
}

TEST(PageFile, LeavesOutTheTemplatesOfSites) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_a_menu());
  const ClusterOptions options = content_of(dir / "x.jsonl");
  const auto file = *PageFile::open(options, {.sample_sites = true});
  while (!file->next_urls()->ranks.empty()) continue;
  const std::vector<std::string> samples = file->site_samples(0, 1);
  const auto found = site_templates(std::vector<std::string_view>(samples.begin(), samples.end()));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->files.size(), 1u);
  EXPECT_EQ(found->files[0].file, 0u);
  EXPECT_EQ(found->blocks, 1u);

  const std::vector<std::string_view> templates = {found->files[0].bytes};
  const auto again = *PageFile::open(options, {.templates = templates});
  const auto pages = again->next_words(100, 1 << 20);
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->words.pages(), 11u);
  EXPECT_EQ(pages->words.words, 10u * 6 + 4);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(pages->words.offsets[i + 1] - pages->words.offsets[i], 3u);
  }
  EXPECT_EQ(pages->words.offsets[11] - pages->words.offsets[10], 4u);
  const BoilerplateReport left_out = again->boilerplate();
  EXPECT_EQ(left_out.words, 64u);
  EXPECT_EQ(left_out.left_out, 30u);
  ASSERT_EQ(left_out.most.size(), 1u);
  EXPECT_EQ(left_out.most[0].host, "a.example");
  EXPECT_EQ(left_out.most[0].left_out, 30u);
}

TEST(PageFile, RefusesTemplatesThatAreNone) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_a_menu());
  const std::vector<std::string_view> other = {"no bytes of templates"};
  const auto file = PageFile::open(content_of(dir / "x.jsonl"), {.templates = other});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(site_templates(other));
}

TEST(PageFile, NamesWhatCannotBeRead) {
  ClusterOptions options;
  options.inputs = {"/no/such/crawl.warc"};
  const auto listed = list_page_files(options);
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("/no/such/crawl.warc"), std::string::npos);
  EXPECT_FALSE(PageFile::open(options));
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", "{\"url\":\n");
  options.inputs = {dir / "x.jsonl"};
  options.status = "ok";
  EXPECT_FALSE(list_page_files(options));
  EXPECT_FALSE(PageFile::open(options));
  options.status = "200";
  options.strict = true;
  const auto file = *PageFile::open(options);
  const auto urls = file->next_urls();
  ASSERT_FALSE(urls);
  EXPECT_NE(urls.error().message.find("x.jsonl"), std::string::npos);
  EXPECT_EQ(file->next_urls()->ranks.size(), 0u);
}

}  // namespace
}  // namespace kith::distributed
