#include "metrics.h"

#include <iterator>

#include <fmt/format.h>

#include "kith/version.h"

namespace kith::server {

void Metrics::count(std::string_view route, unsigned status, double seconds, uint64_t bytes) {
  const std::string name(route);
  const std::lock_guard lock(mutex_);
  ++requests_[{name, status}];
  Times& times = times_[name];
  for (size_t i = 0; i < bounds.size(); ++i) times.below[i] += seconds <= bounds[i] ? 1 : 0;
  ++times.requests;
  times.seconds += seconds;
  times.bytes += bytes;
}

std::string Metrics::text() const {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::lock_guard lock(mutex_);
  fmt::format_to(out, "# HELP kith_info The version of kith.\n# TYPE kith_info gauge\n");
  fmt::format_to(out, "kith_info{{version=\"{}\"}} 1\n", version());
  fmt::format_to(out,
                 "# HELP kith_requests_total Requests that were answered.\n"
                 "# TYPE kith_requests_total counter\n");
  for (const auto& [key, count] : requests_) {
    fmt::format_to(out, "kith_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                   key.second, count);
  }
  fmt::format_to(out,
                 "# HELP kith_response_bytes_total Bytes of the bodies of answers.\n"
                 "# TYPE kith_response_bytes_total counter\n");
  for (const auto& [route, times] : times_) {
    fmt::format_to(out, "kith_response_bytes_total{{route=\"{}\"}} {}\n", route, times.bytes);
  }
  fmt::format_to(out,
                 "# HELP kith_request_seconds Time to make an answer.\n"
                 "# TYPE kith_request_seconds histogram\n");
  for (const auto& [route, times] : times_) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      fmt::format_to(out, "kith_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                     bounds[i], times.below[i]);
    }
    fmt::format_to(out, "kith_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route,
                   times.requests);
    fmt::format_to(out, "kith_request_seconds_sum{{route=\"{}\"}} {}\n", route, times.seconds);
    fmt::format_to(out, "kith_request_seconds_count{{route=\"{}\"}} {}\n", route, times.requests);
  }
  return text;
}

}  // namespace kith::server
