#include "dedup/files.h"

#include "dedup/common_shingles.h"
#include "dedup/document_table.h"
#include "dedup/earlier/against_file.h"
#include "dedup/groups.h"
#include "dedup/inlink_counter.h"
#include "dedup/match.h"
#include "dedup/titles.h"
#include "index/sketch_file.h"
#include "simhash/fingerprint_groups.h"

namespace kith::pipeline {
namespace {

constexpr StageFile files[] = {
    {documents_stage, documents_file, documents_kind},
    {documents_stage, names_file, names_kind},
    {documents_stage, shingles_file, shingles_kind},
    {documents_stage, sketches_file, index::sketches_kind, true},
    {documents_stage, common_file, common_kind, true},
    {documents_stage, title_words_file, titles_kind},
    {documents_stage, inlinks_file, inlinks_kind, true},
    {against_stage, against_file, against_kind},
    {matches_stage, matches_file, matches_kind},
    {matches_stage, fingerprints_file, pairs::fingerprint_groups_kind, true},
    {groups_stage, groups_file, groups_kind},
};

}  // namespace

StageFiles dedup_stage_files() {
  return files;
}

}  // namespace kith::pipeline
