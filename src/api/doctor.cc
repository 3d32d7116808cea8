// What an input is, and what would be read of it.
#include "kith/doctor.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "kith/pages.h"

#include "base/bytes.h"
#include "base/json_walk.h"
#include "crawl/read/inputs.h"
#include "run/guarded.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::api {
namespace {

constexpr size_t max_samples = 3;
constexpr size_t max_beginning = 160;
constexpr uint64_t few_words = 5;
// Stands for the URL of a folder of HTML, where none is given.
constexpr const char* any_base_url = "http://base-url.invalid/";

using Counter = std::map<std::string, uint64_t, std::less<>>;

PageShares shares_of(const Counter& counter) {
  PageShares shares(counter.begin(), counter.end());
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PageShares::value_type::second);
  return shares;
}

std::string_view format_name(crawl::FileFormat format) {
  return word_of(format, {"WARC", "ARC", "JSON lines", "CSV", "table", "HTML", "text"});
}

// What is known of the pages of an input while it is read.
class Examination {
 public:
  explicit Examination(Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  void add(const CrawledPage& page) {
    ++statuses_[page.status == 0 ? "none" : fmt::format("{}", page.status)];
    ++media_types_[to_ascii_lower(page.media_type)];
    ++languages_[page.language];
    ++charsets_[page.charset];
    ++hosts_[std::string(text::host_of(page.url))];
    if (!page.date.empty()) {
      diagnosis_.first_date =
          diagnosis_.dated == 0 ? page.date : std::min(diagnosis_.first_date, page.date);
      diagnosis_.last_date = std::max(diagnosis_.last_date, page.date);
      ++diagnosis_.dated;
    }
    diagnosis_.untitled += page.title.empty() ? 1 : 0;
    diagnosis_.short_texts += page.word_count < few_words ? 1 : 0;
    if (diagnosis_.samples.size() >= max_samples) return;
    diagnosis_.samples.push_back(
        {page.url, page.title, std::string(cut_utf8(page.text, max_beginning))});
  }

  void finish(const CrawlCounts& counts) {
    diagnosis_.crawl = counts;
    diagnosis_.statuses = shares_of(statuses_);
    diagnosis_.media_types = shares_of(media_types_);
    diagnosis_.languages = shares_of(languages_);
    diagnosis_.charsets = shares_of(charsets_);
    diagnosis_.hosts = shares_of(hosts_);
  }

 private:
  Diagnosis& diagnosis_;
  Counter statuses_;
  Counter media_types_;
  Counter languages_;
  Counter charsets_;
  Counter hosts_;
};

uint64_t skipped(const CrawlCounts& crawl, std::string_view kind) {
  const auto found =
      std::ranges::find(crawl.skipped, kind, &std::pair<std::string, uint64_t>::first);
  return found == crawl.skipped.end() ? 0 : found->second;
}

// ": FILE:OFFSET: reason" of the first record that was skipped for that; empty without one.
std::string first_example(const CrawlCounts& crawl, std::string_view kind) {
  const auto found = std::ranges::find(crawl.examples, kind, &SkippedRecord::kind);
  if (found == crawl.examples.end()) return {};
  return fmt::format("; the first: {}:{}: {}", found->file, found->offset, found->reason);
}

std::string counted(uint64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

void remark_on_records(Diagnosis& diagnosis) {
  const CrawlCounts& crawl = diagnosis.crawl;
  const auto remark = [&](uint64_t number, std::string_view one, std::string_view what) {
    if (number > 0) diagnosis.remarks.push_back(fmt::format("{} {}", counted(number, one), what));
  };
  remark(skipped(crawl, "damaged"), "damaged record",
         "passed over" + first_example(crawl, "damaged"));
  remark(skipped(crawl, "bad_url"), "record",
         "without a usable URL, which only 'kith dedup' reads" + first_example(crawl, "bad_url"));
  remark(skipped(crawl, "status"), "record",
         "of another HTTP status: `status` says which are read");
  remark(skipped(crawl, "empty"), "record", "without text");
  remark(skipped(crawl, "duplicate"), "other capture", "of a URL: one of them counts");
  remark(skipped(crawl, "joined"), "capture", "under another spelling of a URL, by `url_rules`");
  remark(skipped(crawl, "filtered"), "page", "left out by a filter or a list");
  remark(crawl.cut_pages, "page", "cut: longer than `max_page`, or cut by the archive");
  remark(crawl.short_pages, "page", "whose payload, or file, ends early");
  remark(crawl.mended_lines, "line", "of JSON with bytes that are not UTF-8");
  remark(crawl.bare_responses, "record", "without an HTTP head");
}

void remark_on_pages(Diagnosis& diagnosis) {
  const uint64_t pages = diagnosis.crawl.pages;
  const auto remark = [&](std::string text) { diagnosis.remarks.push_back(std::move(text)); };
  if (diagnosis.short_texts > 0) {
    remark(fmt::format("{} of fewer than {} words", counted(diagnosis.short_texts, "page"),
                       few_words));
  }
  if (pages > 1 && diagnosis.untitled == pages) remark("no page has a title");
  const auto other =
      std::ranges::find(diagnosis.languages, "other", &PageShares::value_type::first);
  if (other != diagnosis.languages.end() && 2 * other->second > pages) {
    remark("most pages are in no language that words are stemmed of; `language` names one for all");
  }
  if (!diagnosis.is_whole) remark("the rest was not looked at: `sample` says how much is read");
}

// The formats of all files, by a look at their beginnings.
Status look_at_files(const ReadOptions& options, Diagnosis& diagnosis) {
  if (options.inputs.front() == "-") return Status::ok();
  KITH_ASSIGN(const crawl::CrawlOptions crawl, run::crawl_options(options));
  KITH_ASSIGN(const crawl::InputList list, crawl::find_inputs(crawl));
  Counter formats;
  for (const crawl::InputFile& file : list.files) {
    std::string name(format_name(file.format));
    if (file.codec) name += fmt::format(", {}", crawl::file_codec(*file.codec).name);
    ++formats[name];
    diagnosis.bytes += file.size;
  }
  diagnosis.files = list.files.size();
  diagnosis.formats = shares_of(formats);
  return Status::ok();
}

Status read(const ReadOptions& options, uint64_t sample, Diagnosis& diagnosis) {
  KITH_TRY(look_at_files(options, diagnosis));
  KITH_ASSIGN(PageReader reader, PageReader::open(options, false));
  Examination examination(diagnosis);
  std::optional<CrawlCounts> counts;  // with all pages that were read together with the last ones
  for (uint64_t pages = 0; !counts || pages < counts->pages; ++pages) {
    KITH_ASSIGN(const std::optional<CrawledPage> page, reader.next());
    if (!page) break;
    examination.add(*page);
    if (!counts && reader.bytes_done() >= sample) counts = reader.counts();
  }
  diagnosis.bytes_read = reader.bytes_done();
  if (counts) {
    KITH_ASSIGN(const std::optional<CrawledPage> further, reader.next());
    diagnosis.is_whole = !further;
  }
  examination.finish(counts ? *counts : reader.counts());
  return Status::ok();
}

Diagnosis diagnose_one(ReadOptions options, const std::string& input, uint64_t sample) {
  Diagnosis diagnosis;
  diagnosis.input = input;
  options.inputs = {input};
  Status status = read(options, sample, diagnosis);
  if (!status && status.error().kind == ErrorKind::usage && options.base_url.empty()) {
    const std::string problem = status.error().message;
    options.base_url = any_base_url;
    diagnosis = {};
    diagnosis.input = input;
    status = read(options, sample, diagnosis);
    if (status) diagnosis.remarks.push_back(problem);
  }
  if (!status) {
    diagnosis.problem = status.error().message;
    return diagnosis;
  }
  if (diagnosis.crawl.pages == 0) diagnosis.problem = "nothing to read: there is no page";
  remark_on_records(diagnosis);
  if (diagnosis.crawl.pages > 0) remark_on_pages(diagnosis);
  return diagnosis;
}

}  // namespace
}  // namespace kith::api

namespace kith {

Result<std::vector<Diagnosis>> diagnose(const DoctorOptions& options) {
  KITH_TRY(validate(options));
  if (options.sample == 0) return Error{ErrorKind::usage, "sample = 0: must be above 0"};
  std::vector<Diagnosis> all;
  const Status done = run::guarded([&]() -> Status {
    for (const std::string& input : options.inputs) {
      all.push_back(api::diagnose_one(options, input, options.sample));
    }
    return Status::ok();
  });
  KITH_TRY(done);
  return all;
}

}  // namespace kith
