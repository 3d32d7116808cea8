#include "jobs/stream/page_input.h"

#include <chrono>

namespace kith::jobs {

int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

StreamPage PageInput::read(const crawl::Page& page) {
  StreamPage next;
  next.name = text::parse_url(page.url, nullptr, url_) ? url_.href : page.url;
  next.time_ms = page.time ? *page.time : now_ms();
  if (page.kind == crawl::PageKind::removal || page.is_cut) return next;
  const text::HtmlText& html = text_.read(page);
  next.text = html.text;
  next.title = page.title.empty() ? std::string_view(html.title) : page.title;
  next.language = language_.empty() ? std::string_view(html.language) : language_;
  return next;
}

}  // namespace kith::jobs
