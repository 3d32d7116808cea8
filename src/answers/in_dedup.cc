#include <fmt/format.h>

#include "kith/compare.h"

#include "answers/estimates.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/files.h"
#include "run/guarded.h"
#include "run/stage_files.h"

namespace kith {
namespace {

Result<uint32_t> find(const jobs::DocumentTable& documents, const std::string& directory,
                      const std::string& name) {
  for (uint32_t id = 0; id < documents.size(); ++id) {
    if (documents.name(id) != name) continue;
    if (documents.sets().size_of(id) > 0) return id;
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: has no shingles in {}: it resembles nothing", name, directory)};
  }
  return Error{ErrorKind::not_found,
               fmt::format("{} has no document named {}; keep.tsv and groups.tsv have the names",
                           directory, name)};
}

}  // namespace

Result<ShingleComparison> compare_in_dedup(const std::string& directory, const std::string& a,
                                           const std::string& b, const CompareOptions& options) {
  return run::guarded([&]() -> Result<ShingleComparison> {
    KITH_TRY(validate(options));
    storage::FileSystem& fs = storage::posix_file_system();
    KITH_ASSIGN(const auto run, jobs::DedupDirectory::open(fs, directory));
    KITH_TRY(run.verify(jobs::documents_stage));
    KITH_ASSIGN(const auto documents, jobs::DocumentTable::open(fs, directory, {}));
    KITH_ASSIGN(const uint32_t first, find(documents, directory, a));
    KITH_ASSIGN(const uint32_t second, find(documents, directory, b));
    const DedupOptions& made = run.report().options;
    ShingleComparison comparison;
    comparison.options = options;
    comparison.options.characters = made.shingles == ShingleUnit::characters;
    comparison.options.width = made.width;
    comparison.options.bag = made.bag;
    comparison.options.normalize = made.normalize;
    comparison.options.numbers = made.numbers;
    answers::compare_elements(documents.sets()[first], documents.sets()[second], comparison);
    return comparison;
  });
}

}  // namespace kith
