#include "synthetic/crawl_stream.h"

#include <iterator>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/hash.h"

namespace kith::synthetic {
namespace {

constexpr uint64_t max_pages = 100'000'000;

// The seconds of a day into which the captures fall.
constexpr uint64_t seconds_per_day = 86'400;

void add_uuid(uint64_t key, std::string& out) {
  const uint64_t high = mix64(key);
  const uint64_t low = mix64(high + 1);
  fmt::format_to(std::back_inserter(out), "<urn:uuid:{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}>",
                 high >> 32, high >> 16 & 0xffff, high & 0xfff, low >> 48 & 0xfff,
                 low & 0xffff'ffff'ffff);
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

}  // namespace

Status validate(const CrawlOptions& options) {
  const auto usage = [](std::string message) {
    return Error{ErrorKind::usage, std::move(message)};
  };
  if (options.pages > max_pages) {
    return usage(fmt::format("--pages {}: must be at most {}", options.pages, max_pages));
  }
  if (!(options.words >= 1 && options.words <= 5000)) {
    return usage(fmt::format("--words {}: must be between 1 and 5000", options.words));
  }
  if (!(options.unfetched >= 0 && options.unfetched <= 10)) {
    return usage(fmt::format("--unfetched {}: must be between 0 and 10", options.unfetched));
  }
  for (const double share :
       {options.duplicate_share, options.near_share, options.family_share, options.redirect_share,
        options.duplicate_share + options.near_share}) {
    if (!is_share(share)) return usage(fmt::format("{}: a share is between 0 and 1", share));
  }
  return Status::ok();
}

CrawlStream::CrawlStream(const CrawlOptions& options, uint64_t shard, uint64_t shards)
    : options_(options), writer_(options), needs_info_(shard == 1) {
  if (options.pages == 0) return;
  offset_ = draw_key(options.seed, of_order, 0) % options.pages;
  step_ = 1 + draw_key(options.seed, of_order, 1) % options.pages;
  while (std::gcd(step_, options.pages) > 1) ++step_;
  turn_ = options.pages * (shard - 1) / shards;
  end_ = options.pages * shard / shards;
}

// A linear congruence over all pages; the products stay below 2^54.
uint64_t CrawlStream::page_at(uint64_t turn) const {
  return (offset_ + turn * step_) % options_.pages;
}

void CrawlStream::add_info(std::string& out) {
  constexpr std::string_view fields =
      "software: kith synthetic_crawl\r\nformat: WARC File Format 1.0\r\n";
  out += "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T00:00:00Z\r\nWARC-Record-ID: ";
  add_uuid(draw_key(options_.seed, of_record, UINT64_MAX), out);
  fmt::format_to(
      std::back_inserter(out),
      "\r\nContent-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{}\r\n\r\n",
      fields.size(), fields);
  ++counts_.records;
}

void CrawlStream::add_record(std::string_view url, std::string_view head, std::string_view body,
                             uint64_t key, std::string& out) {
  const uint64_t second = key % seconds_per_day;
  out += "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ";
  out += url;
  fmt::format_to(std::back_inserter(out),
                 "\r\nWARC-Date: 2024-05-01T{:02}:{:02}:{:02}Z\r\nWARC-Record-ID: ", second / 3600,
                 second / 60 % 60, second % 60);
  add_uuid(key, out);
  fmt::format_to(
      std::back_inserter(out),
      "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
      head.size() + body.size());
  out += head;
  out += body;
  out += "\r\n\r\n";
  ++counts_.records;
}

bool CrawlStream::next(std::string& out) {
  if (needs_info_) add_info(out);
  needs_info_ = false;
  if (turn_ == end_) return false;
  const uint64_t page = page_at(turn_++);
  const Place place = writer_.sites().place(page);
  url_.clear();
  writer_.sites().add_origin(place.site, url_);
  if (writer_.sites().has_old_url(place)) {
    old_url_ = url_;
    writer_.sites().add_old_path(place, old_url_);
    head_.clear();
    fmt::format_to(std::back_inserter(head_),
                   "HTTP/1.1 301 Moved Permanently\r\nServer: nginx\r\nLocation: {}", url_);
    writer_.sites().add_path(place, head_);
    head_ += "\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n";
    add_record(old_url_, head_, {}, draw_key(options_.seed, of_record, page * 2 + 1), out);
    ++counts_.redirects;
  }
  writer_.sites().add_path(place, url_);
  const std::string_view html = writer_.html(place);
  head_.clear();
  fmt::format_to(std::back_inserter(head_),
                 "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html; charset=utf-8\r\n"
                 "Cache-Control: max-age=3600\r\nContent-Length: {}\r\n\r\n",
                 html.size());
  add_record(url_, head_, html, draw_key(options_.seed, of_record, page * 2), out);
  ++counts_.pages;
  counts_.links += writer_.links();
  counts_.page_bytes += html.size();
  return true;
}

}  // namespace kith::synthetic
