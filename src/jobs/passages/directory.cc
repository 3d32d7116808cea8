#include "jobs/passages/directory.h"

#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "jobs/dedup/lists.h"
#include "jobs/passages/output.h"
#include "run/input_identity.h"
#include "run/json.h"
#include "run/report_json.h"
#include "text/words/tokens.h"

namespace kith {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PassageOptions, inputs, output, unit, min_tokens,
                                                max_documents, normalize, numbers, mode, sentences,
                                                high_loss, examples, format, write, base_url,
                                                max_page, status, strict, only, include, exclude,
                                                url_rules, text_field, html_field, id_field,
                                                url_field, title_field, time_field, memory, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PassageCounts, documents, empty, text_bytes, units,
                                                anchors, candidates, repeated, different,
                                                with_passages, changed, cuts, lost_bytes, emptied,
                                                high_losses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PassageLoss, name, documents, changed, text_bytes,
                                                lost_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DocumentLoss, document, text_bytes, lost_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PassageReport, version, options, tokens, threads,
                                                memory, crawl, passages, hosts, languages, most,
                                                written_bytes, stages, peak_memory)

std::string to_json(const PassageReport& report) {
  return run::report_text(report);
}

}  // namespace kith

namespace kith::jobs {
namespace {

// Not inputs, output, memory and threads.
std::string identity_text(const PassageOptions& options, json inputs) {
  json own = options;
  for (const char* const key : {"inputs", "output", "memory", "threads"}) own.erase(key);
  json identity = json::object();
  identity["options"] = std::move(own);
  identity["tokens"] = text::tokens_version;
  identity["inputs"] = std::move(inputs);
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

Result<PassageReport> report_from_json(std::string_view text) {
  static const json shape = [] {
    auto report = run::with_one_item_each<PassageReport>();
    report.options.include = {""};
    report.options.exclude = {""};
    report.hosts = {{}};
    report.languages = {{}};
    report.most = {{}};
    return json(report);
  }();
  return run::read_report_text<PassageReport>(text, shape);
}

}  // namespace

Result<PassageDirectory> PassageDirectory::create(storage::FileSystem& fs,
                                                  const PassageOptions& options) {
  KITH_TRY(run::check_output_place(options.output, options.inputs));
  KITH_ASSIGN(json inputs, run::crawl_identity(fs, options, true));
  PassageDirectory run(fs, options.output);
  KITH_TRY(run.JobDirectory::enter(identity_text(options, std::move(inputs))));
  run.report_.options = options;
  run.report_.version = version();
  run.report_.tokens = text::tokens_version;
  return run;
}

Result<PassageDirectory> PassageDirectory::open(storage::FileSystem& fs, const std::string& path) {
  PassageDirectory run(fs, path);
  KITH_TRY(run.read("run directory of kith", "kith dedup INPUT... --unit span"));
  if (!run.has(passages_stage)) return run.is_unfinished("dedup --unit");
  return run;
}

bool PassageDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  return PassageDirectory(fs, path).has_own_manifest();
}

Status PassageDirectory::verify() const {
  KITH_TRY(verify_manifest());
  return verify_lists(file_system(), path(), lists());
}

bool PassageDirectory::read_report(const std::string& json) {
  auto parsed = report_from_json(json);
  if (!parsed || !validate(parsed->options)) return false;
  report_ = std::move(*parsed);
  return true;
}

Status PassageDirectory::remove_other_temporaries() {
  for (const std::string_view list : passage_lists) {
    for (const ListFormat format : {ListFormat::tsv, ListFormat::csv, ListFormat::jsonl,
                                    ListFormat::parquet, ListFormat::arrow}) {
      KITH_TRY(
          file_system().remove(storage::temporary_name(file(passage_list_file(list, format)))));
    }
  }
  return Status::ok();
}

}  // namespace kith::jobs
