// Which document of a group stays: rules in order, and what they need to know of a document.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "crawl/read/page.h"
#include "crawl/read/row_fields.h"
#include "storage/section_file.h"

namespace kith::jobs {

class DocumentTable;

inline constexpr storage::FileKind keep_keys_kind{"keep", 1};

enum class KeepKind : uint8_t {
  first,
  longest,
  shortest,
  newest,
  oldest,
  inlinks,
  quality,  // text::TextQuality::score()
  score,    // the value of a field
  source,   // the place in a table of sources
};

struct KeepRule {
  KeepKind kind = KeepKind::first;
  std::string name;  // of score the field, of source the file
  // Whether its key of a document is stored when that is read.
  bool is_stored() const { return kind >= KeepKind::quality; }
};

// The rules of DuplicateOptions::keep. An error of kind usage for what is no rule.
Result<std::vector<KeepRule>> keep_rules(const std::vector<std::string>& keep);

// Whether one of the rules is of this kind; false also where they are wrong.
bool keeps_by(const DuplicateOptions& options, KeepKind kind);

// How many keys of a document are stored.
size_t stored_keys(const DuplicateOptions& options);

// The fields of rows that dedup reads beside text and names, in the order of Page::extras: those of
// scores, then that of the source.
std::vector<std::string> extra_fields(const DedupOptions& options);

// What is in the files of sources, for the identity of a run; empty where there are none.
Result<std::string> sources_text(const DuplicateOptions& options);

// Makes the keys of documents that are stored. Immutable, thread-safe.
class KeepKeys {
 public:
  // The key of a document of which a rule does not know anything: such documents are kept last.
  static constexpr double unknown = -std::numeric_limits<double>::infinity();

  // Reads the files of sources. Errors: those of keep_rules(); what cannot be read or names
  // nothing.
  static Result<KeepKeys> make(const DedupOptions& options);

  // The rules whose keys are stored.
  size_t size() const { return rules_.size(); }

  // Appends the keys of a page. `file`: the path of its input file. An error of kind corrupt that
  // names the row where a score is neither a number nor a date.
  Status add(const crawl::Page& page, std::string_view text, std::string_view file,
             std::vector<double>& keys) const;

 private:
  using Ranks = std::unordered_map<std::string, uint32_t>;  // by names of sources; 0 is the first

  double source_key(const Ranks& ranks, const crawl::Page& page, std::string_view file,
                    std::string_view source) const;

  std::vector<KeepRule> rules_;
  std::vector<size_t> fields_;                          // of the rules of scores, in Page::extras
  std::vector<Ranks> ranks_;                            // of the rules of sources
  size_t source_field_ = crawl::RowFields::max_extras;  // in Page::extras; or there is none
};

// What of a page is noted beside its text: its source and its stored keys. One for each worker;
// its buffers are reused. Not thread-safe.
class DocumentNotes {
 public:
  // files: the paths of the input files by their numbers. All outlive this object.
  DocumentNotes(const DedupOptions& options, const KeepKeys& keys,
                const std::vector<std::string>& files);

  // Errors: those of KeepKeys::add(). The keys are unknown then.
  Status read(const crawl::Page& page, std::string_view text);
  // Of the last page; valid while that is.
  std::string_view source() const { return source_; }
  std::span<const double> keys() const { return own_; }

 private:
  const KeepKeys& keys_;
  const std::vector<std::string>& files_;
  size_t source_field_;  // in Page::extras; or there is none
  std::string_view source_;
  std::vector<double> own_;
};

// The order in which documents of a group are kept. REQUIRES: the rules are valid, and the table
// has what they need. Immutable, thread-safe.
class Preference {
 public:
  Preference(const DocumentTable& documents, const DuplicateOptions& options);

  // Whether it is the order of the input.
  bool is_input_order() const { return rules_.empty(); }
  // Whether a is to be kept rather than b; of equal ones the first in the input.
  bool operator()(uint32_t a, uint32_t b) const;

  // Whether a rule, of those before `first`, knows nothing of any document; null: there is none.
  const KeepRule* unknown_rule() const;

 private:
  double key(const KeepRule& rule, size_t stored, uint32_t id) const;

  const DocumentTable& documents_;
  std::vector<KeepRule> rules_;  // before `first`
};

// An error of kind usage that names a rule which knows nothing of any document. REQUIRES: as of
// Preference.
Status check_known(const DocumentTable& documents, const DuplicateOptions& options);

}  // namespace kith::jobs
