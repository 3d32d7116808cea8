// kith serve: runs as a service, and as pages to look at.
#include <memory>
#include <new>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/read_flags.h"
#include "server/serve_job.h"

namespace kith::cli {
namespace {

constexpr const char* serve_examples = R"(
In a browser the address shows a page: search, related pages, topics, clusters, the report of a run;
of a run of 'kith dedup' groups, pairs, and two documents with the passages they share. Their texts
are read from the input of the run, if that is still there.

GET /api/related?url=https://example.org/&n=5 answers as 'kith related', in JSON;
/api/openapi.json describes all questions, /metrics has counts for Prometheus, /healthz says that
the server answers. Ctrl-C or SIGTERM end it.

With --stream the server takes pages, too. POST /api/documents has lines of JSON as 'kith stream'
reads them, and answers with the decisions; ?dry_run=1 asks what a page is similar to, and adds
nothing.

Requests and their answers take a quarter of --memory at most: what does not fit is answered by 503.
Pages are taken as application/x-ndjson or application/json only, and from no page of another site.

An address other than 127.0.0.1 is open to others: put a proxy with TLS before it.

Examples:
  kith serve run
  kith serve run dedup-run --port 9000 --access-log access.jsonl
  curl -s 'localhost:8080/api/related?url=example.org' | jq .related
  curl -s -H 'Content-Type: application/x-ndjson' --data-binary @pages.jsonl \
    localhost:8080/api/documents                                    with --stream)";

}  // namespace

void add_serve_command(CLI::App& app, Outcome& outcome) {
  const auto options = std::make_shared<server::ServeOptions>();
  const auto memory = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "serve", "Answer questions about runs by HTTP: related pages, clusters, near-duplicates");
  CLI::Option* const runs = command->add_option(
      "DIR", options->site.directories, "Run directories of 'kith cluster' and 'kith dedup'");
  CLI::Option* const stream =
      command
          ->add_option("--stream", options->site.stream,
                       "The folder of a stream ('kith stream') that takes pages: POST "
                       "/api/documents")
          ->type_name("DIR");
  command
      ->add_option("--token-file", options->token_file,
                   "A file whose first line must be given with pages, as 'Authorization: Bearer "
                   "TOKEN'; needed unless the address is of this machine only")
      ->type_name("FILE")
      ->needs(stream);
  command->add_option("--port", options->port, "The port, up to 65535; 0: any that is free")
      ->check(from_to(0, 65535))
      ->capture_default_str();
  command->add_option("--address", options->address, "The address to listen on")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command
      ->add_option("--host", options->site.hosts,
                   "Names by which clients may call the server (default: any, but on 127.0.0.1 "
                   "and ::1 those, and localhost)")
      ->type_name("NAME");
  command
      ->add_option("--access-log", options->access_log,
                   "Append a line of JSON for every request; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--timeout", options->timeout_seconds,
                   "Seconds for a request to come, and between two requests")
      ->check(from_to(1, 3600))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--max-connections", options->most_connections,
                   "Further clients take the place of those that are silent, or are sent away")
      ->check(from_to(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--max-per-address", options->most_per_address,
                   "The same for the connections of one address; more for a proxy of many")
      ->check(from_to(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  add_resource_flags(*command, *memory, options->threads);
  command->footer(serve_examples);
  command->callback([options, memory, runs, stream, &outcome] {
    // What is short for one answer must not end the server.
    std::set_new_handler(nullptr);
    const Status size = read_size_flag("--memory", *memory, options->memory);
    if (!size) return outcome.fail(size.error());
    if (runs->count() + stream->count() == 0) {
      return outcome.fail({ErrorKind::usage, "serve: name a run directory, or --stream DIR"});
    }
    const Status status = server::serve_runs(
        *options, [](const std::string& url) { print_message(fmt::format("serving on {}", url)); },
        [](const std::string& message) { print_error(message); });
    if (!status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
