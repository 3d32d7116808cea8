// The documents of a run of `kith dedup`: their names, where they lie in the input, their elements
// and signatures (docs/formats/dedup.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/dates.h"
#include "jobs/dedup/titles.h"
#include "run/index_files.h"
#include "similar/sets/hash_sets.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::jobs {

inline constexpr storage::FileKind documents_kind{"docs", 3};
inline constexpr storage::FileKind names_kind{"name", 1};
inline constexpr storage::FileKind digests_kind{"dgst", 1};
inline constexpr storage::FileKind shingles_kind{"shin", 1};
inline constexpr storage::FileKind sources_kind{"srcs", 1};

// A row of the documents file, part of its format.
struct Document {
  uint64_t record = 0;       // number among the records or lines of its file: crawl::Page::record
  uint64_t fingerprint = 0;  // XXH3 of the elements, ascending; 0 for an empty document
  // Of its text; 0 for an empty document. Equal for texts of the same tokens in the same order
  // (text::hash_of_text), or, where boilerplate was removed, for the same whole texts.
  uint64_t text = 0;
  uint64_t offset = 0;     // of the record in its file: crawl::Page::offset
  int64_t time = no_time;  // of the capture
  uint32_t file = 0;       // number among the files of all inputs
  uint32_t bytes = 0;      // of its text
};
static_assert(sizeof(Document) == 48);

// Some consecutive documents on their way into the files.
struct DocumentBlock {
  std::vector<Document> documents;
  std::vector<std::string> names;
  std::vector<std::string> digests;   // of payloads; none, or one of each document
  std::vector<std::string> sources;   // likewise
  std::vector<double> keep_keys;      // a row each (keep.h), of the same number of keys
  std::vector<uint64_t> elements;     // of all, one after the other
  std::vector<uint32_t> sizes;        // how many each has
  std::vector<uint16_t> signatures;   // a row each; none where there are no sketches
  std::vector<uint32_t> title_words;  // of all, one after the other
  std::vector<uint8_t> title_sizes;   // how many each has; none where there are no titles
  uint64_t cut = 0;                   // documents that were not read to their end
  std::optional<Error> problem;       // of the first document that ends the job

  void clear();
  // Of the elements and signatures.
  uint64_t bytes() const {
    return elements.size() * sizeof(uint64_t) + signatures.size() * sizeof(uint16_t);
  }
};

// A text of each document, such as the digest of its payload, in a file that is made with the first
// that is not empty. Not thread-safe. Holds 8 bytes per document where there is one.
class NoteWriter {
 public:
  // `fs` must outlive the writer. `path` is that of the file, `section` what its notes are called.
  NoteWriter(storage::FileSystem& fs, std::string path, storage::FileKind kind,
             std::string_view section)
      : fs_(&fs), path_(std::move(path)), kind_(kind), section_(section) {}
  Status add(std::string_view note);
  Status finish();

 private:
  storage::FileSystem* fs_;
  std::string path_;
  storage::FileKind kind_;
  std::string section_;
  std::optional<storage::SectionWriter> file_;
  uint64_t empty_ = 0;  // that have come before the first that is not
  std::vector<uint64_t> notes_at_;
};

// Not thread-safe. Holds 20 bytes per document until finish(), and those of two NoteWriters.
class DocumentWriter {
 public:
  // Files in the folder `path`. Without `sketches` no signatures are written, without `titles` no
  // titles, and without keep_keys, the number of keys of each document, none of these.
  static Result<DocumentWriter> create(storage::FileSystem& fs, const std::string& path,
                                       const std::optional<run::SketchParams>& sketches,
                                       bool titles = false, size_t keep_keys = 0);

  // REQUIRES: signatures as create() was told. An error when there are too many documents.
  Status add(const DocumentBlock& block);
  uint64_t size() const { return names_at_.size() - 1; }
  // When the documents that were added were captured.
  Months months() const { return months_.list(); }

  // `files`: the paths of the input files by their numbers.
  Status finish(std::span<const std::string> files);

 private:
  DocumentWriter(storage::SectionWriter documents, storage::SectionWriter names,
                 storage::SectionWriter shingles, NoteWriter digests, NoteWriter sources)
      : documents_(std::move(documents)),
        names_(std::move(names)),
        shingles_(std::move(shingles)),
        digests_(std::move(digests)),
        sources_(std::move(sources)) {}

  storage::SectionWriter documents_;
  storage::SectionWriter names_;
  storage::SectionWriter shingles_;
  NoteWriter digests_;
  NoteWriter sources_;
  std::optional<storage::SectionWriter> keep_keys_;
  std::optional<run::SketchWriter> sketches_;
  std::optional<TitleWriter> titles_;
  std::vector<uint64_t> names_at_{0};
  std::vector<uint64_t> shingles_at_{0};
  MonthCounts months_;
};

// Which files a run has besides those that all have.
struct DocumentFiles {
  bool sketches = false;
  bool inlinks = false;
  bool titles = false;
  size_t keep_keys = 0;  // of each document
};

// Immutable, thread-safe. Opening checks that the files fit together.
class DocumentTable {
 public:
  static Result<DocumentTable> open(storage::FileSystem& fs, const std::string& path,
                                    DocumentFiles files);

  uint32_t size() const { return static_cast<uint32_t>(documents_.size()); }
  const Document& operator[](uint32_t id) const { return documents_[id]; }
  std::string_view name(uint32_t id) const { return names_[id]; }
  // Of its payload, as its record has it; empty where none is known.
  std::string_view digest(uint32_t id) const {
    return digests_.size() == 0 ? std::string_view() : digests_[id];
  }
  // The source that its row names; empty where it names none.
  std::string_view source(uint32_t id) const {
    return sources_.size() == 0 ? std::string_view() : sources_[id];
  }
  uint32_t files() const { return static_cast<uint32_t>(files_.size()); }
  // By Document::file.
  std::string_view file(uint32_t number) const { return files_[number]; }
  const similar::HashSets& sets() const { return sets_; }
  // What was read of names and rows will not be read for a while.
  void release_names() const {
    documents_file_.release();
    names_file_.release();
  }
  // The bytes that names and rows take when all of them are in memory.
  uint64_t name_bytes() const {
    return documents_file_.mapping_bytes() + names_file_.mapping_bytes();
  }
  // Whether row and name, or the elements, of a document are what was written.
  // See SectionFile: of all that is needed for what is printed of a document.
  Status check_sizes() const;
  Status check(uint32_t id) const;
  Status check_elements(uint32_t id) const;
  // All names.
  Status check_names() const;

  // REQUIRES: there are sketches.
  const sketch::Signatures& signatures() const { return signatures_; }
  // How many other pages link to a document. REQUIRES: there are in-links.
  uint32_t inlinks(uint32_t id) const { return inlinks_[id]; }
  // What rules of `keep` go by (keep.h). REQUIRES: there are such keys.
  std::span<const double> keep_keys(uint32_t id) const {
    return keep_keys_.subspan(id * keys_per_document_, keys_per_document_);
  }
  // The titles of the documents (titles.h); empty where they were not opened.
  const similar::Subjects& titles() const { return titles_; }
  // What was read will not be read for a while: see Mapping::release().
  void release() const;

 private:
  Status open_sketches(storage::FileSystem& fs, const std::string& path);
  Status open_inlinks(storage::FileSystem& fs, const std::string& path);
  Status open_keep_keys(storage::FileSystem& fs, const std::string& path, size_t keys);

  storage::SectionFile documents_file_;
  storage::SectionFile names_file_;
  storage::SectionFile shingles_file_;
  std::optional<run::SketchFile> sketches_file_;
  std::optional<storage::SectionFile> inlinks_file_;
  std::span<const Document> documents_;
  storage::StringArray files_;
  storage::StringArray names_;
  std::optional<storage::SectionFile> digests_file_;
  storage::StringArray digests_;
  std::optional<storage::SectionFile> sources_file_;
  storage::StringArray sources_;
  std::optional<storage::SectionFile> keep_keys_file_;
  std::span<const double> keep_keys_;
  size_t keys_per_document_ = 0;
  LargeArray<uint64_t> shingles_at_;
  similar::HashSets sets_;
  sketch::Signatures signatures_;
  std::span<const uint32_t> inlinks_;
  similar::Subjects titles_;
};

// Keeps the resident part of names and rows that are read at random small. Not thread-safe.
class ResidentNames {
 public:
  // most: bytes that may be resident. The documents must outlive this object.
  ResidentNames(const DocumentTable& documents, uint64_t most)
      : documents_(documents), most_(documents.name_bytes() <= most ? 0 : most) {}

  // To be called behind the reading of a document.
  void touch() {
    if (most_ == 0 || (touched_ += around) < most_) return;
    touched_ = 0;
    documents_.release_names();
  }

 private:
  // The kernel maps pages that are in its cache around the one that is read: of rows, offsets,
  // names.
  static constexpr uint64_t around = 3 * (uint64_t{256} << 10);
  const DocumentTable& documents_;
  const uint64_t most_;  // 0: any
  uint64_t touched_ = 0;
};

}  // namespace kith::jobs
