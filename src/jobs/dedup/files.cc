#include "jobs/dedup/files.h"

#include "jobs/dedup/common_shingles.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/against_file.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/titles.h"
#include "run/sketch_file.h"
#include "similar/fingerprints/fingerprint_groups.h"

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

}  // namespace kith::jobs
