#include "site.h"

#include <algorithm>
#include <functional>
#include <new>

#include <fmt/format.h>

#include "embedded.h"
#include "file_name.h"
#include "page.h"
#include "search.h"
#include "stream_json.h"

namespace kith::server {
namespace {

constexpr std::string_view topic_prefix = "/api/topic/";
constexpr std::string_view documents_path = "/api/documents";
constexpr std::string_view cluster_kind = "cluster";
constexpr std::string_view dedup_kind = "dedup";
constexpr uint64_t usual_max_body = 1 << 20;
constexpr uint64_t most_documents = 64 << 20;

unsigned status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 400;
    case ErrorKind::not_found:
      return 404;
    default:
      return 500;
  }
}

// What is written of a value; a title may have bytes that are no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Response json_response(unsigned status, const Json& json) {
  Response response;
  response.status = status;
  response.body = text_of(json);
  return response;
}

Response error_response(unsigned status, std::string_view message) {
  return json_response(status, {{"error", {{"status", status}, {"message", message}}}});
}

Response wrong_method(std::string_view allowed) {
  Response response = error_response(405, fmt::format("this path takes {}", allowed));
  response.fields.emplace_back("Allow", allowed);
  return response;
}

std::string_view kind_of(bool is_cluster) {
  return is_cluster ? cluster_kind : dedup_kind;
}

}  // namespace

Result<std::unique_ptr<Site>> Site::open(const SiteOptions& options) {
  std::unique_ptr<Site> site(new Site(options));
  for (const std::string& directory : options.directories) {
    std::string name = file_name_of(directory);
    const auto is_taken = [&](const std::string& wanted) {
      return std::ranges::any_of(site->runs_,
                                 [&](const NamedRun& run) { return run.name == wanted; });
    };
    for (int number = 2; is_taken(name); ++number) {
      name = fmt::format("{}-{}", file_name_of(directory), number);
    }
    NamedRun& run = site->runs_.emplace_back();
    run.name = std::move(name);
    if (is_dedup_run(directory)) {
      KITH_ASSIGN(run.dedup, DedupApi::open(directory));
    } else {
      KITH_ASSIGN(run.cluster, ClusterApi::open(directory));
    }
  }
  if (!options.stream.empty()) {
    KITH_ASSIGN(site->stream_, StreamService::open({.directory = options.stream}));
  }
  return site;
}

// Before a run says that it does not know a URL it compares its list of URLs with the checksums; a
// run of dedup looks at all names before it knows one.
Status Site::warm_up() const {
  constexpr std::string_view unknown = "http://kith.invalid/";
  for (const NamedRun& run : runs_) {
    const Status found = run.cluster ? run.cluster->run().find(unknown).status()
                                     : run.dedup->run().find(unknown).status();
    if (!found && found.error().kind != ErrorKind::not_found) return found.error();
  }
  return Status::ok();
}

Status Site::close() {
  return stream_ ? stream_->snapshot() : Status::ok();
}

// Nobody fills the memory who may not give pages.
uint64_t Site::max_body(const Request& head) const {
  const bool is_for_documents = head.target.starts_with(documents_path);
  return is_for_documents && stream_ && is_allowed(head) ? most_documents : usual_max_body;
}

// Takes as long for any wrong token of its length.
bool Site::is_allowed(const Request& request) const {
  if (options_.token.empty()) return true;
  const std::string expected = "Bearer " + options_.token;
  if (request.authorization.size() != expected.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference |= static_cast<unsigned char>(request.authorization[i] ^ expected[i]);
  }
  return difference == 0;
}

bool Site::is_host(std::string_view host) const {
  if (options_.hosts.empty()) return true;
  // An IPv6 address stands in brackets, which a port may follow.
  const size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  return std::ranges::find(options_.hosts, host) != options_.hosts.end();
}

Response Site::answer(const Request& request) {
  // Nothing that a stranger sends may end the server; memory may be short for a moment.
  try {
    if (!is_host(request.host)) {
      return error_response(421, "this server has another name; --host NAME gives it this one");
    }
    const Result<Target> target = parse_target(request.target);
    if (!target) return error_response(400, target.error().message);
    return request.method == Method::post ? post(request, *target) : get(request, *target);
  } catch (const std::bad_alloc&) {
    return error_response(503, "not enough memory for this answer");
  }
}

Response Site::post(const Request& request, const Target& target) {
  if (target.path != documents_path) return wrong_method("GET, HEAD");
  Response response;
  if (!stream_) {
    response = error_response(404, "this server takes no pages; --stream DIR lets it");
  } else if (!is_allowed(request)) {
    response = error_response(401, "pages are taken with 'Authorization: Bearer TOKEN' only");
    response.fields.emplace_back("WWW-Authenticate", "Bearer");
  } else {
    const Result<Json> answer = documents(request, target);
    response = answer ? json_response(200, *answer) : refusal(answer.error());
  }
  response.route = documents_path;
  return response;
}

Result<Json> Site::documents(const Request& request, const Target& target) {
  const Parameters parameters(target);
  KITH_TRY(parameters.check_names({"dry_run"}));
  KITH_ASSIGN(const bool is_dry, parameters.flag("dry_run"));
  if (is_dry) {
    KITH_ASSIGN(const StreamLinesPreview preview, stream_->preview(request.body));
    return json_of(preview);
  }
  KITH_ASSIGN(const StreamLinesAnswer answer, stream_->add(request.body));
  return json_of(answer);
}

Response Site::get(const Request& request, const Target& target) {
  if (target.path == documents_path) return wrong_method("POST");
  if (request.method == Method::other) return wrong_method("GET, HEAD");
  Response response;
  if (target.path == "/metrics") {
    response.type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics_.text();
    response.route = "/metrics";
    return response;
  }
  if (target.path == "/api/openapi.json") {
    response.body = embedded_openapi();
    response.route = "/api/openapi.json";
    return response;
  }
  if (std::optional<Response> page = page_response(request, target.path)) return *std::move(page);
  std::string_view route = "other";
  const Result<Json> answer = ask(target, route);
  response = answer ? json_response(200, *answer) : refusal(answer.error());
  response.route = route;
  response.fields.emplace_back("Cache-Control", "no-cache");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

// What clients have asked wrongly they are told; what is wrong with a run its owner is.
Response Site::refusal(const Error& error) const {
  const unsigned status = status_of(error.kind);
  if (status < 500) return error_response(status, error.message);
  if (options_.note) options_.note(error.message);
  return error_response(status,
                        "the run cannot be read; the server has said why on its standard error");
}

Result<const Site::NamedRun*> Site::run_of(const Target& target, std::string_view kind) const {
  const auto fits = [&](const NamedRun& run) {
    return kind.empty() || kind == kind_of(run.cluster.has_value());
  };
  const std::string* const name = target.find("run");
  for (const NamedRun& run : runs_) {
    if (name == nullptr ? fits(run) : run.name == *name) {
      if (fits(run)) return &run;
      return Error{ErrorKind::not_found,
                   fmt::format("{} is asked of runs of kith {}, which '{}' is not", target.path,
                               kind, run.name)};
    }
  }
  if (name == nullptr) {
    return Error{ErrorKind::not_found,
                 fmt::format("this server has no run{}{}", kind.empty() ? "" : " of kith ", kind)};
  }
  return Error{ErrorKind::not_found,
               fmt::format("there is no run '{}'; /api/runs lists those there are", *name)};
}

namespace {

Json head_of(const Run& run) {
  return {{"urls", run.urls()},
          {"clusters", run.report().clusters.clusters},
          {"topics", std::max<uint64_t>(run.report().topics.topics, 1) - 1}};
}

Json head_of(const DedupRun& run) {
  return {{"documents", run.documents()},
          {"groups", run.groups()},
          {"removed", run.report().groups.removed + run.report().against.removed}};
}

}  // namespace

Json Site::runs() const {
  Json list = Json::array();
  for (const NamedRun& run : runs_) {
    Json row{{"name", run.name}, {"kind", kind_of(run.cluster.has_value())}};
    row.update(run.cluster ? head_of(run.cluster->run()) : head_of(run.dedup->run()));
    list.push_back(std::move(row));
  }
  return {{"runs", std::move(list)}};
}

Result<Json> Site::ask(const Target& target, std::string_view& route) const {
  using Ask = std::function<Result<Json>(const NamedRun&)>;
  struct Question {
    std::string_view path;
    std::string_view kind;  // of runs that it is asked of; empty: any
    Ask ask;
  };
  const auto of_cluster = [&](std::string_view path,
                              Result<Json> (ClusterApi::*member)(const Target&) const) {
    return Question{path, cluster_kind, [&target, member](const NamedRun& run) {
                      return (*run.cluster.*member)(target);
                    }};
  };
  const auto of_dedup = [&](std::string_view path,
                            Result<Json> (DedupApi::*member)(const Target&) const) {
    return Question{path, dedup_kind, [&target, member](const NamedRun& run) {
                      return (*run.dedup.*member)(target);
                    }};
  };
  const Question questions[] = {
      of_cluster("/api/related", &ClusterApi::related),
      of_cluster("/api/page", &ClusterApi::page),
      of_cluster("/api/cluster", &ClusterApi::cluster),
      of_cluster("/api/clusters", &ClusterApi::clusters),
      of_cluster("/api/topics", &ClusterApi::topics),
      of_cluster("/api/compare", &ClusterApi::compare),
      of_dedup("/api/groups", &DedupApi::groups),
      of_dedup("/api/group", &DedupApi::group),
      of_dedup("/api/pairs", &DedupApi::pairs),
      of_dedup("/api/document", &DedupApi::document),
      of_dedup("/api/overlap", &DedupApi::overlap),
      {"/api/search", "",
       [&](const NamedRun& run) {
         return run.cluster ? search(*run.cluster, target) : run.dedup->search(target);
       }},
      {"/api/run", "", [&](const NamedRun& run) -> Result<Json> {
         KITH_TRY(Parameters(target).check_names({"run"}));
         std::call_once(run.is_reported, [&] {
           run.report = run.cluster ? run.cluster->report() : run.dedup->report();
         });
         return *run.report;
       }}};
  if (target.path == "/healthz") {
    route = "/healthz";
    return Json{{"status", "ok"}};
  }
  if (target.path == "/api/stream") {
    route = "/api/stream";
    KITH_TRY(Parameters(target).check_names({}));
    if (!stream_) return Error{ErrorKind::not_found, "this server has no stream"};
    return json_of(stream_->counts());
  }
  if (target.path == "/api/runs") {
    route = "/api/runs";
    return runs();
  }
  if (target.path.starts_with(topic_prefix)) {
    route = "/api/topic";
    KITH_ASSIGN(const NamedRun* const run, run_of(target, cluster_kind));
    return run->cluster->topic(std::string_view(target.path).substr(topic_prefix.size()), target);
  }
  for (const Question& question : questions) {
    if (target.path != question.path) continue;
    route = question.path;
    KITH_ASSIGN(const NamedRun* const run, run_of(target, question.kind));
    return question.ask(*run);
  }
  return Error{ErrorKind::not_found,
               "there is nothing at this path; /api/openapi.json says what "
               "there is"};
}

}  // namespace kith::server
