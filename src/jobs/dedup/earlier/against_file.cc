#include "jobs/dedup/earlier/against_file.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

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

}  // namespace kith::jobs
