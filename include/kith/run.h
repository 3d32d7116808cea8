// A finished run, to be read: clusters, related pages, bags, pairs, the report.
//
//   auto run = kith::Run::open("my-run");
//   if (!run) { ... run.error().message ... }
//   if (auto id = run->find("https://example.org/")) {
//     if (auto related = run->related(*id, 10)) {
//       for (const kith::Related& page : *related) ...
//     }
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// All of a finished run at once: its files as arrays, where they lie.
//
//   const auto run = kith::Run::open("my-run");
//   const auto columns = run->columns();
//   for (kith::UrlId id = 0; id < run->urls(); ++id) ... columns->center[id] ...

// Views of the mapped files, valid as long as the Run. Arrays "by URL" have an element for each id;
// offsets have one more than there are lists, from 0 on: list i is what lies in
// [offsets[i], offsets[i + 1]). What consists of pairs has two values for each entry, one behind
// the other, and its offsets count entries.
struct RunColumns {
  std::span<const uint8_t> fetched;   // by URL: not 0 for pages
  std::span<const uint32_t> inlinks;  // by URL: links that point to it
  // By URL: when its page was captured, in milliseconds since 1970-01-01T00:00:00Z; INT64_MIN where
  // that is not known. Empty where it is of none.
  std::span<const int64_t> times;

  std::span<const uint32_t> center;      // by URL: the center of its cluster; its own id for one
  std::span<const uint32_t> center_sum;  // by URL: similarity_of_sum() is that with the center
  std::span<const uint64_t> cluster_offsets;
  std::span<const uint32_t> cluster_members;  // ids, as of Run::cluster()

  // Empty when the run looked for no pairs. Lists by URL, by the pages' own bags: as of
  // Run::related() with RelatedPages::plain.
  std::span<const uint32_t> degree;  // by URL
  std::span<const uint64_t> related_offsets;
  std::span<const uint32_t> related;  // pairs: id, sum for similarity_of_sum()
  // Likewise on other hosts, but by the bags of related_of(report().options), with their sums;
  // empty when the run keeps none.
  std::span<const uint64_t> other_sites_offsets;
  std::span<const uint32_t> other_sites;

  std::span<const uint64_t> bag_offsets;     // lists by URL
  std::span<const uint32_t> bag_entries;     // pairs: term, weight in units of 1 / weight_unit
  std::span<const uint32_t> term_frequency;  // by term: bags that have it
};

// A weight of a bag is a multiple of 1 / weight_unit; those of a bag add up to 100.
inline constexpr uint32_t weight_unit = 1u << 16;

// The similarity of two bags from the sum of the smaller weights of their terms, in units of
// 1 / weight_unit: A / (2S - A), exact.
constexpr double similarity_of_sum(uint32_t sum) {
  return static_cast<double>(sum) / (200.0 * weight_unit - sum);
}

// A URL of the run, numbered from 0 in SURT order (hosts reversed), so that a site stands
// together.
using UrlId = uint32_t;

struct Related {
  UrlId id;
  double similarity;  // exact, in (0, 1]
};

// The page that was meant by a URL.
struct FoundUrl {
  UrlId id;
  std::string url;  // as the run has it
  bool exact;       // false: asked was for another scheme, `www.` or slash at the end, or an alias
  bool alias = false;  // what was asked for is folded into this URL
};

// A host of the run, and its URLs [begin, end).
struct Host {
  std::string name;
  UrlId begin;
  UrlId end;
};

struct HostShare {
  std::string host;
  uint64_t members;  // of the cluster or topic, on this host
};

// A center and those that joined it. The center is members[0]; the others follow by
// similarity to it, most similar first. A cluster of one is a single.
struct Cluster {
  std::vector<Related> members;  // similarity: to the center; 1 for the center itself
  // Words that tell it from the other pages of its hosts, best first; before them those that tell
  // it from the nearest cluster.
  std::vector<std::string> label;
  std::vector<HostShare> hosts;  // of a tenth of the members or more, most first, ties by URL id
};

struct TermWeight {
  std::string term;  // the stem
  double weight;     // the weights of a bag add up to 100
  std::string word;  // the form that people read
};

struct SimilarPair {
  UrlId a;
  UrlId b;
  double similarity;  // exact, at or above the run's threshold
};

// Immutable and thread-safe. Holds the run's files mapped; they must not change meanwhile. Whatever
// is read of them is compared with its checksum, once: damage is an error of kind corrupt that
// names the file, and never a wrong answer.
class Run {
 public:
  static Result<Run> open(const std::string& directory);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  const Report& report() const;

  // The number of URLs; ids are below it.
  UrlId urls() const;
  Result<std::string> url(UrlId id) const;
  // Empty when the page was not fetched or has none.
  Result<std::string_view> title(UrlId id) const;
  Result<bool> fetched(UrlId id) const;
  // Of a page, as a BCP 47 tag; "other" where kith knows no stop words. Empty when it was not
  // fetched.
  Result<std::string_view> language(UrlId id) const;
  // When the page was captured: "2026-11-24T12:00:00Z", with a fraction where there is one. Empty
  // where that is not known or the page was not fetched.
  Result<std::string> date(UrlId id) const;
  Result<uint32_t> inlinks(UrlId id) const;
  // Accepts any spelling of a URL, and an alias, which gives the URL that it is folded into; an
  // error of kind not_found when the run does not know it.
  Result<UrlId> find(std::string_view url) const;
  // The same, and where the run does not know it the URL with or without a slash at its end, then
  // with or without `www`, then with the other scheme, then several of these; the scheme may be
  // left out. An error is that of find().
  Result<FoundUrl> find_any(std::string_view url) const;
  // The URLs that begin with a prefix which has a whole host, such as "https://example.org/a" or
  // "example.org/a", in the order of ids, at most n; without a scheme those of both.
  Result<std::vector<UrlId>> with_prefix(std::string_view prefix, size_t n) const;

  // Hosts, in the order of their URLs.
  uint64_t hosts() const;
  // REQUIRES: number < hosts().
  Result<Host> host(uint64_t number) const;

  // Clusters by size, the largest first, then by the id of the center; singles come last.
  uint64_t clusters() const;
  Result<Cluster> cluster(uint64_t number) const;
  // Cluster::label, for which titles of members are read, and the number of members.
  // REQUIRES: number < clusters().
  Result<std::vector<std::string>> cluster_label(uint64_t number) const;
  Result<uint64_t> cluster_size(uint64_t number) const;
  // The number of the cluster of a URL.
  Result<uint64_t> cluster_of(UrlId id) const;

  // Up to n of the nearest URLs, most similar first; at most the `neighbours` of the run. Where
  // related_of(report().options) is smoothed, the nearest by smoothed bags, in their order; each
  // with the similarity of the URLs' own bags, and without those that have no word in common.
  Result<std::vector<Related>> related(UrlId id, size_t n) const;
  // The n nearest URLs by comparing all bags, as section 3 of the paper does: most similar first,
  // ties by id; what related() would be if nothing was ever missed, but for
  // smoothed bags. Reads all bags. threads: 0 is one per processor.
  Result<std::vector<Related>> related_by_scan(UrlId id, size_t n, unsigned threads = 0) const;
  // As related(), on other hosts than that of the URL; at most the `other_sites` of the run, and
  // none unless report().pairs.has_other_sites().
  Result<std::vector<Related>> related_on_other_sites(UrlId id, size_t n) const;
  // The URLs of both lists: each keeps its order, and the more similar of two first ones comes
  // first, ties by id. Up to n, and of one host per_site at most; 0: as many as there are. What the
  // limit leaves out of the first list gives way to the second.
  Result<std::vector<Related>> related_by_site(UrlId id, size_t n, size_t per_site) const;
  // Up to n words that both bags have, in the form that people read: by the smaller of the two
  // weights, heaviest first, ties by stem. Of two URLs these make up their similarity.
  Result<std::vector<std::string>> shared_words(UrlId a, UrlId b, size_t n) const;
  // How many URLs are at or above the threshold, as far as the engine found them; 0 when the run
  // looked for none (report().pairs.skipped).
  Result<uint32_t> degree(UrlId id) const;

  // Heaviest first, ties by term.
  Result<std::vector<TermWeight>> bag(UrlId id) const;

  // The numbers of terms are below it; 0 is the one of most bags. The stem of a term is a view of a
  // mapped file, valid as long as this object.
  uint32_t terms() const;
  Result<std::string_view> term(uint32_t number) const;

  // Everything at once, in place: see RunColumns. Compares all of these files with their
  // checksums first.
  Result<RunColumns> columns() const;

  // All pairs at or above the threshold that the run's engine finds, each once, computed anew:
  // ascending by (a, b), a < b, whatever the memory and the threads. Stops early when take returns
  // false. An error of kind usage when the memory is too small.
  Status for_each_pair(const PairOptions& options,
                       const std::function<bool(const SimilarPair&)>& take) const;

  // Reads every file and compares checksums.
  Status verify() const;

 private:
  struct State;
  explicit Run(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
