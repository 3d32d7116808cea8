// The documents of a run of `kith dedup`: their names, where they lie in the input, their elements
// and signatures (docs/formats/dedup.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "index/sketch_file.h"
#include "pairs/hash_sets.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::pipeline {

inline constexpr storage::FileKind documents_kind{"docs", 1};
inline constexpr storage::FileKind names_kind{"name", 1};
inline constexpr storage::FileKind shingles_kind{"shin", 1};

// A row of the documents file, part of its format.
struct Document {
  uint64_t record = 0;       // number among the records or lines of its file: crawl::Page::record
  uint64_t fingerprint = 0;  // XXH3 of the elements, ascending; 0 for an empty document
  uint32_t file = 0;         // number among the files of all inputs
  uint32_t bytes = 0;        // of its text
};
static_assert(sizeof(Document) == 24);

// Some consecutive documents on their way into the files.
struct DocumentBlock {
  std::vector<Document> documents;
  std::vector<std::string> names;
  std::vector<uint64_t> elements;    // of all, one after the other
  std::vector<uint32_t> sizes;       // how many each has
  std::vector<uint16_t> signatures;  // a row each; none where there are no sketches

  void clear();
};

// Not thread-safe. Holds 20 bytes a document until finish().
class DocumentWriter {
 public:
  // Files in the folder `path`. Without `sketches` no signatures are written.
  static Result<DocumentWriter> create(storage::FileSystem& fs, const std::string& path,
                                       const std::optional<index::SketchParams>& sketches);

  // REQUIRES: signatures as create() was told. An error when there are too many documents.
  Status add(const DocumentBlock& block);
  uint64_t size() const { return names_at_.size() - 1; }

  // `files`: the paths of the input files by their numbers.
  Status finish(std::span<const std::string> files);

 private:
  DocumentWriter(storage::SectionWriter documents, storage::SectionWriter names,
                 storage::SectionWriter shingles)
      : documents_(std::move(documents)),
        names_(std::move(names)),
        shingles_(std::move(shingles)) {}

  storage::SectionWriter documents_;
  storage::SectionWriter names_;
  storage::SectionWriter shingles_;
  std::optional<index::SketchWriter> sketches_;
  std::vector<uint64_t> names_at_{0};
  std::vector<uint64_t> shingles_at_{0};
};

// Immutable, thread-safe. Opening checks that the files fit together.
class DocumentTable {
 public:
  static Result<DocumentTable> open(storage::FileSystem& fs, const std::string& path,
                                    bool has_sketches);

  uint32_t size() const { return static_cast<uint32_t>(documents_.size()); }
  const Document& operator[](uint32_t id) const { return documents_[id]; }
  std::string_view name(uint32_t id) const { return names_[id]; }
  // By Document::file.
  std::string_view file(uint32_t number) const { return files_[number]; }
  const pairs::HashSets& sets() const { return sets_; }
  // REQUIRES: has_sketches.
  const Signatures& signatures() const { return signatures_; }

 private:
  storage::SectionFile documents_file_;
  storage::SectionFile names_file_;
  storage::SectionFile shingles_file_;
  std::optional<index::SketchFile> sketches_file_;
  std::span<const Document> documents_;
  storage::StringArray files_;
  storage::StringArray names_;
  pairs::HashSets sets_;
  Signatures signatures_;
};

}  // namespace kith::pipeline
