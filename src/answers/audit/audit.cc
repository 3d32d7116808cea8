// kith::audit_run: reads the input of a run again, measures its pages, and finds the families.
#include "kith/audit.h"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "kith/dedup.h"

#include "answers/audit/families.h"
#include "answers/audit/page_facts.h"
#include "answers/audit/templates.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "base/stores.h"
#include "jobs/cluster/run_directory.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/read.h"
#include "run/captures.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith {
namespace {

using answers::Family;
using answers::PageFacts;
using answers::PageMeter;

// What a page takes: its facts, its URL, its place in the groups that are tried.
constexpr uint64_t bytes_of_audited_page = 1280;

// How the pages of a run are read again.
struct AuditInput {
  crawl::CrawlOptions crawl;
  text::UrlRules rules;
  std::optional<Captures> captures;  // by whose dates; nothing: the first in the input
  uint64_t max_page = 0;
};

Status check_inputs(const std::string& run, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (input != "-") continue;
    return Error{ErrorKind::usage,
                 fmt::format("{}: was made of standard input, which cannot be read again; make the "
                             "run of a file",
                             run)};
  }
  return inputs.empty()
             ? Status(Error{ErrorKind::usage,
                            fmt::format("{}: was not made of files, and only their pages "
                                        "can be read again",
                                        run)})
             : Status::ok();
}

template <class Options>
Result<AuditInput> input_of(const AuditOptions& audit, Options options, crawl::CrawlOptions crawl) {
  KITH_TRY(check_inputs(audit.run, options.inputs));
  crawl.strict = false;  // damage was counted when the run was made
  AuditInput input;
  input.crawl = std::move(crawl);
  input.rules = text::UrlRules::of_valid(options.url_rules);
  if (options.captures != Captures::all) input.captures = options.captures;
  input.max_page = options.max_page;
  return input;
}

Result<AuditInput> input_of_dedup(const AuditOptions& audit) {
  KITH_ASSIGN(const DedupReport report, read_dedup_report(audit.run));
  DedupOptions options = report.options;
  options.tables = audit.tables;
  KITH_ASSIGN(crawl::CrawlOptions crawl, jobs::document_options(options));
  return input_of(audit, std::move(options), std::move(crawl));
}

// Of a run that was made of the bags of another one, the input is that one's.
Result<AuditInput> input_of_cluster(const AuditOptions& audit, const std::string& directory) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, jobs::RunDirectory::open(fs, directory));
  ClusterOptions options = run.report().options;
  const bool is_of_run =
      options.inputs.size() == 1 && jobs::RunDirectory::is_run(fs, options.inputs.front());
  if (is_of_run && options.inputs.front() != directory) {
    return input_of_cluster(audit, options.inputs.front());
  }
  options.tables = audit.tables;
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options));
  return input_of(audit, std::move(options), std::move(crawl));
}

// Pages and named documents, a capture of each URL.
class AuditedPages {
 public:
  AuditedPages(PageKeys& keys, run::PageChoice choice, text::UrlRules rules)
      : captures_(keys, choice), rules_(std::move(rules)) {}

  crawl::Admission operator()(std::string_view raw_url, int64_t time, bool /*is_name*/,
                              std::string& canonical_url) {
    if (!text::parse_url_or_name(raw_url, url_)) return crawl::Admission::bad_url;
    const crawl::Admission admission = captures_.choose(run::rewrite(rules_, url_), time);
    if (admission == crawl::Admission::accept) canonical_url = url_.href;
    return admission;
  }

 private:
  text::Url url_;
  run::CaptureChoice captures_;
  text::UrlRules rules_;
};

// One worker's pages, whose texts lie in its store.
struct alignas(worker_alignment) AuditWorker {
  std::optional<PageMeter> meter{std::in_place};
  std::vector<PageFacts> pages;
  StableStore store;

  void add(const crawl::Page& page) {
    PageFacts facts = meter->read(page);
    const auto keep = [&](std::string_view text) -> std::string_view {
      const auto kept = store.copy(std::span<const char>(text));
      return {kept.data(), kept.size()};
    };
    const size_t host_at = facts.host_name.empty()
                               ? 0
                               : static_cast<size_t>(facts.host_name.data() - facts.url.data());
    facts.url = keep(facts.url);
    facts.host_name = facts.url.substr(host_at, facts.host_name.size());
    facts.sample = keep(facts.sample);
    facts.blocks = store.copy(facts.blocks);
    pages.push_back(facts);
  }
};

class AuditJob {
 public:
  AuditJob(const AuditOptions& options, AuditInput input, const ProgressCallback& progress)
      : options_(options),
        input_(std::move(input)),
        memory_(run::memory_or_default(options.memory)),
        pool_(options.threads),
        progress_(progress) {
    run::note_missing_threads(pool_, progress_);
  }

  Result<Audit> run() {
    KITH_TRY(run::check_reading_memory(memory_, input_.max_page));
    PageKeys keys(input_.captures);
    KITH_TRY(read(keys, run::PageChoice::add));
    if (keys.has_better()) {
      keys.end_adding();
      KITH_TRY(read(keys, run::PageChoice::take));
    }
    std::ranges::sort(pages_, {}, [](const PageFacts& page) {
      return std::tuple(page.file, page.record, page.url);
    });
    answers::leave_out_templates(pages_);
    make_audit(answers::find_families(pages_, options_));
    return std::move(audit_);
  }

 private:
  Status read(PageKeys& keys, run::PageChoice choice) {
    const run::ReadingBudget budget = run::reading_budget(memory_, input_.max_page, pool_.size());
    crawl::CrawlOptions crawl = input_.crawl;
    crawl.decoded_bytes = budget.decoded;
    KITH_ASSIGN(crawl::PageReader reader,
                crawl::PageReader::open(crawl, AuditedPages(keys, choice, input_.rules)));
    workers_.clear();
    workers_.resize(pool_.size());
    const auto add = [&](unsigned worker, const crawl::PageBatch&,
                         const crawl::Page& page) -> Status {
      const bool is_page = page.status == 0 || page.status / 100 == 2;
      const bool has_text =
          page.kind == crawl::PageKind::html || page.kind == crawl::PageKind::text;
      if (is_page && has_text) workers_[worker].add(page);
      return run::check_memory(memory_, keys.size(), "pages", bytes_of_audited_page);
    };
    KITH_TRY(run::read_pages(reader, budget, pool_, progress_, add,
                             [&](unsigned worker) { workers_[worker].meter.emplace(); }));
    audit_.crawl = run::counts_of(reader.report());
    pages_.clear();
    for (AuditWorker& worker : workers_) {
      pages_.insert(pages_.end(), worker.pages.begin(), worker.pages.end());
      free_memory(worker.pages);
    }
    return Status::ok();
  }

  void make_audit(const std::vector<Family>& families) {
    audit_.pages = pages_.size();
    boost::unordered_flat_map<uint64_t, AuditHost> hosts;
    for (const PageFacts& page : pages_) {
      AuditHost& host = hosts[page.host];
      if (host.pages++ == 0) host.host = page.host_name;
    }
    for (const Family& family : families) {
      for (const uint32_t id : family.pages) {
        const bool counts = id != family.stays;
        hosts[pages_[id].host].no_content += counts ? 1 : 0;
        audit_.no_content += counts ? 1 : 0;
      }
      audit_.families.push_back(public_family(family));
    }
    std::ranges::stable_sort(audit_.families, std::greater(),
                             [](const AuditFamily& family) { return family.urls.size(); });
    for (auto& [hash, host] : hosts) {
      if (host.no_content > 0) audit_.hosts.push_back(std::move(host));
    }
    std::ranges::sort(audit_.hosts, [](const AuditHost& a, const AuditHost& b) {
      return std::tie(b.no_content, a.host) < std::tie(a.no_content, b.host);
    });
  }

  AuditFamily public_family(const Family& family) const {
    AuditFamily out;
    out.kind = family.verdict.kind;
    out.score = family.verdict.score;
    out.reasons = family.verdict.reasons;
    out.sample = pages_[family.pages.front()].sample;
    std::map<std::string_view, uint64_t> hosts;
    std::map<std::string, uint64_t> patterns;
    for (const uint32_t id : family.pages) {
      const PageFacts& page = pages_[id];
      out.urls.push_back({std::string(page.url), id == family.stays});
      ++hosts[page.host_name];
      ++patterns[answers::read_address(page.url).pattern];
    }
    const auto most = [](const auto& a, const auto& b) { return a.second < b.second; };
    out.hosts = hosts.size();
    out.host = std::ranges::max_element(hosts, most)->first;
    out.pattern = std::ranges::max_element(patterns, most)->first;
    return out;
  }

  const AuditOptions& options_;
  const AuditInput input_;
  const Budget memory_;
  ThreadPool pool_;
  const ProgressCallback& progress_;
  std::deque<AuditWorker> workers_;
  std::vector<PageFacts> pages_;
  Audit audit_;
};

struct KindWords {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<KindWords, 9> kind_words = {{
    {"soft_404", "errors and empty lists, answered as pages"},
    {"login_wall", "only visitors who are logged in see more"},
    {"consent_wall", "cookies or an age are to be confirmed first"},
    {"bot_check", "visitors are to prove to be no robots, or are turned away"},
    {"parked", "hosts that are for sale, or show nothing yet"},
    {"empty_app", "frames of applications, which scripts fill"},
    {"redirect", "nothing but a way to another address"},
    {"calendar_trap", "calendars without entries"},
    {"session_trap", "a page under many addresses of one pattern"},
}};

}  // namespace

std::string_view name(NoContent kind) {
  return kind_words[static_cast<size_t>(kind)].name;
}
std::string_view meaning(NoContent kind) {
  return kind_words[static_cast<size_t>(kind)].meaning;
}

Status validate(const AuditOptions& options) {
  if (options.run.empty()) return Error{ErrorKind::usage, "run: name the directory of a run"};
  if (options.min_pages < 2) {
    return Error{ErrorKind::usage,
                 fmt::format("min_pages = {}: must be at least 2", options.min_pages)};
  }
  if (!(options.min_score >= 0.5 && options.min_score <= 10)) {
    return Error{ErrorKind::usage,
                 fmt::format("min_score = {}: must be in [0.5, 10]", options.min_score)};
  }
  return run::check_resources(options.memory, options.threads);
}

Result<Audit> audit_run(const AuditOptions& options, const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<Audit> {
    KITH_TRY(validate(options));
    const run::StoppingProgress stopping(progress);
    const ProgressCallback callback = stopping.callback();
    const bool is_dedup = is_dedup_run(options.run);
    KITH_ASSIGN(AuditInput input,
                is_dedup ? input_of_dedup(options) : input_of_cluster(options, options.run));
    return AuditJob(options, std::move(input), callback).run();
  });
}

std::string exclude_list(const Audit& audit) {
  std::string lines;
  for (const AuditFamily& family : audit.families) {
    for (const AuditUrl& url : family.urls) {
      if (url.stays || text::host_of(url.url).empty()) continue;
      lines += url.url;
      lines += '\n';
    }
  }
  return lines;
}

}  // namespace kith
