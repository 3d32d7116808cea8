#include "jobs/dedup/inlink_counter.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/temp_dir.h"
#include "text/html/html.h"

namespace kith::jobs {
namespace {

text::HtmlText html_of(const std::string& markup) {
  text::HtmlText html;
  text::extract_html(markup, html);
  return html;
}

TEST(PageLinks, AreNormalisedAndOnceEach) {
  PageLinks links;
  links.read("HTTP://Example.org:80/a/../b#top",
             html_of("<a href='c'>1</a><a href='/c#x'>2</a><a href='http://example.org/c?'>3</a>"
                     "<a href='#here'>4</a><a href='b'>5</a><a href='mailto:x@y'>6</a>"
                     "<area href='//EXAMPLE.org/d'>"));
  ASSERT_TRUE(links.has_url());
  PageLinks other;
  other.read("http://example.org/b", {});
  EXPECT_EQ(links.url(), other.url());
  EXPECT_EQ(links.targets().size(), 3u);  // c, c? and d
  for (const std::string url :
       {"http://example.org/c", "http://example.org/c?", "http://example.org/d"}) {
    other.read(url, {});
    EXPECT_TRUE(std::ranges::binary_search(links.targets(), other.url())) << url;
  }
}

TEST(PageLinks, FollowTheBase) {
  PageLinks links;
  links.read("https://a.example/x", html_of("<base href='https://b.example/y/'><a href='z'>1</a>"));
  PageLinks other;
  other.read("https://b.example/y/z", {});
  ASSERT_EQ(links.targets().size(), 1u);
  EXPECT_EQ(links.targets()[0], other.url());
}

TEST(PageLinks, AreSpelledByRules) {
  PageLinks links(text::UrlRules::of_valid("slash\ntracking"));
  // Relative to the URL with its slash, which the rules take away.
  links.read("https://a.example/b/?utm_id=1", html_of("<a href=c/></a><a href='?utm_id=2'></a>"));
  PageLinks other;
  other.read("https://a.example/b", {});
  EXPECT_EQ(links.url(), other.url());
  other.read("https://a.example/b/c", {});
  ASSERT_EQ(links.targets().size(), 1u);
  EXPECT_EQ(links.targets()[0], other.url());
}

TEST(PageLinks, OfAPageWithoutUrlAreNone) {
  PageLinks links;
  links.read("pages/a.html", html_of("<a href='https://b.example/'>1</a>"));
  EXPECT_FALSE(links.has_url());
  EXPECT_TRUE(links.targets().empty());
}

// Documents of few URLs, so that most have several captures, that link to each other and elsewhere.
struct Web {
  std::vector<size_t> url;                 // by document; no_url for one without
  std::vector<std::vector<size_t>> links;  // by document: URLs
  static constexpr size_t urls = 60;
  static constexpr size_t no_url = SIZE_MAX;

  explicit Web(size_t n) {
    Rng rng(5);
    for (size_t i = 0; i < n; ++i) {
      url.push_back(rng.below(10) == 0 ? no_url : rng.below(urls));
      links.emplace_back();
      for (uint64_t j = rng.below(12); j > 0; --j) {
        // The first URLs are popular; the last ones are of no document.
        links.back().push_back(rng.below(2) == 0 ? rng.below(8) : rng.below(urls + 20));
      }
    }
  }

  static std::string name(size_t number) {
    return number == no_url ? "a file" : "https://example.org/" + std::to_string(number);
  }

  std::vector<uint32_t> inlinks() const {
    std::map<size_t, std::set<size_t>> sources;  // by URL
    for (size_t i = 0; i < url.size(); ++i) {
      if (url[i] == no_url) continue;
      for (const size_t target : links[i]) {
        if (target != url[i]) sources[target].insert(url[i]);
      }
    }
    std::vector<uint32_t> counts;
    for (const size_t own : url) {
      counts.push_back(own == no_url ? 0 : static_cast<uint32_t>(sources[own].size()));
    }
    return counts;
  }
};

TEST(InlinkCounter, CountsAsTheDefinitionDoes) {
  const Web web(400);
  const std::vector<uint32_t> expected = web.inlinks();
  for (const unsigned threads : {1u, 3u}) {
    for (const uint64_t memory : {uint64_t{1} << 12, uint64_t{1} << 30}) {
      const test::TempDir dir(test::Medium::memory);
      ThreadPool pool(threads);
      storage::FileSystem& fs = storage::posix_file_system();
      InlinkCounter counter(fs, pool, dir / "sort", memory);
      constexpr size_t batch = 7;
      pool.for_chunks(web.url.size(), batch, [&](size_t begin, size_t end, unsigned worker) {
        LinkBlock block;
        for (size_t i = begin; i < end; ++i) {
          std::string markup;
          for (const size_t target : web.links[i]) {
            markup += "<a href='" + Web::name(target) + "'>link</a>";
          }
          block.add(Web::name(web.url[i]), html_of(markup));
        }
        EXPECT_TRUE(block.give(counter, worker, static_cast<uint32_t>(begin)).is_ok());
      });
      const auto counts =
          counter.write(dir / "inlinks.kith", static_cast<uint32_t>(web.url.size()));
      ASSERT_TRUE(counts.is_ok());
      const auto file = storage::SectionFile::open(fs, dir / "inlinks.kith", inlinks_kind);
      ASSERT_TRUE(file.is_ok());
      const auto found = file->array<uint32_t>(inlinks_section);
      ASSERT_TRUE(found.is_ok());
      EXPECT_EQ(std::vector<uint32_t>(found->begin(), found->end()), expected);
      EXPECT_EQ(counts->linked, expected.size() - std::ranges::count(expected, 0u));
      EXPECT_GT(counts->links, counts->linked);
    }
  }
}

}  // namespace
}  // namespace kith::jobs
