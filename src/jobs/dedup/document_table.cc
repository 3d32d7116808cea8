#include "jobs/dedup/document_table.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/inlink_counter.h"
#include "jobs/dedup/keep.h"
#include "run/stage_files.h"

namespace kith::jobs {
namespace {

constexpr std::string_view rows_section = "rows";
constexpr std::string_view files_section = "files";
constexpr std::string_view files_at_section = "files_at";
constexpr std::string_view names_section = "names";
constexpr std::string_view names_at_section = "names_at";
constexpr std::string_view digests_section = "digests";
constexpr std::string_view sources_section = "sources";
constexpr std::string_view keep_keys_section = "keys";
constexpr std::string_view shingles_section = "shingles";
constexpr std::string_view shingles_at_section = "shingles_at";

std::string path_of(const std::string& folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

Result<storage::StringArray> strings(const storage::SectionFile& file, std::string_view section,
                                     std::string_view offsets) {
  KITH_ASSIGN(const Bytes bytes, file.section(section));
  KITH_ASSIGN(const auto at, file.array<uint64_t>(offsets));
  auto array = storage::StringArray::make(bytes, at);
  if (!array) return file.corrupt(array.error().message);
  return array;
}

}  // namespace

void DocumentBlock::clear() {
  documents.clear();
  names.clear();
  digests.clear();
  sources.clear();
  keep_keys.clear();
  elements.clear();
  sizes.clear();
  signatures.clear();
  title_words.clear();
  title_sizes.clear();
  cut = 0;
  problem.reset();
}

Status NoteWriter::add(std::string_view note) {
  if (!file_ && note.empty()) {
    ++empty_;
    return Status::ok();
  }
  if (!file_) {
    KITH_ASSIGN(auto file, storage::SectionWriter::create(*fs_, path_, kind_));
    file_.emplace(std::move(file));
    KITH_TRY(file_->begin(section_));
    notes_at_.assign(empty_ + 1, 0);
  }
  notes_at_.push_back(notes_at_.back() + note.size());
  return file_->append(note);
}

Status NoteWriter::finish() {
  if (!file_) return Status::ok();
  KITH_TRY(file_->write_array(section_ + "_at", notes_at_));
  return file_->finish();
}

Result<DocumentWriter> DocumentWriter::create(storage::FileSystem& fs, const std::string& path,
                                              const std::optional<run::SketchParams>& sketches,
                                              bool titles, size_t keep_keys) {
  const auto create = [&](std::string_view name, storage::FileKind kind) {
    return storage::SectionWriter::create(fs, path_of(path, name), kind);
  };
  KITH_ASSIGN(auto documents, create(documents_file, documents_kind));
  KITH_ASSIGN(auto names, create(names_file, names_kind));
  KITH_ASSIGN(auto shingles, create(shingles_file, shingles_kind));
  DocumentWriter writer(std::move(documents), std::move(names), std::move(shingles),
                        NoteWriter(fs, path_of(path, digests_file), digests_kind, digests_section),
                        NoteWriter(fs, path_of(path, sources_file), sources_kind, sources_section));
  if (sketches) {
    KITH_ASSIGN(auto file, run::SketchWriter::create(fs, path_of(path, sketches_file), *sketches));
    writer.sketches_.emplace(std::move(file));
  }
  if (titles) {
    KITH_ASSIGN(auto file, TitleWriter::create(fs, path_of(path, title_words_file)));
    writer.titles_.emplace(std::move(file));
  }
  if (keep_keys > 0) {
    KITH_ASSIGN(auto file, create(keep_keys_file, keep_keys_kind));
    writer.keep_keys_.emplace(std::move(file));
    KITH_TRY(writer.keep_keys_->begin(keep_keys_section));
  }
  KITH_TRY(writer.documents_.begin(rows_section));
  KITH_TRY(writer.names_.begin(names_section));
  KITH_TRY(writer.shingles_.begin(shingles_section));
  return writer;
}

Status DocumentWriter::add(const DocumentBlock& block) {
  const size_t count = block.documents.size();
  KITH_CHECK(block.names.size() == count && block.sizes.size() == count);
  if (count > std::numeric_limits<uint32_t>::max() - 1 - size()) {
    return Error{ErrorKind::usage, "more than 4,294,967,294 documents: give fewer at a time"};
  }
  KITH_TRY(documents_.append_array(std::span(block.documents)));
  KITH_TRY(shingles_.append_array(std::span(block.elements)));
  for (size_t i = 0; i < count; ++i) {
    KITH_TRY(names_.append(block.names[i]));
    names_at_.push_back(names_at_.back() + block.names[i].size());
    months_.add(block.documents[i].time);
    KITH_TRY(digests_.add(block.digests.empty() ? std::string_view() : block.digests[i]));
    KITH_TRY(sources_.add(block.sources.empty() ? std::string_view() : block.sources[i]));
    shingles_at_.push_back(shingles_at_.back() + block.sizes[i]);
  }
  if (keep_keys_) KITH_TRY(keep_keys_->append_array(std::span(block.keep_keys)));
  if (titles_) KITH_TRY(titles_->add(block.title_words, block.title_sizes));
  if (!sketches_ || count == 0) return Status::ok();
  const size_t lanes = block.signatures.size() / count;
  for (size_t i = 0; i < count; ++i) {
    const auto row = std::span(block.signatures).subspan(i * lanes, lanes);
    KITH_TRY(sketches_->add(row, block.sizes[i]));
  }
  return Status::ok();
}

Status DocumentWriter::finish(std::span<const std::string> files) {
  KITH_TRY(documents_.write_strings(std::string(files_section), files.size(),
                                    [&](size_t i) -> std::string_view { return files[i]; }));
  KITH_TRY(documents_.finish());
  KITH_TRY(names_.write_array(names_at_section, names_at_));
  KITH_TRY(names_.finish());
  KITH_TRY(shingles_.write_array(shingles_at_section, shingles_at_));
  KITH_TRY(shingles_.finish());
  KITH_TRY(digests_.finish());
  KITH_TRY(sources_.finish());
  if (keep_keys_) KITH_TRY(keep_keys_->finish());
  if (titles_) KITH_TRY(titles_->finish());
  return sketches_ ? sketches_->finish() : Status::ok();
}

void DocumentTable::release() const {
  for (const storage::SectionFile* file : {&documents_file_, &names_file_, &shingles_file_}) {
    file->release();
  }
  signatures_.release(0, signatures_.size());
}

Status DocumentTable::check_sizes() const {
  for (const storage::SectionFile* file : {&documents_file_, &names_file_, &shingles_file_}) {
    KITH_TRY(file->check_size());
  }
  return Status::ok();
}

Status DocumentTable::check(uint32_t id) const {
  KITH_TRY(documents_file_.check(documents_.subspan(id, 1)));
  if (digests_file_) KITH_TRY(digests_.check(*digests_file_, id));
  return names_.check(names_file_, id);
}

Status DocumentTable::check_elements(uint32_t id) const {
  return shingles_file_.check(sets_[id]);
}

Status DocumentTable::check_names() const {
  return names_file_.verify();
}

Result<DocumentTable> DocumentTable::open(storage::FileSystem& fs, const std::string& path,
                                          DocumentFiles files) {
  using storage::SectionFile;
  DocumentTable table;
  KITH_ASSIGN(table.documents_file_,
              SectionFile::open(fs, path_of(path, documents_file), documents_kind));
  KITH_ASSIGN(table.names_file_, SectionFile::open(fs, path_of(path, names_file), names_kind));
  KITH_ASSIGN(table.shingles_file_,
              SectionFile::open(fs, path_of(path, shingles_file), shingles_kind));
  KITH_ASSIGN(table.documents_, table.documents_file_.array<Document>(rows_section));
  KITH_ASSIGN(table.files_, strings(table.documents_file_, files_section, files_at_section));
  KITH_ASSIGN(table.names_, strings(table.names_file_, names_section, names_at_section));
  KITH_ASSIGN(const auto elements, table.shingles_file_.array<uint64_t>(shingles_section));
  KITH_ASSIGN(const auto offsets, table.shingles_file_.array<uint64_t>(shingles_at_section));
  KITH_ASSIGN(table.shingles_at_, table.shingles_file_.read(offsets));
  if (!storage::valid_offsets(table.shingles_at_.span(), elements.size())) {
    return table.shingles_file_.corrupt("documents do not begin where they should");
  }
  table.sets_ =
      similar::HashSets(elements, table.shingles_at_.span(), &table.shingles_file_.mapping());
  const size_t count = table.documents_.size();
  if (count >= std::numeric_limits<uint32_t>::max() || table.names_.size() != count ||
      table.sets_.size() != count) {
    return table.documents_file_.corrupt("is not of the same run as names and shingles");
  }
  for (const Document& document : table.documents_) {
    if (document.file >= table.files_.size()) {
      return table.documents_file_.corrupt("names a file that is not there");
    }
  }
  const auto open_notes = [&](std::string_view name, storage::FileKind kind,
                              std::string_view section, std::optional<SectionFile>& file,
                              storage::StringArray& notes) -> Status {
    if (!fs.exists(path_of(path, name))) return Status::ok();
    KITH_ASSIGN(file, SectionFile::open(fs, path_of(path, name), kind));
    KITH_ASSIGN(notes, strings(*file, section, std::string(section) + "_at"));
    if (notes.size() == count) return Status::ok();
    return file->corrupt("is not of the same run as the documents");
  };
  KITH_TRY(
      open_notes(digests_file, digests_kind, digests_section, table.digests_file_, table.digests_));
  KITH_TRY(
      open_notes(sources_file, sources_kind, sources_section, table.sources_file_, table.sources_));
  if (files.keep_keys > 0) KITH_TRY(table.open_keep_keys(fs, path, files.keep_keys));
  if (files.sketches) KITH_TRY(table.open_sketches(fs, path));
  if (files.inlinks) KITH_TRY(table.open_inlinks(fs, path));
  if (files.titles) {
    KITH_ASSIGN(table.titles_, read_titles(
                                   fs, path_of(path, title_words_file), table.size(),
                                   [&](uint32_t id) { return table.name(id); },
                                   [&](uint32_t id) { return table[id].text; }));
  }
  return table;
}

Status DocumentTable::open_sketches(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto sketches, run::SketchFile::open(fs, path_of(path, sketches_file)));
  sketches_file_.emplace(std::move(sketches));
  if (sketches_file_->size() != size()) {
    return documents_file_.corrupt("is not of the same run as the sketches");
  }
  signatures_ = sketches_file_->signatures();
  return Status::ok();
}

Status DocumentTable::open_keep_keys(storage::FileSystem& fs, const std::string& path,
                                     size_t keys) {
  KITH_ASSIGN(auto file,
              storage::SectionFile::open(fs, path_of(path, keep_keys_file), keep_keys_kind));
  keep_keys_file_.emplace(std::move(file));
  KITH_ASSIGN(keep_keys_, keep_keys_file_->array<double>(keep_keys_section));
  keys_per_document_ = keys;
  if (keep_keys_.size() == size() * keys) return Status::ok();
  return keep_keys_file_->corrupt("is not of the same run as the documents");
}

Status DocumentTable::open_inlinks(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionFile::open(fs, path_of(path, inlinks_file), inlinks_kind));
  inlinks_file_.emplace(std::move(file));
  KITH_ASSIGN(inlinks_, inlinks_file_->array<uint32_t>(inlinks_section));
  if (inlinks_.size() == size()) return Status::ok();
  return inlinks_file_->corrupt("is not of the same run as the documents");
}

}  // namespace kith::jobs
