// What jobs found, in their last lines and in kith info; clusters and streams in words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/dedup.h"
#include "kith/kith.h"
#include "kith/passages.h"
#include "kith/report.h"
#include "kith/rows.h"
#include "kith/run.h"
#include "kith/status.h"
#include "kith/stream.h"

#include "cli/output/output.h"

namespace kith::cli {

// What a run found, in the words of `kith cluster`'s last lines and of `kith info`.

// The rows that the summary and `kith info` share. First of all, what makes the result worse than
// it should be: missed pairs and related pages; nothing where it is not.
void print_broken_promise(const Report& report, std::FILE* out);
// That topics are missing for want of memory; nothing where they are not.
void print_missing_topics(const Report& report, std::FILE* out);
// Why a run can hold no cluster, where that is known.
void print_warning(const Report& report, std::FILE* out);
// How many clusters, URLs in them, and others.
std::string clusters_text(const Report& report);
// That a run by the paper has the bags of another run; nothing of other runs.
void print_paper_bags(const Report& report, std::FILE* out);
// The similarity from which URLs are neighbours, and why it is that.
void print_threshold(const Report& report, std::FILE* out);
// The measured recall, or why none was measured.
void print_check(const Report& report, std::FILE* out);
// What the classes are within which clusters were made; nothing without such.
void print_within(const Report& report, std::FILE* out);
// How many topics, or why there are none.
void print_topics(const Report& report, std::FILE* out);
// Where many pages of a host are folded into one; nothing where they are not.
void print_large_folds(const AliasReport& aliases, std::FILE* out);
// The largest clusters with hosts and labels; nothing when there are none.
Status print_largest(const Run& run, std::FILE* out);

// What was read and skipped, a few lines.
void print_crawl(const CrawlCounts& crawl, const ReadOptions& options, std::FILE* out);

// What was left out of the words of pages as the template of their site: a row, and for
// print_boilerplate_hosts() a table of hosts; nothing where it was kept.
void print_boilerplate(const BoilerplateReport& boilerplate, std::FILE* out);
void print_boilerplate_hosts(const BoilerplateReport& boilerplate, std::FILE* out);

// Why there is nothing to work on.
std::string no_page_text(const CrawlCounts& crawl);
// The same as an error of what has read nothing: after print_crawl(), which says what was seen.
Error nothing_read(const CrawlCounts& crawl);

// Whether rows were read and none of them, nor anything else, has text or markup.
bool has_no_text_field(const CrawlCounts& crawl);

// The first records that were skipped, with their places; nothing when there are none.
void print_skip_examples(const CrawlCounts& crawl, std::FILE* out);

// How many pages were captured in every month, each with a bar; of more than three years in every
// year. Nothing where no date is known.
void print_timeline(const CrawlCounts& crawl, std::FILE* out);

// Where to look next: a command or a file, and what it says.
struct NextStep {
  std::string where;
  std::string_view what;
};
void print_next_steps(const std::vector<NextStep>& steps, std::FILE* out);

// Time and memory of all stages, and which of them were taken from an earlier run, or made anew
// because they were damaged.
void print_cost(const JobReport& report, std::FILE* out);

// Time and memory of every stage, and of all.
void print_stages(const std::vector<StageReport>& stages, uint64_t peak_memory, std::FILE* out);

// What every stage was given of --memory, and the most that the process has taken.
void print_memory(const JobReport& report, std::FILE* out);

// The steps of the stages of a run by the paper, with their times; nothing of other runs.
void print_steps(const std::vector<StageReport>& steps, std::FILE* out);

// What is to be said of a measured recall below what is promised.
std::string broken_promise(const CheckReport& check);

// What a person must know first, a dozen lines: a warning if the recall is too low, pages, URLs,
// clusters, threshold, recall, time and memory, the largest clusters, and which commands say more.
void print_summary(const Report& report, std::FILE* out);

// What a run of passages found: what they are, who loses most, and where the lists are.
void print_passages_summary(const PassageReport& report, std::FILE* out);
// The same, and all else that the report has.
void print_passages_info(const PassageReport& report, std::FILE* out);

// Which shard it is, and a warning if it is one of files, `is_of_files`, and has read none.
void print_shard(const ShardOptions& options, bool is_of_files, uint64_t files, std::FILE* out);

// The same of a shard, which has been read and no more; is_of_crawl: a part of files, not of a run.
void print_shard_summary(const Report& report, bool is_of_crawl, std::FILE* out);

// All that is known of a run but its clusters: options, counts, times, distributions, the reasons
// of choices, examples of what was skipped.
void print_info(const Report& report, std::FILE* out);

// What `kith dedup` found, in its last lines and in `kith info`.

// What is to be said of a measured recall below what is promised.
std::string broken_promise(const DedupCheck& check);
// What is to be said of a source or host that loses too much. REQUIRES: there is one.
std::string too_much_loss(const DedupReport& report);

// What a person must know first, a dozen lines: a warning if the recall is too low, documents,
// groups, recall, time and memory, the largest groups, and where to look next.
void print_dedup_summary(const DedupReport& report, std::FILE* out);

// The same of a shard, which has been read and no more.
void print_dedup_shard_summary(const DedupReport& report, std::FILE* out);

// All that is known of a run: also how pairs were found, the time and memory of every stage, the
// tables that were considered, and examples of what was skipped.
void print_dedup_info(const DedupReport& report, std::FILE* out);

// How pairs were found, in rows; and the plans that were considered for it, in tables.
void print_dedup_search(const DedupReport& report, std::FILE* out);
void print_dedup_plans(const DedupReport& report, std::FILE* out);

// A cluster in words.

// Its hosts, most members first: "docs.scipy.org", or with the share where that is not all:
// "a.example 60 %".
std::vector<std::string> host_texts(const Cluster& cluster);

// Hosts, three at most, and label: "docs.scipy.org: sparse, matrix, elements".
std::string label_text(const Cluster& cluster);

// What the reading commands say of a stream.

// A row a document, or with `summary` a row for each cluster of more than one.
void print_stream_clusters(const Stream& stream, ListFormat format, bool summary, Output& out);
Status print_stream_related(const Stream& stream, const std::string& url, size_t n,
                            ListFormat format, Output& out);
// Options and counts, for people or as JSON.
void print_stream_info(const Stream& stream, bool json);

// The topic of every row of a list.

// The topics of a run; of one without any, none.
class TopicColumn {
 public:
  static Result<TopicColumn> open(const Run& run, const std::string& directory) {
    TopicColumn column;
    if (run.report().topics.topics == 0) return column;
    KITH_ASSIGN(column.tree_, TopicTree::open(directory));
    return column;
  }
  // The path of the leaf of a page; empty where it has none.
  Result<std::string> of(UrlId id) const { return tree_ ? tree_->path_of(id) : std::string(); }
  // The path, and the words of the topics on it: "1.3 (windows, file > drive, disk)".
  Result<std::string> described(UrlId id) const {
    if (!tree_) return std::string();
    KITH_ASSIGN(const auto leaf, tree_->leaf_of(id));
    if (!leaf || *leaf == 0) return std::string();
    std::vector<std::string> steps;
    for (uint32_t at = *leaf; at != 0; at = tree_->topic(at).parent) {
      std::vector<std::string> words = tree_->topic(at).label;
      words.resize(std::min<size_t>(words.size(), 2));
      steps.insert(steps.begin(), fmt::format("{}", fmt::join(words, ", ")));
    }
    return fmt::format("{} ({})", tree_->path(*leaf), fmt::join(steps, " > "));
  }

 private:
  std::optional<TopicTree> tree_;
};

}  // namespace kith::cli
