#include "run/captures.h"

namespace kith::run {

CaptureKeys rewrite(const text::UrlRules& rules, text::Url& url) {
  if (rules.empty()) return {hash128(url.href), {}};
  CaptureKeys keys;
  keys.spelling = hash128(" " + url.href);  // no URL
  rules.apply(url);
  keys.url = hash128(url.href);
  return keys;
}

CaptureChoice::CaptureChoice(PageKeys& keys, PageChoice choice) {
  if (choice == PageChoice::add) {
    take_ = [&keys](const Key128& url, int64_t time) { return keys.add(url, time); };
  } else {
    take_ = [&keys](const Key128& url, int64_t time) { return keys.take(url, time); };
  }
}

crawl::Admission CaptureChoice::choose(const CaptureKeys& capture, int64_t time) {
  const bool is_new_spelling = capture.spelling && take_(*capture.spelling, no_time);
  if (take_(capture.url, time)) return crawl::Admission::accept;
  return is_new_spelling ? crawl::Admission::joined : crawl::Admission::duplicate;
}

}  // namespace kith::run
