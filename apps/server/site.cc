#include "server/site.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "server/api.h"
#include "server/message.h"
#include "server/serve.h"

namespace kith::server {
namespace {

constexpr std::string_view topic_prefix = "/api/topic/";
constexpr std::string_view documents_path = "/api/documents";
constexpr std::string_view stream_path = "/api/stream";
constexpr std::string_view cluster_kind = "cluster";
constexpr std::string_view dedup_kind = "dedup";
constexpr uint64_t usual_max_body = 1 << 20;

unsigned status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 400;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::memory:
      return 503;
    default:
      return 500;
  }
}

Response json_response(const Json& json) {
  Response response;
  // A title may have bytes that are no UTF-8.
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  return response;
}

Response wrong_method(std::string_view allowed) {
  Response response = error_response(405, fmt::format("this path takes {}", allowed));
  response.fields.emplace_back("Allow", allowed);
  return response;
}

std::string_view kind_of(bool is_cluster) {
  return is_cluster ? cluster_kind : dedup_kind;
}

template <Result<Json> (ClusterApi::*member)(const Target&) const>
Result<Json> of_cluster(const NamedRun& run, const Target& target) {
  return (*run.cluster.*member)(target);
}

template <Result<Json> (DedupApi::*member)(const Target&) const>
Result<Json> of_dedup(const NamedRun& run, const Target& target) {
  return (*run.dedup.*member)(target);
}

Result<Json> search_run(const NamedRun& run, const Target& target) {
  return run.cluster ? search(*run.cluster, target) : run.dedup->search(target);
}

Result<Json> report_of(const NamedRun& run, const Target& target) {
  KITH_TRY(Parameters(target).check_names({"run"}));
  std::call_once(run.is_reported,
                 [&] { run.report = run.cluster ? run.cluster->report() : run.dedup->report(); });
  return *run.report;
}

// A question about a run.
struct RunQuestion {
  std::string_view path;
  std::string_view kind;  // of runs that it is asked of; empty: any
  Lane lane;
  Result<Json> (*ask)(const NamedRun& run, const Target& target);
};

constexpr RunQuestion questions[] = {
    {"/api/related", cluster_kind, Lane::quick, of_cluster<&ClusterApi::related>},
    {"/api/page", cluster_kind, Lane::quick, of_cluster<&ClusterApi::page>},
    {"/api/cluster", cluster_kind, Lane::quick, of_cluster<&ClusterApi::cluster>},
    {"/api/clusters", cluster_kind, Lane::quick, of_cluster<&ClusterApi::clusters>},
    {"/api/topics", cluster_kind, Lane::quick, of_cluster<&ClusterApi::topics>},
    {"/api/compare", cluster_kind, Lane::quick, of_cluster<&ClusterApi::compare>},
    {"/api/groups", dedup_kind, Lane::quick, of_dedup<&DedupApi::groups>},
    {"/api/group", dedup_kind, Lane::quick, of_dedup<&DedupApi::group>},
    {"/api/pairs", dedup_kind, Lane::quick, of_dedup<&DedupApi::pairs>},
    {"/api/document", dedup_kind, Lane::quick, of_dedup<&DedupApi::document>},
    {"/api/overlap", dedup_kind, Lane::slow, of_dedup<&DedupApi::overlap>},
    {"/api/search", "", Lane::slow, search_run},
    {"/api/run", "", Lane::slow, report_of}};

const RunQuestion* question_at(std::string_view path) {
  const auto* const at = std::ranges::find(questions, path, &RunQuestion::path);
  return at == std::end(questions) ? nullptr : at;
}

// Of GET and HEAD.
Lane lane_of(std::string_view path) {
  if (const RunQuestion* const question = question_at(path)) return question->lane;
  // It waits while pages are taken, and longer while the state is written.
  if (path == stream_path) return Lane::slow;
  // All others but these are in the memory.
  return path.starts_with(topic_prefix) || path == "/api/runs" ? Lane::quick : Lane::instant;
}

}  // namespace

Result<std::unique_ptr<Site>> Site::open(const SiteOptions& options) {
  std::unique_ptr<Site> site(new Site(options));
  for (std::string& name : site->options_.hosts) {
    const auto host = parse_host(name);
    if (!host) return Error{ErrorKind::usage, fmt::format("--host {}: is no name of a host", name)};
    name = host->name;
  }
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
    KITH_ASSIGN(site->stream_, StreamService::open(
                                   {.directory = options.stream, .memory = options.stream_memory}));
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

// Parts of the memory, so that a few of them fit beside each other.
uint64_t Site::most_documents() const {
  return std::min<uint64_t>(64 << 20, options_.memory / 4);
}

uint64_t Site::most_answer() const {
  return std::min<uint64_t>(16 << 20, options_.memory / 32);
}

// Nobody fills the memory who may not give pages.
Needs Site::needs(const Request& head) const {
  Needs needs;
  needs.max_body = usual_max_body;
  needs.lane = Lane::instant;
  const Result<Target> target = parse_target(head.target);
  if (!target) return needs;
  if (head.method != Method::post) {
    needs.lane = lane_of(target->path);
    return needs;
  }
  const bool is_taken =
      target->path == documents_path && stream_ && !refuse_writing(head, options_.token);
  if (!is_taken) return needs;
  needs.lane = target->find("dry_run") == nullptr ? Lane::write : Lane::slow;
  needs.max_body = most_documents();
  // An answer and what it is put together from.
  needs.answer = 3 * most_answer();
  return needs;
}

std::optional<Response> Site::refuse_host(const std::string& field) const {
  const auto host = parse_host(field);
  if (!host) return error_response(400, "the field Host names no host");
  const auto& hosts = options_.hosts;
  if (hosts.empty() || std::ranges::find(hosts, host->name) != hosts.end()) return std::nullopt;
  return error_response(421, "this server has another name; --host NAME gives it this one");
}

Response Site::answer(const Request& request) {
  if (auto refused = refuse_host(request.host)) return *std::move(refused);
  const Result<Target> target = parse_target(request.target);
  if (!target) return error_response(400, target.error().message);
  return request.method == Method::post ? post(request, *target) : get(request, *target);
}

Response Site::post(const Request& request, const Target& target) {
  if (target.path != documents_path) return wrong_method("GET, HEAD");
  Response response;
  if (!stream_) {
    response = error_response(404, "this server takes no pages; --stream DIR lets it");
  } else if (auto refused = refuse_writing(request, options_.token)) {
    response = *std::move(refused);
  } else if (!request.content_encoding.empty() && request.content_encoding != "identity") {
    response = error_response(415, "a body with a Content-Encoding is not taken; send it as it is");
  } else {
    response = documents(request, target);
  }
  response.route = documents_path;
  return response;
}

Response Site::documents(const Request& request, const Target& target) {
  const Parameters parameters(target);
  const Status known = parameters.check_names({"dry_run"});
  if (!known) return refusal(known.error());
  const Result<bool> is_dry = parameters.flag("dry_run");
  if (!is_dry) return refusal(is_dry.error());
  const LineOptions options{.most_answer = most_answer(),
                            .problem_of = [this](const Error& error) { return problem_of(error); }};
  return *is_dry ? preview_documents(*stream_, request.body, options)
                 : add_documents(*stream_, request.body, options);
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
  response = answer ? json_response(*answer) : refusal(answer.error());
  response.route = route;
  response.fields.emplace_back("Cache-Control", "no-cache");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

// What clients have asked wrongly they are told; what is wrong with a run its owner is.
Problem Site::problem_of(const Error& error) const {
  const unsigned status = status_of(error.kind);
  if (status < 500) return {status, error.message};
  if (options_.note) options_.note(error.message);
  if (status == 503) return {status, "the server has no memory left for this; ask again later"};
  return {status,
          "the server cannot read or write its files, and has said why on its standard error"};
}

Response Site::refusal(const Error& error) const {
  const Problem problem = problem_of(error);
  return problem.status == 503 ? busy_response(problem.message)
                               : error_response(problem.status, problem.message);
}

Result<const NamedRun*> Site::run_of(const Target& target, std::string_view kind) const {
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
  Json answer{{"runs", std::move(list)}};
  if (!options_.replay.empty()) answer["replay"] = options_.replay;
  return answer;
}

Result<Json> Site::ask(const Target& target, std::string_view& route) const {
  if (target.path == "/healthz") {
    route = "/healthz";
    return Json{{"status", "ok"}};
  }
  if (target.path == stream_path) {
    route = stream_path;
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
  const RunQuestion* const question = question_at(target.path);
  if (question == nullptr) {
    return Error{ErrorKind::not_found,
                 "there is nothing at this path; /api/openapi.json says what there is"};
  }
  route = question->path;
  KITH_ASSIGN(const NamedRun* const run, run_of(target, question->kind));
  return question->ask(*run, target);
}

}  // namespace kith::server
