// The files of a run of `kith dedup`, of any bytes (section_files.h), opened as its stages open
// them and then used in every way that they use them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"

#include "base/hash.h"
#include "fuzz/section_files.h"
#include "jobs/dedup/check.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/titles.h"

namespace {

using kith::Status;
using kith::fuzz::require;
using kith::jobs::DocumentTable;
using kith::jobs::Groups;
using kith::jobs::Matches;

constexpr const char* folder = "run";
constexpr uint32_t lanes = 16;
constexpr uint32_t max_documents = 200;  // that are compared
constexpr uint64_t max_elements = 1 << 16;

struct File {
  std::string_view name;
  kith::storage::FileKind kind;
  std::vector<std::string_view> sections;
};

const std::vector<File>& files() {
  static const std::vector<File> all{
      {kith::jobs::documents_file, kith::jobs::documents_kind, {"rows", "files", "files_at"}},
      {kith::jobs::names_file, kith::jobs::names_kind, {"names", "names_at"}},
      {kith::jobs::shingles_file, kith::jobs::shingles_kind, {"shingles", "shingles_at"}},
      {kith::jobs::sketches_file, kith::run::sketches_kind, {"params", "sizes", "values"}},
      {kith::jobs::matches_file,
       kith::jobs::matches_kind,
       {"representative", "pairs", "unverified", "part_members", "part_ends"}},
      {kith::jobs::groups_file,
       kith::jobs::groups_kind,
       {"kept", "center", "common", "center_pairs"}},
      {kith::jobs::title_words_file, kith::jobs::titles_kind, {"words", "sizes"}},
      {kith::jobs::keep_keys_file, kith::jobs::keep_keys_kind, {"keys"}},
  };
  return all;
}

std::string path_of(std::string_view name) {
  return std::string(folder) + "/" + std::string(name);
}

kith::ThreadPool& one_thread() {
  static kith::ThreadPool pool(1);
  return pool;
}

kith::DedupOptions options() {
  kith::DedupOptions options;
  options.inputs = {"in"};
  options.output = folder;
  options.lanes = lanes;
  options.similarity = 0.5;
  return options;
}

// Damage is an error of the right kind that names a file of the run.
template <class T>
bool opened(const kith::Result<T>& file) {
  if (file) return true;
  require(file.error().kind == kith::ErrorKind::corrupt);
  require(file.error().message.starts_with(folder));
  return false;
}

void use_documents(const DocumentTable& documents) {
  volatile uint64_t hash = 0;
  for (uint32_t id = 0; id < documents.size(); ++id) {
    hash = kith::hash64(documents.name(id));
    hash = kith::hash64(documents.file(documents[id].file));
    hash = kith::hash64(std::as_bytes(documents.sets()[id]));
  }
  static_cast<void>(hash);
}

// What a stage writes from files of any bytes can be read.
void group(kith::storage::FileSystem& fs, const DocumentTable& documents, const Matches& matches) {
  const kith::jobs::DedupResources resources{fs, folder, "tmp", 64u << 20, one_thread()};
  kith::DedupReport report;
  kith::DedupOptions request = options();
  if (documents.signatures().size() == 0) request.method = kith::DedupMethod::exact;
  const std::string path = path_of("new_groups");
  for (const auto grouping : {kith::Grouping::center, kith::Grouping::components}) {
    for (const auto order : {kith::CenterOrder::degree, kith::CenterOrder::keep}) {
      request.groups = grouping;
      request.order = order;
      request.keep = {"longest"};
      require(kith::jobs::write_groups(path, documents, {}, matches, request, resources, report, {})
                  .is_ok());
      require(Groups::open(fs, path, documents.size()).is_ok());
    }
  }
}

void match(kith::storage::FileSystem& fs, const DocumentTable& documents) {
  const kith::jobs::DedupResources resources{fs, folder, "tmp", 64u << 20, one_thread()};
  kith::DedupReport report;
  const std::string path = path_of("new_matches");
  require(kith::jobs::write_matches(path, documents, {}, options(), resources, report, {}).is_ok());
  const auto matches = Matches::open(fs, path, documents.size());
  require(matches.is_ok());
  group(fs, documents, *matches);
}

void use_results(kith::storage::FileSystem& fs, const DocumentTable& documents) {
  const auto matches = Matches::open(fs, path_of(kith::jobs::matches_file), documents.size());
  if (!opened(matches)) return;
  group(fs, documents, *matches);
  const auto groups = Groups::open(fs, path_of(kith::jobs::groups_file), documents.size());
  if (!opened(groups)) return;
  const kith::DedupCheck check =
      kith::jobs::check_matches(documents, {}, *matches, *groups, options(), 1 << 20, one_thread());
  require(check.found <= check.true_pairs);
  const kith::jobs::DedupResources resources{fs, folder, "tmp", 64u << 20, one_thread()};
  for (const kith::ListFormat format : {kith::ListFormat::tsv, kith::ListFormat::jsonl}) {
    kith::DedupOptions request = options();
    request.format = format;
    if (documents.signatures().size() > 0) request.list_pairs = kith::PairList::all;
    request.annotate = true;
    const kith::jobs::GroupIndex index(groups->kept());
    const kith::jobs::Against none;
    const auto losses = kith::jobs::Losses::find(documents, none, *groups, request, one_thread());
    require(kith::jobs::write_lists(fs, folder, documents, none, *matches, *groups, index, losses,
                                    request, resources)
                .is_ok());
  }
}

}  // namespace

// All files of a run, one after the other.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kith::Cursor cursor(std::string_view(reinterpret_cast<const char*>(data), size));
  kith::test::MemoryFileSystem fs;
  for (const File& file : files()) {
    kith::fuzz::write_sections(fs, path_of(file.name), file.kind, file.sections, cursor);
  }
  opened(DocumentTable::open(fs, folder, {.titles = true, .keep_keys = 1}));
  for (const bool has_sketches : {false, true}) {
    const auto documents = DocumentTable::open(fs, folder, {.sketches = has_sketches});
    if (!opened(documents)) continue;
    use_documents(*documents);
    if (documents->size() > max_documents || documents->sets().elements() > max_elements) break;
    if (has_sketches && documents->signatures().lanes() == lanes) match(fs, *documents);
    if (!has_sketches) use_results(fs, *documents);
  }
  return 0;
}
