#include "server/workers.h"

#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "kith/version.h"

namespace kith::server {

Result<std::unique_ptr<Workers>> Workers::start(unsigned threads) {
  std::unique_ptr<Workers> workers(new Workers);
  // Where address space is short, threads must not take what answers need.
  constexpr size_t bytes_of_answers = 256 << 20;
  workers->kept_.reset(new (std::nothrow) char[bytes_of_answers]);
  const auto start_in = [&](Lane lane) { return workers->start(workers->queue_of(lane)); };
  for (const Lane lane : {Lane::write, Lane::quick, Lane::slow}) KITH_TRY(start_in(lane));
  for (unsigned i = 1; i < threads; ++i) {
    if (!start_in(Lane::quick) || !start_in(Lane::slow)) break;
  }
  workers->kept_.reset();
  return workers;
}

Status Workers::start(Queue& queue) {
  try {
    queue.threads.emplace_back([this, &queue] { work(queue); });
    return Status::ok();
  } catch (const std::system_error& error) {
    return Error{ErrorKind::memory,
                 fmt::format("no thread can be started ({}): give the server more threads or "
                             "memory (ulimit -u, -v, or the limits of its control group)",
                             error.what())};
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  for (Queue& queue : queues_) queue.has_job.notify_all();
  for (Queue& queue : queues_) {
    for (std::thread& thread : queue.threads) thread.join();
  }
}

void Workers::add(Lane lane, std::function<void()> job) {
  Queue& queue = queue_of(lane);
  {
    const std::lock_guard lock(mutex_);
    queue.jobs.push_back(std::move(job));
  }
  queue.has_job.notify_one();
}

void Workers::work(Queue& queue) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      queue.has_job.wait(lock, [&] { return is_ending_ || !queue.jobs.empty(); });
      if (is_ending_) return;
      job = std::move(queue.jobs.front());
      queue.jobs.pop_front();
    }
    job();
  }
}

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
