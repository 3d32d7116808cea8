// JSONL, folders, HTML, pipes, and what is refused.
#include "crawl/read/inputs.h"

#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawl/read/byte_source.h"
#include "crawl/read/page_reader.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

Error open_error(const CrawlOptions& options) {
  const Result<PageReader> reader = PageReader::open(options, {});
  if (!reader) return reader.error();
  ADD_FAILURE() << "opened";
  return {ErrorKind::io, ""};
}

constexpr std::string_view kLines =
    "{\"url\": \"http://a/1\", \"html\": \"<p>1\", \"title\": \"One \\u00e9\"}\n"
    "\n"
    "  {\"text\": \"tab\\there \\ud83d\\ude00\", \"more\": [1, {\"url\": \"no\"}], \"url\": "
    "\"http:\\/\\/a\\/2\"}\r\n"
    "{\"url\": \"http://a/3\", \"text\": \"t\", \"html\": \"h\"}";

TEST(Jsonl, FieldsAndEscapes) {
  const TempDir dir;
  write_file(dir / "a.jsonl", kLines);
  write_file(dir / "b.jsonl.gz", gzip(kLines.substr(0, 40)) + gzip(kLines.substr(40)));
  write_file(dir / "c.jsonl.zst", zstd(kLines));
  write_file(dir / "d.jsonl", "\xef\xbb\xbf" + std::string(kLines) + "\n");
  for (const char* name : {"a.jsonl", "b.jsonl.gz", "c.jsonl.zst", "d.jsonl"}) {
    SCOPED_TRACE(name);
    const Crawl crawl = read_file_as_crawl(dir / name);
    EXPECT_THAT(
        crawl.pages,
        ElementsAre(OwnedPage{"http://a/1", PageKind::html, "utf-8", "One \u00e9", "<p>1"},
                    OwnedPage{"http://a/2", PageKind::text, "utf-8", "", "tab\there \U0001F600"},
                    OwnedPage{"http://a/3", PageKind::text, "utf-8", "", "t"}));
    EXPECT_EQ(crawl.report.records, 3u);
  }
}

TEST(Jsonl, BadLinesAreDamagedOthersAreKept) {
  const TempDir dir;
  const std::string good = "{\"url\": \"http://a/\", \"html\": \"x\"}\n";
  const std::string bad[] = {"{\"url\": \"http://a/\", \"html\": \"x\"\n",
                             "{\"url\": \"http://a/\", \"html\": \"x\n",
                             "{\"url\": \"http://a/\", \"html\": \"\\x\"}\n",
                             "{\"url\": \"http://a/\", \"html\": \"x\"} trailing\n",
                             "[1]\n",
                             "nonsense\n",
                             "\"string\"\n"};
  std::string lines = good;
  for (const std::string& line : bad) lines += line + good;
  lines += "{\"html\": \"x\"}\n";
  lines += "{\"url\": 7, \"html\": \"x\"}\n";
  lines += "{\"url\": \"http://a/\"}\n";
  lines += "{\"url\": \"http://a/\", \"html\": null}\n";
  lines += "{\"url\": \"http://a/\", \"text\": \"\"}\n";
  write_file(dir / "a.jsonl", lines);
  const Crawl crawl = read_file_as_crawl(dir / "a.jsonl");
  // Two of them are named by their places.
  EXPECT_EQ(crawl.pages.size(), std::size(bad) + 3);
  EXPECT_EQ(crawl.skipped(Skip::damaged), std::size(bad));
  EXPECT_EQ(crawl.skipped(Skip::bad_url), 0u);
  EXPECT_EQ(crawl.skipped(Skip::empty), 3u);
  ASSERT_GE(crawl.report.examples.size(), 1u);
  EXPECT_EQ(crawl.report.examples[0].offset, good.size());
  EXPECT_THAT(crawl.report.examples[0].reason, HasSubstr("line 2: "));
}

TEST(Jsonl, WhatIsNotUtf8IsReplacedAndCounted) {
  const TempDir dir;
  const std::string begin = "{\"url\": \"http://a/\", \"text\": \"";
  write_file(dir / "a.jsonl", begin + "sound\xef\xbf\xbd\"}\n" + begin +
                                  "caf\xe9 \\n\xc3\xa9\"}\n" + begin + "\xf0\x9f\"}\n" +
                                  "{\"\xff\" nonsense}\n");
  const Crawl crawl = read_file_as_crawl(dir / "a.jsonl");
  ASSERT_EQ(crawl.pages.size(), 3u);
  EXPECT_EQ(crawl.pages[1].body, "caf\xef\xbf\xbd \n\xc3\xa9");
  EXPECT_EQ(crawl.pages[2].body, "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(crawl.report.mended_lines, 2u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  // What grows too long by it is not kept.
  write_file(dir / "b.jsonl", begin + std::string(1'000'000, '\xff') + "\"}\n" + begin + "x\"}\n");
  const Crawl bounded = read_crawl({.inputs = {dir / "b.jsonl"}, .max_page = 100'000});
  EXPECT_EQ(bounded.pages.size(), 1u);
  EXPECT_EQ(bounded.report.mended_lines, 0u);
  EXPECT_EQ(bounded.skipped(Skip::damaged), 1u);
}

TEST(Jsonl, LongLinesAndCuts) {
  const TempDir dir;
  const std::string accents(3000, '\xc3');
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "\u00e9";
  const std::string good = "{\"url\": \"http://a/2\", \"text\": \"short\"}\n";
  write_file(dir / "a.jsonl", "{\"url\": \"http://a/1\", \"text\": \"" + text + "\"}\n" +
                                  "{\"url\": \"http://a/x\", \"text\": \"" +
                                  std::string(3u << 20, 'x') + "\"}\n" + good);
  const Crawl crawl = read_crawl({.inputs = {dir / "a.jsonl"}, .max_page = 1001});
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2"));
  ASSERT_EQ(crawl.pages.size(), 2u);
  EXPECT_EQ(crawl.pages[0].body, text.substr(0, 1000));
  EXPECT_EQ(crawl.report.cut_pages, 1u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

TEST(Jsonl, DamagedGzipKeepsTheLinesAround) {
  const TempDir dir;
  std::string file;
  for (int i = 0; i < 3; ++i) {
    std::string lines;
    for (int k = 0; k < 10; ++k) {
      lines += fmt::format("{{\"url\": \"http://a/{}/{}\", \"html\": \"<p>\"}}\n", i, k);
    }
    std::string member = gzip(lines);
    if (i == 1) member[member.size() - 5] ^= 1;
    file += member;
  }
  write_file(dir / "a.jsonl.gz", file);
  const Crawl crawl = read_file_as_crawl(dir / "a.jsonl.gz");
  EXPECT_EQ(crawl.pages.size(), 30u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

TEST(Inputs, AFolderGivesItsCrawlFilesInByteOrderOfPath) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "b/c");
  write_file(dir / "b/c/1.warc.gz", gzip(warc_page("http://a/1", "<p>")));
  write_file(dir / "b/2.jsonl", "{\"url\": \"http://a/2\", \"html\": \"<p>\"}\n");
  write_file(dir / "Z.warc", warc_page("http://a/Z", "<p>"));
  write_file(dir / "a.jsonl.zst", zstd("{\"url\": \"http://a/a\", \"html\": \"<p>\"}\n"));
  write_file(dir / "notes.txt", "not read");
  write_file(dir / "page.html", "<p>not read either");
  const Crawl crawl = read_crawl({.inputs = {dir.path()}});
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/Z", "http://a/a", "http://a/2", "http://a/1"));
  EXPECT_EQ(crawl.report.files, 4u);
}

TEST(Inputs, SharesDivideTheFilesOfAllInputs) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "folder");
  std::vector<std::string> paths;
  for (const char* name :
       {"z.jsonl", "folder/a.jsonl", "folder/b.jsonl", "folder/c.jsonl", "y.jsonl"}) {
    paths.push_back(dir / name);
    write_file(paths.back(),
               fmt::format("{{\"url\": \"http://{}/\", \"text\": \"t\"}}\nbad\n", name));
  }
  CrawlOptions options{.inputs = {paths[0], dir / "folder", paths[4]}};
  for (uint32_t of : {1u, 2u, 3u, 7u}) {
    std::vector<size_t> seen(paths.size(), 0);
    for (uint32_t number = 1; number <= of; ++number) {
      options.share = {number, of};
      auto reader = PageReader::open(options, {});
      ASSERT_TRUE(reader.is_ok());
      EXPECT_EQ(reader->files(), paths);
      PageBatch batch;
      while (*reader->next(batch)) {
        for (const Page& page : batch.pages) {
          EXPECT_EQ(page.file % of + 1, number);
          EXPECT_THAT(paths[page.file], HasSubstr(page.url.substr(7, 7)));
          ++seen[page.file];
        }
      }
      for (const SkipExample& example : reader->report().examples) {
        EXPECT_EQ(paths[example.file_number], example.file);
      }
    }
    EXPECT_EQ(seen, std::vector<size_t>(paths.size(), 1));
  }
  // What is of no concern need not be there, nor be a crawl file.
  std::filesystem::remove(paths[0]);
  write_file(paths[4], "no crawl");
  options.share = {2, 2};
  EXPECT_EQ(read_crawl(options).pages.size(), 2u);
  options.share = {1, 2};
  EXPECT_THAT(open_error(options).message, HasSubstr("z.jsonl"));
}

TEST(Inputs, AFolderOfHtmlNeedsABaseUrl) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "sub dir");
  write_file(dir / "index.html", "<p>index");
  write_file(dir / "sub dir/\u00fc%.htm", "<p>umlaut");
  write_file(dir / "empty.xhtml", "");
  write_file(dir / "style.css", "p {}");
  const Crawl crawl = read_crawl({.inputs = {dir.path()}, .base_url = "https://a.example/x"});
  EXPECT_THAT(crawl.pages, ElementsAre(OwnedPage{"https://a.example/x/index.html", PageKind::html,
                                                 "", "", "<p>index"},
                                       OwnedPage{"https://a.example/x/sub%20dir/%C3%BC%25.htm",
                                                 PageKind::html, "", "", "<p>umlaut"}));
  EXPECT_EQ(crawl.skipped(Skip::empty), 1u);
  const Crawl one =
      read_crawl({.inputs = {dir / "index.html"}, .base_url = "https://a.example/", .max_page = 4});
  EXPECT_THAT(one.pages, ElementsAre(OwnedPage{"https://a.example/index.html", PageKind::html, "",
                                               "", "<p>i"}));
  EXPECT_EQ(one.report.cut_pages, 1u);

  for (const std::string& input : {dir.path(), dir / "index.html"}) {
    const Error error = open_error({.inputs = {input}});
    EXPECT_EQ(error.kind, ErrorKind::usage);
    EXPECT_THAT(error.message, HasSubstr("`base_url`"));
    EXPECT_THAT(error.message, HasSubstr(input));
  }
}

TEST(Inputs, TheContentDecidesNotTheName) {
  const TempDir dir;
  write_file(dir / "a.jsonl", gzip(warc_page("http://a/1", "<p>")));
  write_file(dir / "b.warc.gz", warc_page("http://a/2", "<p>"));
  write_file(dir / "c", "{\"url\": \"http://a/3\", \"html\": \"<p>\"}");
  write_file(dir / "d.warc.gz", "");
  const Crawl crawl =
      read_crawl({.inputs = {dir / "a.jsonl", dir / "b.warc.gz", dir / "c", dir / "d.warc.gz"}});
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2", "http://a/3"));
}

TEST(Inputs, TheNameDecidesWhereTheBeginningIsDamaged) {
  const TempDir dir;
  const std::string page = warc_page("http://a/2", "<p>");
  const std::string lost = gzip(warc_page("http://a/1", "<p>")).substr(7);
  write_file(dir / "a.warc.gz", lost + gzip(page));
  write_file(dir / "b.warc", "half a record\r\n\r\n" + page);
  write_file(dir / "c.jsonl", "half\": \"a line\"}\n{\"url\": \"http://a/2\", \"html\": \"<p>\"}");
  for (const char* name : {"a.warc.gz", "b.warc", "c.jsonl"}) {
    SCOPED_TRACE(name);
    const Crawl crawl = read_file_as_crawl(dir / name);
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a/2"));
    EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  }
}

TEST(Inputs, WhatIsRefusedAtOpen) {
  const TempDir dir;
  write_file(dir / "x.warc", "Dear diary,\nnothing happened.\n");
  write_file(dir / "y.warc.gz", gzip("Dear diary,\n"));
  write_file(dir / "z.warc.gz", std::string("\x1f\x8b\x08\x00nonsense", 12));
  write_file(dir / "empty", "");
  std::filesystem::create_directories(dir / "folder");
  for (const char* name : {"x.warc", "y.warc.gz", "empty", "z.warc.gz"}) {
    const Error error = open_error({.inputs = {dir / name}});
    EXPECT_EQ(error.kind, ErrorKind::corrupt) << name;
    EXPECT_THAT(error.message, HasSubstr(dir / name));
  }
  EXPECT_THAT(open_error({.inputs = {dir / "x.warc"}}).message, HasSubstr("Dear diary"));
  EXPECT_EQ(open_error({.inputs = {dir / "missing.warc"}}).kind, ErrorKind::not_found);
  EXPECT_EQ(open_error({.inputs = {dir / "folder"}}).kind, ErrorKind::not_found);
  EXPECT_EQ(open_error({.inputs = {}}).kind, ErrorKind::usage);
  EXPECT_EQ(open_error({.inputs = {"-", "-"}}).kind, ErrorKind::usage);
  EXPECT_EQ(open_error({.inputs = {dir / "x.warc"}, .max_page = 0}).kind, ErrorKind::usage);
  EXPECT_EQ(open_error({.inputs = {dir / "x.warc"}, .base_url = "a.example"}).kind,
            ErrorKind::usage);
}

TEST(Inputs, AFileThatVanishesIsAnErrorOfNext) {
  const TempDir dir;
  write_file(dir / "a.warc", warc_page("http://a/1", "<p>"));
  Result<PageReader> reader = PageReader::open({.inputs = {dir / "a.warc"}}, {});
  ASSERT_TRUE(reader.is_ok());
  std::filesystem::remove(dir / "a.warc");
  PageBatch batch;
  for (int again = 0; again < 2; ++again) {
    const Result<bool> more = reader->next(batch);
    ASSERT_FALSE(more.is_ok());
    EXPECT_THAT(more.error().message, HasSubstr(dir / "a.warc"));
  }
}

TEST(Inputs, ProgressReachesTheTotal) {
  const TempDir dir;
  const std::string warc = gzip(warc_page("http://a/1", "<p>"));
  const std::string json = "{\"url\": \"http://a/3\", \"html\": \"<p>\"}";
  write_file(dir / "a.warc.gz", warc);
  write_file(dir / "b.jsonl", json);
  Result<PageReader> reader = PageReader::open({.inputs = {dir.path()}}, {});
  ASSERT_TRUE(reader.is_ok());
  EXPECT_EQ(reader->bytes_total(), warc.size() + json.size());
  EXPECT_EQ(reader->bytes_done(), 0u);
  PageBatch batch;
  while (reader->next(batch).value()) {
  }
  EXPECT_EQ(reader->bytes_done(), reader->bytes_total());
}

TEST(Inputs, APipeIsReadOnce) {
  const TempDir dir;
  const std::string bytes = gzip(warc_page("http://a/1", std::string(300'000, 'x'))) +
                            gzip(warc_page("http://a/2", "<p>"));
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::jthread writer([&] { write_file(dir / "pipe", bytes); });
  const Crawl crawl = read_crawl({.inputs = {dir / "pipe"}});
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2"));
  EXPECT_EQ(crawl.report.bytes_in, bytes.size());
}

TEST(Inputs, StandardInputOfEveryFormat) {
  const std::string page = warc_page("http://a/1", "<p>");
  const std::string line = "{\"url\": \"http://a/1\", \"html\": \"<p>\"}\n";
  const int saved = dup(STDIN_FILENO);
  for (const std::string& bytes : {page, gzip(page), zstd(page), line, gzip(line), zstd(line)}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    const Crawl crawl = read_crawl({.inputs = {"-"}});
    EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1"));
  }
  dup2(saved, STDIN_FILENO);
  close(saved);
}

// What is wrong is shown, whatever bytes it is made of.
TEST(Inputs, WhatIsUnknownIsShownAsText) {
  const TempDir dir;
  write_file(dir / "a", "\x01\x1b[31mred\x7f\xff and more than is shown");
  const std::string message = open_error({.inputs = {dir / "a"}}).message;
  EXPECT_THAT(message, HasSubstr("it begins with \"..[31mred.. and more tha\""));
  write_file(dir / "b", std::string("\x1f\x8b\x08\x00nonsense", 12));
  EXPECT_THAT(open_error({.inputs = {dir / "b"}}).message, HasSubstr("cannot be unpacked"));
  // A name is believed for a megabyte.
  write_file(dir / "c.warc", std::string(3 << 20, 'x'));
  EXPECT_EQ(open_error({.inputs = {dir / "c.warc"}}).kind, ErrorKind::corrupt);
}

TEST(Inputs, AnArchiveIsKnownByItsNameBehindDamage) {
  const TempDir dir;
  write_file(dir / "a.arc", "half a record\n" + arc_record("http://a/1",
                                                           "HTTP/1.1 200 OK\r\nContent-Type: "
                                                           "text/html\r\n\r\n<p>"));
  const Crawl crawl = read_file_as_crawl(dir / "a.arc");
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1"));
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

TEST(Inputs, PackedHtmlIsKnownByItsContent) {
  const TempDir dir;
  write_file(dir / "a.html.gz", gzip("<p>packed"));
  const Crawl crawl = read_crawl({.inputs = {dir / "a.html.gz"}, .base_url = "http://a.example"});
  ASSERT_EQ(crawl.pages.size(), 1u);
  EXPECT_EQ(crawl.pages[0].body, "<p>packed");
  write_file(dir / "b.html.gz", gzip("no markup"));
  EXPECT_EQ(open_error({.inputs = {dir / "b.html.gz"}, .base_url = "http://a.example"}).kind,
            ErrorKind::corrupt);
}

TEST(Inputs, HtmlIsReadFromFilesOnly) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  {
    std::jthread writer([&] { write_file(dir / "pipe", "<p>html"); });
    const Error error = open_error({.inputs = {dir / "pipe"}, .base_url = "http://a.example"});
    EXPECT_EQ(error.kind, ErrorKind::usage);
    EXPECT_THAT(error.message, HasSubstr("pipe is HTML"));
  }
  // A file as standard input is read as a pipe is.
  const int saved = dup(STDIN_FILENO);
  const auto with_input = [&](const std::string& bytes) {
    write_file(dir / "input", bytes);
    const int file = open((dir / "input").c_str(), O_RDONLY | O_CLOEXEC);
    dup2(file, STDIN_FILENO);
    close(file);
  };
  with_input("<p>html");
  EXPECT_THAT(open_error({.inputs = {"-"}, .base_url = "http://a.example"}).message,
              HasSubstr("standard input is HTML"));
  with_input("Dear diary");
  EXPECT_THAT(open_error({.inputs = {"-"}}).message, HasSubstr("standard input is no crawl file"));
  with_input(warc_page("http://a/1", "<p>"));
  EXPECT_THAT(read_crawl({.inputs = {"-"}}).urls(), ElementsAre("http://a/1"));
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST(Inputs, AManifestOfAnotherProgramMakesNoRun) {
  const TempDir dir;
  const std::string manifest = dir / "manifest.json";
  write_file(manifest, R"({"kith": 1, "identity": 2, "stages": 3})");
  EXPECT_TRUE(holds_run(dir.path()));
  write_file(manifest, R"({"kith": 1, "identity": 2})");
  EXPECT_FALSE(holds_run(dir.path()));
  write_file(manifest, R"({"kith": 1, "identity": 2, "stages": 3})");
  std::filesystem::resize_file(manifest, 17 << 20);
  EXPECT_FALSE(holds_run(dir.path()));
}

TEST(Inputs, PagesHaveALargestLimit) {
  const TempDir dir;
  write_file(dir / "a.warc", warc_page("http://a/1", "<p>"));
  EXPECT_EQ(read_crawl({.inputs = {dir / "a.warc"}, .max_page = 1u << 30}).pages.size(), 1u);
  EXPECT_EQ(open_error({.inputs = {dir / "a.warc"}, .max_page = (1u << 30) + 1}).kind,
            ErrorKind::usage);
}

TEST(FileSource, SaysWhatItCannotDo) {
  const TempDir dir;
  write_file(dir / "file", "0123456789");
  EXPECT_EQ(FileSource::open(dir / "none").error().kind, ErrorKind::not_found);
  EXPECT_EQ(FileSource::open(dir / "file/below").error().kind, ErrorKind::io);
  EXPECT_THAT(FileSource::open(dir.path()).error().message, HasSubstr("it is a folder"));
  ASSERT_EQ(mkfifo((dir / "pipe").c_str(), 0600), 0);
  const auto open_pipe = [&] {
    // With a writer of its own the pipe opens at once.
    const int writer = open((dir / "pipe").c_str(), O_RDWR | O_CLOEXEC);
    auto source = FileSource::open(dir / "pipe");
    close(writer);
    return std::move(source).value();
  };
  EXPECT_EQ(open_pipe()->seek(3).error().kind, ErrorKind::io);
  const auto tail = [](std::unique_ptr<FileSource> source, uint64_t from) {
    return RangeSource::open(std::move(source), from);
  };
  EXPECT_EQ(tail(open_pipe(), 0).error().kind, ErrorKind::io);
  EXPECT_EQ(tail(FileSource::open(dir / "file").value(), 11).error().kind, ErrorKind::io);
  const auto rest = tail(FileSource::open(dir / "file").value(), 7);
  ASSERT_TRUE(rest.is_ok());
  char bytes[8] = {};
  ASSERT_EQ(*(*rest)->read(bytes), 3u);
  EXPECT_EQ(std::string_view(bytes, 3), "789");
}

TEST(UrlBelow, EncodesWhatAPathCannotHold) {
  EXPECT_EQ(url_below("http://a", "b/c.html"), "http://a/b/c.html");
  EXPECT_EQ(url_below("http://a/", "b c?d#e.html"), "http://a/b%20c%3Fd%23e.html");
}

}  // namespace
}  // namespace kith::crawl::test
