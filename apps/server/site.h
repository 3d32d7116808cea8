// What the server answers: which path is which question, and to whom.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/kith.h"
#include "kith/status.h"

#include "server/api.h"
#include "server/http_server.h"
#include "server/message.h"

namespace kith::server {

// The body of POST /api/documents: pages for a stream, part by part.

// What stops an answer before all lines are taken.
struct Problem {
  unsigned status = 500;
  std::string message;
};

struct LineOptions {
  uint64_t most_answer = 16 << 20;  // bytes; where the answer has them, no further part is taken
  std::function<Problem(const Error& error)> problem_of;
};

// Gives the lines to the stream in parts, between which others may ask it and give it pages. The
// answer has the decisions of all lines that were taken, and where these are not all of them says
// how many they are, and why: it would be too long (413), or problem_of(error).
Response add_documents(StreamService& stream, std::string_view lines, const LineOptions& options);
// The same, but nothing is added: what each page is similar to.
Response preview_documents(const StreamService& stream, std::string_view lines,
                           const LineOptions& options);

struct SiteOptions {
  // Runs of kith cluster and kith dedup; named by the end of their paths.
  std::vector<std::string> directories;
  std::string stream;  // the folder of a stream that takes pages as well; empty: none
  // What a POST must bring; empty: nothing.
  std::string token;
  // A request must name one of these hosts, whatever its port; empty: any. A page of a stranger
  // could otherwise read a server on this machine under a name of its own (DNS rebinding).
  std::vector<std::string> hosts;
  // Bytes of requests and their answers (ServerOptions::memory), of which one may take a part; and
  // of the stream.
  uint64_t memory = 256 << 20;
  uint64_t stream_memory = 0;  // 0: StreamServiceOptions::memory
  // Of an archive that replays pages: what its addresses have before the date and the URL of a
  // page. Links of the web page lead there; empty: to the pages themselves.
  std::string replay;
  // What went wrong with a run, which clients are not told; called on several threads at a time.
  std::function<void(const std::string& message)> note;
};

struct NamedRun {
  std::string name;
  std::optional<ClusterApi> cluster;  // one of these
  std::optional<DedupApi> dedup;
  mutable std::once_flag is_reported;
  mutable std::optional<Result<Json>> report;
};

// Thread-safe.
class Site : public Handler {
 public:
  static Result<std::unique_ptr<Site>> open(const SiteOptions& options);

  Response answer(const Request& request) override;
  Needs needs(const Request& head) const override;

  // Keeps the state of the stream. Behind it no page is taken.
  Status close();

  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  // Reads what a question for an unknown URL reads for the first time: all URLs of the runs.
  Status warm_up() const;

 private:
  explicit Site(const SiteOptions& options) : options_(options) {}

  Response get(const Request& request, const Target& target);
  Response post(const Request& request, const Target& target);
  Response documents(const Request& request, const Target& target);
  Problem problem_of(const Error& error) const;
  Response refusal(const Error& error) const;
  Result<Json> ask(const Target& target, std::string_view& route) const;
  // `kind`: of the job that has made the run; empty: any.
  Result<const NamedRun*> run_of(const Target& target, std::string_view kind) const;
  Json runs() const;
  std::optional<Response> refuse_host(const std::string& host) const;
  uint64_t most_documents() const;
  uint64_t most_answer() const;

  SiteOptions options_;
  std::deque<NamedRun> runs_;
  std::optional<StreamService> stream_;
  Metrics metrics_;
};

}  // namespace kith::server
