#include "run/pages.h"

#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/machine.h"
#include "base/parallel/thread_pool.h"
#include "run/guarded.h"
#include "run/page_filter.h"
#include "run/url_list.h"
#include "text/charset/charset.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::run {
namespace {

// Decides, in input order, which pages are taken: those with a URL of their own, by the rules of
// spelling, or a name in its place, a capture of each.
class ChosenCaptures {
 public:
  ChosenCaptures(CaptureChoice captures, text::UrlRules rules)
      : captures_(std::move(captures)), rules_(std::move(rules)) {}

  crawl::Admission operator()(std::string_view raw_url, int64_t time, bool is_name,
                              std::string& canonical_url) {
    const bool is_known =
        is_name ? text::parse_url_or_name(raw_url, url_) : text::parse_url(raw_url, nullptr, url_);
    if (!is_known) return crawl::Admission::bad_url;
    const crawl::Admission admission = captures_.choose(rewrite(rules_, url_), time);
    if (admission == crawl::Admission::accept) canonical_url = url_.href;
    return admission;
  }

 private:
  text::Url url_;
  CaptureChoice captures_;
  text::UrlRules rules_;
};

// Links are relative to the URL of a page before rules have rewritten it.
void set_base(const crawl::Page& page, text::HtmlText& html) {
  text::Url spelled;
  if (page.spelled.empty() || !text::parse_url(page.spelled, nullptr, spelled) ||
      spelled.href == page.url) {
    return;
  }
  text::Url base;
  const bool has_base = !html.base_href.empty() && text::parse_url(html.base_href, &spelled, base);
  html.base_href = has_base ? base.href : spelled.href;
}

// Of plain text a line is what a block element is of HTML.
void note_lines(text::HtmlText& page) {
  const std::string_view text = page.text;
  for (size_t at = text.find('\n');
       at != std::string_view::npos && page.block_bounds.size() < text::max_blocks;
       at = text.find('\n', at + 1)) {
    page.block_bounds.push_back(static_cast<uint32_t>(at + 1));
  }
}

}  // namespace

Result<crawl::CrawlOptions> crawl_options(const ReadOptions& options) {
  crawl::CrawlOptions crawl;
  crawl.inputs = options.inputs;
  crawl.base_url = options.base_url;
  crawl.max_page = options.max_page;
  KITH_ASSIGN(crawl.status, crawl::StatusSet::parse(options.status));
  crawl.strict = options.strict;
  KITH_ASSIGN(PageFilter filter, PageFilter::parse(options));
  if (!filter.takes_all()) {
    crawl.filter = [filter = std::move(filter)](const crawl::Page& page) {
      return filter.takes(page);
    };
  }
  if (!options.exclude_list.empty()) {
    KITH_ASSIGN(const std::shared_ptr<UrlList> left_out,
                UrlList::read(options.exclude_list, text::UrlRules::of_valid(options.url_rules)));
    crawl.filter = [left_out, filter = std::move(crawl.filter)](const crawl::Page& page) {
      return !left_out->take(page.url, false) && (!filter || filter(page));
    };
  }
  if (!options.only.empty()) {
    KITH_ASSIGN(const std::shared_ptr<UrlList> only,
                UrlList::read(options.only, text::UrlRules::of_valid(options.url_rules)));
    crawl.filter = [only, filter = std::move(crawl.filter)](const crawl::Page& page) {
      const bool is_page = page.kind != crawl::PageKind::redirect;
      return only->take(page.url, is_page) && (!filter || filter(page));
    };
    crawl.named = [only] { return crawl::NamedUrls{only->named(), only->found()}; };
  }
  crawl.fields = crawl::RowFields(options);
  crawl.tables = options.tables;
  return crawl;
}

Result<crawl::PageReader> open_pages(const ReadOptions& options, CaptureChoice captures,
                                     crawl::Share share, uint64_t decoded_bytes) {
  KITH_ASSIGN(crawl::CrawlOptions crawl, crawl_options(options));
  crawl.share = share;
  if (decoded_bytes > 0) crawl.decoded_bytes = decoded_bytes;
  KITH_ASSIGN(text::UrlRules rules, text::UrlRules::parse(options.url_rules));
  return crawl::PageReader::open(crawl, ChosenCaptures(std::move(captures), std::move(rules)));
}

Result<crawl::PageReader> open_pages(const ReadOptions& options, PageKeys& keys, crawl::Share share,
                                     uint64_t decoded_bytes, PageChoice choice) {
  return open_pages(options, CaptureChoice(keys, choice), share, decoded_bytes);
}

Status read_pages(crawl::PageReader& reader, const ReadingBudget& budget, ThreadPool& pool,
                  const ProgressCallback& progress, const AddPage& add,
                  const ForgetBuffers& forget) {
  FirstError error;
  std::mutex large;
  const auto add_page = [&](unsigned worker, const crawl::PageBatch& batch,
                            const crawl::Page& page) -> Status {
    if (page.body.size() <= budget.page) return add(worker, batch, page);
    const std::lock_guard lock(large);
    Status status = add(worker, batch, page);
    forget(worker);
    give_back_free_memory();
    return status;
  };
  const auto work = [&](unsigned worker) -> Status {
    if (worker >= budget.workers) return Status::ok();
    crawl::PageBatch batch;
    while (!error.failed()) {
      KITH_ASSIGN(const bool more, reader.next(batch));
      if (!more) break;
      for (const crawl::Page& page : batch.pages) KITH_TRY(add_page(worker, batch, page));
      if (!batch.rest && batch.shrink(budget.buffers)) give_back_free_memory();
      if (worker == 0 && progress) {
        progress({"read", static_cast<double>(reader.bytes_done()),
                  static_cast<double>(reader.bytes_total()), "bytes"});
      }
    }
    return Status::ok();
  };
  // The worker that tells of the rest may find nothing left to read.
  if (progress) progress({"read", 0, static_cast<double>(reader.bytes_total()), "bytes"});
  pool.run([&](unsigned worker) { error.keep(guarded([&] { return work(worker); })); });
  return error.status();
}

Status add_captures(crawl::PageReader& reader, const PageKeys& keys, const Budget& memory,
                    ThreadPool& pool, const ProgressCallback& progress) {
  FirstError error;
  if (progress) progress({"captures", 0, static_cast<double>(reader.bytes_total()), "bytes"});
  pool.run([&](unsigned worker) {
    error.keep(guarded([&]() -> Status {
      crawl::PageBatch batch;
      for (bool more = true; more && !error.failed();) {
        KITH_ASSIGN(more, reader.next(batch));
        KITH_TRY(check_pages(memory, keys.size()));
        if (worker == 0 && progress) {
          progress({"captures", static_cast<double>(reader.bytes_done()),
                    static_cast<double>(reader.bytes_total()), "bytes"});
        }
      }
      return Status::ok();
    }));
  });
  return error.status();
}

Error needs_files() {
  return {ErrorKind::usage,
          "captures = first or last: to choose by dates all is read twice, which a pipe cannot be; "
          "write it to a file"};
}

CrawlCounts counts_of(const crawl::CrawlReport& report) {
  CrawlCounts counts;
  static_cast<PageCounts&>(counts) = report;
  for (size_t kind = 0; kind < std::size(report.skipped); ++kind) {
    if (report.skipped[kind] == 0) continue;
    counts.skipped.emplace_back(crawl::skip_name(static_cast<crawl::Skip>(kind)),
                                report.skipped[kind]);
  }
  for (size_t kind = 0; kind < report.left_out.size(); ++kind) {
    if (report.left_out[kind] == 0) continue;
    counts.left_out.emplace_back(crawl::left_out_name(static_cast<crawl::LeftOut>(kind)),
                                 report.left_out[kind]);
  }
  counts.named = report.urls.named;
  counts.found = report.urls.found;
  for (const crawl::SkipExample& example : report.examples) {
    counts.examples.push_back({std::string(crawl::skip_name(example.kind)), example.file,
                               example.offset, example.reason});
  }
  counts.rows = report.rows;
  return counts;
}

const text::HtmlText& PageText::read(const crawl::Page& page) {
  KITH_CHECK(page.kind != crawl::PageKind::redirect);
  if (page.kind == crawl::PageKind::wat) {
    charset_ = "UTF-8";
    wat_.read(page.body, text_);
    set_base(page, text_);
    return text_;
  }
  const bool is_html = page.kind == crawl::PageKind::html;
  const text::Utf8Text utf8 = text::to_utf8(page.body, page.charset, is_html, utf8_buffer_);
  charset_ = utf8.charset;
  if (is_html) {
    text::extract_html(utf8.bytes, text_);
    set_base(page, text_);
  } else {
    text_.clear();
    text_.text = utf8.bytes;
    note_lines(text_);
  }
  return text_;
}

}  // namespace kith::run
