#include "jobs/dedup/directory.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "jobs/dedup/common_shingles.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/json.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/titles.h"
#include "run/index_files.h"
#include "run/input_identity.h"
#include "run/json.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "text/words/tokens.h"

namespace kith::jobs {
namespace {

constexpr run::StageFile files[] = {
    {documents_stage, documents_file, documents_kind},
    {documents_stage, names_file, names_kind},
    {documents_stage, shingles_file, shingles_kind},
    {documents_stage, sketches_file, run::sketches_kind, true},
    {documents_stage, common_file, common_kind, true},
    {documents_stage, title_words_file, titles_kind},
    {documents_stage, inlinks_file, inlinks_kind, true},
    {against_stage, against_file, against_kind},
    {matches_stage, matches_file, matches_kind},
    {matches_stage, fingerprints_file, similar::fingerprint_groups_kind, true},
    {groups_stage, groups_file, groups_kind},
};

}  // namespace

run::StageFiles dedup_stage_files() {
  return files;
}

namespace {

using nlohmann::json;

Result<std::string> identity_text(storage::FileSystem& fs, const DedupOptions& options,
                                  const std::vector<std::string>& against) {
  json identity = json::object();
  identity["options"] = identity_of(options);
  identity["tokens"] = text::tokens_version;
  identity["options"]["against"] = against;
  KITH_ASSIGN(identity["inputs"], run::crawl_identity(fs, options, true));
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<DedupDirectory> DedupDirectory::create(storage::FileSystem& fs, const DedupOptions& options,
                                              const std::vector<std::string>& against) {
  KITH_TRY(run::check_output_place(options.output, options.inputs));
  KITH_ASSIGN(const std::string identity, identity_text(fs, options, against));
  DedupDirectory run(fs, options.output);
  KITH_TRY(run.enter(identity));
  run.report_.options = options;
  run.report_.version = version();
  run.report_.tokens = text::tokens_version;
  return run;
}

Result<DedupDirectory> DedupDirectory::open(storage::FileSystem& fs, const std::string& path) {
  DedupDirectory run(fs, path);
  KITH_TRY(run.read("run directory of kith", "kith dedup INPUT..."));
  if (!run.has(groups_stage)) return run.is_unfinished("dedup");
  return run;
}

bool DedupDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  return DedupDirectory(fs, path).has_own_manifest();
}

Status DedupDirectory::verify() const {
  KITH_TRY(verify_manifest());
  for (const std::string& stage : stages()) KITH_TRY(verify(stage));
  return verify_lists(file_system(), path(), lists());
}

bool DedupDirectory::read_report(const std::string& json) {
  auto parsed = dedup_report_from_json(json);
  if (!parsed || !validate(parsed->options)) return false;
  report_ = std::move(*parsed);
  return true;
}

std::string DedupDirectory::report_json() const {
  return kith::to_json(report_);
}

Status DedupDirectory::remove_other_temporaries() {
  return remove_list_temporaries(file_system(), path());
}

}  // namespace kith::jobs
