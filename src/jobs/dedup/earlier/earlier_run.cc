#include "jobs/dedup/earlier/earlier_run.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/match.h"
#include "run/stage_files.h"
#include "storage/section_file.h"
#include "text/words/tokens.h"

namespace kith::jobs {
namespace {

constexpr std::string_view matches_section = "rows";
constexpr std::string_view earlier_names_section = "names";
constexpr std::string_view earlier_names_at_section = "names_at";

}  // namespace

Result<AgainstWriter> AgainstWriter::create(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, against_kind));
  AgainstWriter writer(std::move(file));
  KITH_TRY(writer.file_.begin(earlier_names_section));
  return writer;
}

Status AgainstWriter::add(const EarlierMatch& match, std::string_view name) {
  KITH_CHECK(rows_.empty() || rows_.back().document < match.document);
  rows_.push_back(match);
  names_at_.push_back(names_at_.back() + name.size());
  return file_.append(name);
}

Status AgainstWriter::finish() {
  KITH_TRY(file_.write_array(earlier_names_at_section, names_at_));
  KITH_TRY(file_.write_array(matches_section, rows_));
  return file_.finish();
}

Result<Against> Against::open(storage::FileSystem& fs, const std::string& path, uint32_t documents,
                              size_t runs) {
  Against against;
  KITH_ASSIGN(against.file_, storage::SectionFile::open(fs, path, against_kind));
  const storage::SectionFile& file = against.file_;
  KITH_ASSIGN(against.rows_, file.array<EarlierMatch>(matches_section));
  KITH_ASSIGN(const Bytes names, file.section(earlier_names_section));
  KITH_ASSIGN(const auto names_at, file.array<uint64_t>(earlier_names_at_section));
  auto strings = storage::StringArray::make(names, names_at);
  if (!strings) return file.corrupt(strings.error().message);
  against.names_ = *strings;
  if (against.names_.size() != against.rows_.size()) {
    return file.corrupt("has not as many names as matches");
  }
  against.removed_.resize(documents);
  uint64_t next = 0;  // the first document that may follow
  for (const EarlierMatch& row : against.rows_) {
    if (row.document < next || row.document >= documents || row.run >= runs ||
        row.common > row.size) {
      return file.corrupt("holds a match that is none");
    }
    against.removed_[row.document] = true;
    next = uint64_t{row.document} + 1;
  }
  return against;
}

void Against::leave_out(std::vector<uint32_t>& representative, std::vector<uint32_t>& ids) const {
  for (const EarlierMatch& row : rows_) representative[row.document] = row.document;
  std::erase_if(ids, [&](uint32_t id) { return removed(id); });
}

namespace {

// What of an earlier run is read, by the stages that have made it.
constexpr std::string_view used_stages[] = {documents_stage, matches_stage};

// The options that decide what elements are, in the words of the command line.
std::vector<std::string> element_options(const DedupOptions& options) {
  return {
      fmt::format("shingles = {}", name(options.shingles)),
      fmt::format("width = {}", options.width),
      options.bag ? "bag = true" : "bag = false",
      options.normalize ? fmt::format("numbers = {}", name(options.numbers)) : "normalize = false",
      fmt::format("max_documents = {}", options.max_documents),
      options.distinct_titles ? "distinct_titles = true" : "distinct_titles = false",
      fmt::format("boilerplate = {}", name(options.boilerplate.value_or(Boilerplate::keep)))};
}

// And what sketches are.
std::vector<std::string> sketch_options(const DedupOptions& options) {
  return {fmt::format("lanes = {}", options.lanes), fmt::format("seed = {}", options.seed)};
}

Status check_same(const std::string& path, const std::vector<std::string>& earlier,
                  const std::vector<std::string>& now) {
  for (size_t i = 0; i < now.size(); ++i) {
    if (earlier[i] == now[i]) continue;
    return Error{ErrorKind::usage,
                 fmt::format("against = {0}: was made with {1}, and this run is asked for with "
                             "{2}: their documents cannot be compared; give {1} here, or make {0} "
                             "again with {2}",
                             path, earlier[i], now[i])};
  }
  return Status::ok();
}

Status check_tokens(const std::string& path, uint32_t earlier) {
  if (earlier == text::tokens_version) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("against = {0}: was made with version {1} of the tokens of texts, and "
                           "this program has version {2}: their documents cannot be compared; "
                           "make {0} again",
                           path, earlier, text::tokens_version)};
}

// Two runs meet by the sketches of MinHash, which other methods do not keep.
Status check_keeps_sketches(const std::string& path, const DedupOptions& earlier) {
  if (earlier.method == DedupMethod::minhash) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("against = {0}: was made with method = {1}, which keeps no sketches to "
                           "compare by; make {0} again with method = minhash, or give method = "
                           "exact here, which removes documents of equal text only",
                           path, name(earlier.method))};
}

bool is_same_folder(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

Result<EarlierRun> EarlierRun::open(storage::FileSystem& fs, const std::string& path,
                                    const DedupOptions& options) {
  if (is_same_folder(path, options.output)) {
    return Error{ErrorKind::usage,
                 fmt::format("against = {}: is the folder of the run itself", path)};
  }
  KITH_ASSIGN(DedupDirectory run, DedupDirectory::open(fs, path));
  const DedupOptions& earlier = run.report().options;
  KITH_TRY(check_tokens(path, run.report().tokens));
  KITH_TRY(check_same(path, element_options(earlier), element_options(options)));
  const bool sketches = needs_sketches(options);
  if (sketches) {
    KITH_TRY(check_keeps_sketches(path, earlier));
    KITH_TRY(check_same(path, sketch_options(earlier), sketch_options(options)));
  }
  return EarlierRun(fs, std::move(run), sketches);
}

std::string EarlierRun::identity() const {
  std::string all;
  for (const std::string_view stage : used_stages) {
    for (const auto& [file, checksum] : run_.checksums(stage)) {
      all += fmt::format("{}:{}\n", file, checksum);
    }
  }
  return fmt::format("{}:{:016x}", path(), hash64(all));
}

std::string EarlierRun::common() const {
  const run::Checksums checksums = run_.checksums(documents_stage);
  const auto found = checksums.find(common_file);
  return found == checksums.end() ? "" : found->second;
}

Status EarlierRun::share_common(const std::string& path) const {
  KITH_TRY(verify());
  return fs_->share(run_.file(common_file), path);
}

Status EarlierRun::verify() const {
  for (const std::string_view stage : used_stages) {
    const Status status = run_.verify(stage);
    if (status) continue;
    std::string message = status.error().message;
    if (message.ends_with(storage::repair_advice)) {
      message.resize(message.size() - storage::repair_advice.size());
    }
    return Error{
        status.error().kind,
        fmt::format("{}; run the 'kith dedup' command that made {} again", message, path())};
  }
  return Status::ok();
}

Result<EarlierDocuments> EarlierRun::documents() const {
  KITH_TRY(verify());
  EarlierDocuments documents;
  KITH_ASSIGN(documents.table,
              DocumentTable::open(*fs_, path(), {.sketches = sketches_, .titles = true}));
  const DocumentTable& table = documents.table;
  KITH_ASSIGN(const auto matches, Matches::open(*fs_, run_.file(matches_file), table.size()));
  for (uint32_t id = 0; id < table.size(); ++id) {
    if (matches.representative()[id] == id && table.sets().size_of(id) > 0) {
      documents.distinct.push_back(id);
    }
  }
  matches.release();
  table.release();
  return documents;
}

Result<std::vector<EarlierRun>> open_earlier_runs(storage::FileSystem& fs,
                                                  const DedupOptions& options) {
  std::vector<EarlierRun> runs;
  for (const std::string& path : options.against) {
    for (const EarlierRun& other : runs) {
      if (!is_same_folder(path, other.path())) continue;
      return Error{ErrorKind::usage, fmt::format("against = {}: is named twice", path)};
    }
    KITH_ASSIGN(EarlierRun run, EarlierRun::open(fs, path, options));
    if (!runs.empty() && run.common() != runs.front().common()) {
      return Error{
          ErrorKind::usage,
          fmt::format("against = {0} and against = {1}: have dropped different shingles by "
                      "`max_documents`, so that their documents cannot be compared; make "
                      "{1} again with against = {0}",
                      runs.front().path(), path)};
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace kith::jobs
