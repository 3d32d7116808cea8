#include "similar/fingerprints/fingerprint_groups.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "storage/string_table.h"

namespace kith::similar {
namespace {

constexpr uint32_t min_bits = 8;
constexpr uint64_t places_per_cell = 32;

uint32_t directory_bits(uint64_t n, uint64_t most) {
  const auto wanted = static_cast<uint32_t>(std::bit_width(n / places_per_cell));
  const uint64_t cells = std::max<uint64_t>(most / sizeof(uint32_t), 1);
  const auto allowed = static_cast<uint32_t>(std::bit_width(cells)) - 1;
  return std::max(min_bits, std::min(wanted, allowed));
}

}  // namespace

uint64_t FingerprintPlaces::bytes(uint64_t n, uint64_t most) {
  return sizeof(uint32_t) << directory_bits(n, most);
}

FingerprintPlaces::FingerprintPlaces(std::span<const uint64_t> fingerprints, uint64_t most,
                                     const Mapping* mapping)
    : fingerprints_(fingerprints),
      shift_(64 - directory_bits(fingerprints.size(), most)),
      begins_((size_t{1} << (64 - shift_)) + 1) {
  for (auto rest = fingerprints; !rest.empty();) {
    const auto block = rest.first(std::min(rest.size(), released_at_once));
    for (const uint64_t fingerprint : block) ++begins_[(fingerprint >> shift_) + 1];
    if (mapping != nullptr) mapping->release(std::as_bytes(block));
    rest = rest.subspan(block.size());
  }
  for (size_t cell = 1; cell < begins_.size(); ++cell) begins_[cell] += begins_[cell - 1];
}

uint32_t FingerprintPlaces::operator[](uint64_t fingerprint) const {
  const size_t cell = fingerprint >> shift_;
  const auto begin = fingerprints_.begin() + begins_[cell];
  const auto end = fingerprints_.begin() + begins_[cell + 1];
  return static_cast<uint32_t>(std::lower_bound(begin, end, fingerprint) - fingerprints_.begin());
}

namespace {

// An array that grows while another section is written: in a file of its own until it is copied to
// the section that is its place.
class SpilledArray {
 public:
  SpilledArray(storage::FileSystem& fs, std::string path) : fs_(fs), path_(std::move(path)) {}
  SpilledArray(const SpilledArray&) = delete;
  SpilledArray& operator=(const SpilledArray&) = delete;
  ~SpilledArray() {
    // What could not be removed is a temporary file that is too many, and no error of the result.
    static_cast<void>(fs_.remove(path_));
  }

  Status open() {
    KITH_ASSIGN(file_, fs_.create(path_));
    return Status::ok();
  }
  Status append(uint64_t value) {
    if (block_.size() == block_values) KITH_TRY(flush());
    block_.push_back(value);
    return Status::ok();
  }
  Status copy_to(storage::SectionWriter& section) {
    KITH_TRY(flush());
    KITH_TRY(file_->close());
    KITH_ASSIGN(const auto reader, fs_.open(path_));
    for (uint64_t at = 0; at < reader->size();) {
      block_.resize(block_values);
      KITH_ASSIGN(const size_t got, reader->read_at(at, std::as_writable_bytes(std::span(block_))));
      if (got == 0) break;
      KITH_TRY(section.append(std::as_bytes(std::span(block_)).first(got)));
      at += got;
    }
    return Status::ok();
  }

 private:
  static constexpr size_t block_values = size_t{1} << 15;

  Status flush() {
    KITH_TRY(file_->append(std::as_bytes(std::span(block_))));
    block_.clear();
    return Status::ok();
  }

  storage::FileSystem& fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> file_;
  std::vector<uint64_t> block_;
};

}  // namespace

FingerprintGrouper::FingerprintGrouper(storage::FileSystem& fs, ThreadPool& pool,
                                       storage::ExternalSortOptions sort)
    : fs_(fs), scratch_(sort.scratch), sort_(fs, pool, std::move(sort)) {}

Status FingerprintGrouper::write(const std::string& path) {
  KITH_ASSIGN(auto sorted, sort_.finish());
  SpilledArray groups(fs_, scratch_ + ".groups");
  SpilledArray ends(fs_, scratch_ + ".ends");
  KITH_TRY(groups.open());
  KITH_TRY(ends.open());
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs_, path, fingerprint_groups_kind));
  KITH_TRY(file.begin("documents"));
  std::vector<uint32_t> documents;
  uint64_t written = 0;
  uint64_t last = 0;
  for (;;) {
    KITH_ASSIGN(const auto block, sorted.next());
    if (block.empty()) break;
    documents.clear();
    for (const KeyId& record : block) {
      if (written == 0 || record.key != last) {
        KITH_TRY(groups.append(record.key));
        KITH_TRY(ends.append(written));
        last = record.key;
      }
      documents.push_back(record.id);
      ++written;
    }
    KITH_TRY(file.append_array(std::span<const uint32_t>(documents)));
  }
  KITH_TRY(ends.append(written));
  KITH_TRY(file.begin("documents_at"));
  KITH_TRY(ends.copy_to(file));
  KITH_TRY(file.begin("fingerprints"));
  KITH_TRY(groups.copy_to(file));
  return file.finish();
}

Result<FingerprintGroups> FingerprintGroups::open(storage::FileSystem& fs, const std::string& path,
                                                  uint32_t documents) {
  FingerprintGroups groups;
  KITH_ASSIGN(groups.file_, storage::SectionFile::open(fs, path, fingerprint_groups_kind));
  const storage::SectionFile& file = groups.file_;
  KITH_ASSIGN(groups.fingerprints_, file.array<uint64_t>("fingerprints"));
  KITH_ASSIGN(groups.ends_, file.array<uint64_t>("documents_at"));
  KITH_ASSIGN(groups.documents_, file.array<uint32_t>("documents"));
  const auto strictly_ascend = [](const auto& values) {
    return std::ranges::adjacent_find(values, std::ranges::greater_equal()) == values.end();
  };
  const bool sound = groups.ends_.size() == groups.fingerprints_.size() + 1 &&
                     storage::valid_offsets(groups.ends_, groups.documents_.size()) &&
                     strictly_ascend(groups.ends_) && strictly_ascend(groups.fingerprints_) &&
                     std::ranges::all_of(groups.documents_,
                                         [&](uint32_t document) { return document < documents; });
  if (!sound) return file.do_not_fit();
  return groups;
}

}  // namespace kith::similar
