// Counts of requests, as Prometheus reads them (text exposition format 0.0.4).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kith::server {

// Thread-safe.
class Metrics {
 public:
  void count(std::string_view route, unsigned status, double seconds, uint64_t bytes);
  std::string text() const;

 private:
  // Upper bounds of the buckets of times, in seconds.
  static constexpr std::array<double, 10> bounds{.0001, .00025, .0005, .001, .0025,
                                                 .005,  .01,    .05,   .25,  1};
  struct Times {
    std::array<uint64_t, bounds.size()> below{};
    uint64_t requests = 0;
    double seconds = 0;
    uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, unsigned>, uint64_t> requests_;  // by route and status
  std::map<std::string, Times> times_;                             // by route
};

}  // namespace kith::server
