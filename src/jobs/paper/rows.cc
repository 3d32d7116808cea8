#include "jobs/paper/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace kith::jobs {

Result<std::unique_ptr<PaperRows>> PaperRows::open(storage::FileSystem& fs,
                                                   const PaperSignatureFile& signatures) {
  const std::string path = signatures.low_bytes_path();
  KITH_ASSIGN(auto file, fs.map(path));
  if (file->bytes().size() != signatures.size() * paper_lanes) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} has another size than when it was written; something else wrote "
                             "to it",
                             path)};
  }
  return std::unique_ptr<PaperRows>(new PaperRows(signatures, std::move(file)));
}

Bytes PaperRows::row_bytes(size_t row) const {
  return file_->bytes().subspan(row * paper_lanes, paper_lanes);
}

uint16_t PaperRows::value(size_t row, uint32_t lane) const {
  return std::to_integer<uint16_t>(row_bytes(row)[lane]);
}

std::span<const uint16_t> PaperRows::values(size_t row, std::span<uint16_t> buffer) const {
  const auto out = buffer.first(paper_lanes);
  std::ranges::transform(row_bytes(row), out.begin(), std::to_integer<uint16_t>);
  return out;
}

std::span<const uint16_t> PaperRows::read(size_t row, std::span<uint16_t> buffer) const {
  std::array<std::byte, paper_lanes> bytes;
  file_->copy(row_bytes(row), bytes.data());
  const auto out = buffer.first(paper_lanes);
  std::ranges::transform(bytes, out.begin(), std::to_integer<uint16_t>);
  return out;
}

void PaperRows::release(size_t begin, size_t end) const {
  if (begin >= end) return;
  file_->release(file_->bytes().subspan(begin * paper_lanes, (end - begin) * paper_lanes));
}

}  // namespace kith::jobs
