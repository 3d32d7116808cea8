#include "server/serve.h"

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "server/api.h"

namespace kith::server {
namespace {

// A line for every request. Thread-safe.
class AccessLog {
 public:
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path) {
    auto log = std::make_unique<AccessLog>();
    if (path.empty()) return log;
    log->file_ = path == "-" ? stdout : std::fopen(path.c_str(), "ae");
    log->is_own_ = path != "-";
    if (log->file_ == nullptr) {
      return Error{ErrorKind::io, fmt::format("--access-log {}: cannot be written", path)};
    }
    return log;
  }
  AccessLog() = default;
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;
  ~AccessLog() {
    if (file_ != nullptr && is_own_) std::fclose(file_);
  }

  void add(const Exchange& of) {
    if (file_ == nullptr) return;
    const auto now = std::chrono::system_clock::now();
    const Json line{
        {"time",
         fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::floor<std::chrono::seconds>(now)))},
        {"remote", of.remote},
        {"method", of.method},
        {"target", of.target},
        {"status", of.status},
        {"bytes", of.bytes},
        {"seconds", of.seconds}};
    const std::string text = line.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
    const std::lock_guard lock(mutex_);
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
  }

 private:
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  bool is_own_ = false;
};

// Who gives pages changes what others are told: on an address that others reach only who has the
// token may.
Result<std::string> token_of(const ServeOptions& options) {
  if (options.token_file.empty()) {
    if (options.site.stream.empty() || is_loopback(options.address)) return std::string();
    return Error{ErrorKind::usage,
                 fmt::format("--address {} is open to others: --stream needs --token-file, a file "
                             "whose first line pages must be given with",
                             options.address)};
  }
  errno = 0;
  std::ifstream file(options.token_file);
  if (!file.is_open()) {
    return Error{ErrorKind::not_found,
                 fmt::format("cannot open {}: {}", options.token_file, std::strerror(errno))};
  }
  std::string token;
  std::getline(file, token);
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) {
    token.pop_back();
  }
  constexpr size_t least = 16;
  if (token.size() >= least) return token;
  return Error{ErrorKind::usage,
               fmt::format("--token-file {}: its first line must have {} characters or more",
                           options.token_file, least)};
}

// The options with the memory divided.
Result<ServeOptions> with_shares(ServeOptions options) {
  const bool has_stream = !options.site.stream.empty();
  const uint64_t least = has_stream ? 128 << 20 : 64 << 20;
  if (options.memory != 0 && options.memory < least) {
    return Error{ErrorKind::usage, fmt::format("--memory {}: must be at least {}", options.memory,
                                               has_stream ? "128M with --stream" : "64M")};
  }
  if (options.threads > 1024) {
    return Error{ErrorKind::usage,
                 fmt::format("--threads {}: must be at most 1024", options.threads)};
  }
  const uint64_t memory = options.memory != 0 ? options.memory : usual_memory();
  options.memory = options.site.memory = memory / 4;
  options.site.stream_memory = memory - options.memory;
  return options;
}

void warm_up(const Site& site, const std::function<void(const std::string&)>& note) {
  try {
    const Status sound = site.warm_up();
    if (!sound) note(sound.error().message);
  } catch (...) {
    // Memory is short now; the question that needs it will find out.
    return;
  }
}

std::string url_of(const std::string& address, uint16_t port) {
  const bool is_six = address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", is_six ? "[" : "", address, is_six ? "]" : "", port);
}

}  // namespace

Status serve_runs(const ServeOptions& asked,
                  const std::function<void(const std::string&)>& listening,
                  const std::function<void(const std::string&)>& note) {
  KITH_ASSIGN(ServeOptions options, with_shares(asked));
  KITH_ASSIGN(const auto log, AccessLog::open(options.access_log));
  SiteOptions& site_options = options.site;
  if (is_loopback(options.address) && site_options.hosts.empty()) {
    const bool is_six = options.address.find(':') != std::string::npos;
    site_options.hosts = {"localhost", "127.0.0.1", "[::1]",
                          is_six ? "[" + options.address + "]" : options.address};
  }
  site_options.note = note;
  KITH_ASSIGN(site_options.token, token_of(options));
  KITH_ASSIGN(const std::unique_ptr<Site> site, Site::open(site_options));
  std::thread warming;
  ServerCallbacks callbacks;
  callbacks.listening = [&](uint16_t port) {
    listening(url_of(options.address, port));
    try {
      warming = std::thread([&] { warm_up(*site, note); });
    } catch (const std::system_error&) {
      // Without a thread for it the first question takes longer.
      return;
    }
  };
  callbacks.answered = [&](const Exchange& exchange) {
    site->metrics().count(exchange.route, exchange.status, exchange.seconds, exchange.bytes);
    log->add(exchange);
  };
  callbacks.failed = [&](std::string_view what) { note(fmt::format("kith serve: {}", what)); };
  Status status = serve(options, *site, callbacks);
  if (warming.joinable()) warming.join();
  KITH_TRY(site->close());
  return status;
}

}  // namespace kith::server
