// Files of a crawl read one by one, and all of them at once.
#include "distributed/page_file.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
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

// By file the URLs of its pages, then those that files before it have given.
struct UrlsOfFiles {
  std::vector<std::vector<std::string>> urls;
  std::vector<std::vector<std::string>> taken;
};

UrlsOfFiles urls_of(const ClusterOptions& options, const std::vector<std::string>& files) {
  UrlsOfFiles found;
  std::map<std::string, size_t> first;
  for (const std::string& path : files) {
    const auto file = *PageFile::open(one_file(options, path));
    found.urls.emplace_back();
    found.taken.emplace_back();
    for (;;) {
      const auto urls = file->next_urls();
      EXPECT_TRUE(urls);
      if (urls->size() == 0) break;
      for (size_t i = 0; i < urls->size(); ++i) {
        const std::string url((*urls)[i]);
        found.urls.back().push_back(url);
        if (!first.emplace(url, found.urls.size()).second) found.taken.back().push_back(url);
      }
    }
  }
  return found;
}

struct ReadFile {
  std::vector<std::string> urls;
  CrawlCounts counts;
};

ReadFile read_words(const ClusterOptions& options, const std::vector<std::string>& taken) {
  const std::vector<std::string_view> views(taken.begin(), taken.end());
  const auto file = *PageFile::open(options, {.taken = views});
  ReadFile read;
  for (;;) {
    const auto pages = file->next_words(1, 1);
    EXPECT_TRUE(pages);
    EXPECT_EQ(pages->urls.size(), pages->words.pages());
    if (pages->urls.size() == 0) break;
    for (size_t i = 0; i < pages->urls.size(); ++i) read.urls.emplace_back(pages->urls[i]);
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

  const UrlsOfFiles each = urls_of(folder.options(), *files);
  EXPECT_EQ(each.taken[1], std::vector<std::string>{"http://a.example/2"});
  EXPECT_EQ(each.taken[2], (std::vector<std::string>{"http://b.example/", "http://a.example/1"}));
  std::vector<std::string> found;
  CrawlCounts counts;
  std::map<std::string, uint64_t> skipped;
  for (size_t i = 0; i < files->size(); ++i) {
    const ReadFile file = read_words(one_file(folder.options(), (*files)[i]), each.taken[i]);
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
  while (file->next_urls()->size() > 0) continue;
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
  EXPECT_EQ(file->next_urls()->size(), 0u);
}

}  // namespace
}  // namespace kith::distributed
