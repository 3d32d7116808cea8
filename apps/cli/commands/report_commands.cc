// kith info, evaluate, report, serve: a run as a whole.
#include <cstdio>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "kith/evaluate.h"
#include "kith/passages.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/output/comparison.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"
#include "server/serve.h"

namespace kith::cli {

// kith info: what a run read, skipped, chose and measured.

namespace {

struct InfoFlags {
  std::string directory;
  bool json = false;
  bool verify = false;
  bool memory = false;
};

// `verify` reads all files of the run, `print` is for people; both give a Status.
template <class AnyReport, class Verify, class Print>
void show(const InfoFlags& flags, const AnyReport& report, const Verify& verify, const Print& print,
          Outcome& outcome) {
  if (flags.verify) {
    if (const Status status = verify(); !status) return outcome.fail(status.error());
    print_message(fmt::format("all files of {} match their checksums", flags.directory));
  }
  if (flags.json) {
    write_bytes(stdout, to_json(report) + "\n");
  } else if (flags.memory) {
    print_memory(report, stdout);
  } else if (const Status status = print(); !status) {
    outcome.fail(status.error());
  }
}

void show_dedup(const InfoFlags& flags, Outcome& outcome) {
  const auto report = read_dedup_report(flags.directory);
  if (!report) return outcome.fail(report.error());
  const auto print = [&] {
    print_dedup_info(*report, stdout);
    return Status::ok();
  };
  show(
      flags, *report, [&] { return verify_dedup_run(flags.directory); }, print, outcome);
}

void show_passages(const InfoFlags& flags, Outcome& outcome) {
  const auto report = read_passage_report(flags.directory);
  if (!report) return outcome.fail(report.error());
  const auto print = [&] {
    print_passages_info(*report, stdout);
    return Status::ok();
  };
  show(
      flags, *report, [&] { return verify_passage_run(flags.directory); }, print, outcome);
}

// To open it is to verify it.
void show_stream(const InfoFlags& flags, Outcome& outcome) {
  if (flags.memory) {
    return outcome.fail({ErrorKind::usage,
                         "--memory: is about the stages of a run, and a stream "
                         "has none; leave it out"});
  }
  const auto stream = Stream::read(flags.directory);
  if (!stream) return outcome.fail(stream.error());
  if (flags.verify) {
    print_message(fmt::format("the snapshot of {} matches its checksums", flags.directory));
  }
  print_stream_info(*stream, flags.json);
}

void show_run(const InfoFlags& flags, Outcome& outcome) {
  const auto run = Run::open(flags.directory);
  if (!run) return outcome.fail(run.error());
  const auto print = [&] {
    print_info(run->report(), stdout);
    return print_largest(*run, stdout);
  };
  show(
      flags, run->report(), [&] { return run->verify(); }, print, outcome);
}

}  // namespace

void add_info_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<InfoFlags>();
  CLI::App* const command =
      app.add_subcommand("info", "What a run read, skipped, chose and measured");
  command->add_option("DIR", flags->directory, "The run directory")->required();
  CLI::Option* const json = command->add_flag("--json", flags->json, "The whole report as JSON");
  command->add_flag("--verify", flags->verify, "Read every file and compare checksums");
  command
      ->add_flag("--memory", flags->memory,
                 "Only what every stage was given of --memory, by shares")
      ->excludes(json);
  command->footer(R"(
Examples:
  kith info run
  kith info run --json | jq .clusters
  kith info run --verify
  kith info run --memory)");
  command->callback([flags, &outcome] {
    if (is_stream(flags->directory)) return show_stream(*flags, outcome);
    if (is_dedup_run(flags->directory)) return show_dedup(*flags, outcome);
    if (is_passage_run(flags->directory)) return show_passages(*flags, outcome);
    show_run(*flags, outcome);
  });
}

// kith evaluate: a run beside labels that are known from elsewhere.

namespace {

struct EvaluateFlags {
  EvaluateOptions options;
  bool json = false;
};

template <class Evaluation>
Status print(const EvaluateFlags& flags, const Evaluation& evaluation) {
  Output out;
  if (flags.json) {
    out.line(evaluation_json(flags.options, evaluation));
  } else {
    print_evaluation(flags.options, evaluation, out);
  }
  return out.finish();
}

Status run(const EvaluateFlags& flags) {
  if (is_dedup_run(flags.options.run)) {
    KITH_ASSIGN(const DedupEvaluation evaluation, evaluate_dedup(flags.options));
    return print(flags, evaluation);
  }
  KITH_ASSIGN(const ClusterEvaluation evaluation, evaluate_clusters(flags.options));
  return print(flags, evaluation);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* const command = app.add_subcommand(
      "evaluate", "How well a run agrees with labels: clusters, related pages, duplicates");
  command->add_option("DIR", flags->options.run, "The run directory, of cluster or dedup")
      ->required();
  command
      ->add_option("LABELS", flags->options.labels,
                   "TSV with the columns url and label, a row for each label; - standard input")
      ->required();
  command
      ->add_option("--column", flags->options.columns,
                   "The column that holds the label; of several, A,B, the values are joined by '/'")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("NAME")
      ->default_str("label");
  command->add_flag("--json", flags->json, "All counts and measures as JSON");
  command->footer(R"(
A label with slashes, as Science/Biology, is a class in a tree: every level of it is evaluated. B3
is B-cubed, P and R are precision and recall, P@5 is the precision of the first five related pages.
Pages that only one of both has are counted. Of a dedup run, documents with the same label are
duplicates.

Examples:
  kith evaluate run labels.tsv
  kith evaluate run crawl.tsv --column topic,package
  awk -F'\t' -v OFS='\t' '{ print $1, $3 }' labels.tsv | kith evaluate run - --column topic
  kith evaluate run labels.tsv --json | jq '.levels[].all.ami')");
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

// kith report: the report of a run as a file for a browser.

namespace {

struct ReportFlags {
  std::string directory;
  std::string html;
};

Status write_report(const ReportFlags& flags) {
  KITH_ASSIGN(const std::string page, server::report_page(flags.directory));
  return write_file(flags.html, page);
}

}  // namespace

void add_report_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ReportFlags>();
  CLI::App* const command = app.add_subcommand(
      "report", "The report of a run as a page of HTML: counts, times, sizes, measured recall");
  command
      ->add_option("DIR", flags->directory, "The run directory of 'kith cluster' or 'kith dedup'")
      ->required();
  command->add_option("--html", flags->html, "The file to write; it is replaced")
      ->type_name("FILE")
      ->required();
  command->footer(R"(
The file shows what 'kith serve' shows as the report of a run, and needs nothing else: no server, no
network. 'kith info' prints the same numbers.

Examples:
  kith report run --html report.html
  kith report dedup-run --html dedup.html)");
  command->callback([flags, &outcome] {
    if (const Status status = write_report(*flags); !status) outcome.fail(status.error());
  });
}

// kith serve: runs as a service, and as pages to look at.

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

// CLI11's way to check a value: what is wrong with it, or nothing.
std::string check_web_address(const std::string& text) {
  const bool is_web = text.starts_with("http://") || text.starts_with("https://");
  return is_web ? "" : fmt::format("{}: does not begin with http:// or https://", printable(text));
}

// How long a client may take, and how many there may be.
void add_limit_flags(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--timeout", options.timeout_seconds,
                  "Seconds for a request to come, and between two requests")
      ->check(from_to(1, 3600))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--max-connections", options.most_connections,
                  "Further clients take the place of those that are silent, or are sent away")
      ->check(from_to(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--max-per-address", options.most_per_address,
                  "The same for the connections of one address; more for a proxy of many")
      ->check(from_to(1, 1e6))
      ->type_name("N")
      ->capture_default_str();
}

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
      ->add_option(
          "--replay", options->site.replay,
          "Links of the web page lead to PREFIX, the date of the capture and the URL, e.g. "
          "https://web.archive.org/web/ (default: to the URL)")
      ->check(check_web_address)
      ->type_name("PREFIX");
  command
      ->add_option("--access-log", options->access_log,
                   "Append a line of JSON for every request; -: to standard output")
      ->type_name("FILE");
  add_limit_flags(*command, *options);
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
