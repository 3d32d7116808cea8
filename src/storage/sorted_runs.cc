#include "storage/sorted_runs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::storage {
namespace {

constexpr size_t packed_size = sizeof(uint64_t) + sizeof(uint32_t);
static_assert(packed_size <= sizeof(KeyId));

// A packed record is never longer than one in memory, so the bytes of record i end before
// record i + 1 begins.
Bytes pack(std::span<KeyId> records) {
  auto* const bytes = reinterpret_cast<std::byte*>(records.data());
  std::byte* out = bytes;
  for (const KeyId record : records) {
    std::memcpy(out, &record.key, sizeof(record.key));
    std::memcpy(out + sizeof(record.key), &record.id, sizeof(record.id));
    out += packed_size;
  }
  return {bytes, records.size() * packed_size};
}

// Where packed records are put so that unpack() never overwrites one that it has not read: at
// the end of the array.
std::span<std::byte> packed_end(std::span<KeyId> records) {
  return std::as_writable_bytes(records).last(records.size() * packed_size);
}

void unpack(std::span<KeyId> records) {
  const std::byte* in = packed_end(records).data();
  for (KeyId& record : records) {
    KeyId value;
    std::memcpy(&value.key, in, sizeof(value.key));
    std::memcpy(&value.id, in + sizeof(value.key), sizeof(value.id));
    record = value;
    in += packed_size;
  }
}

}  // namespace

RunSource::RunSource(std::unique_ptr<ReadableFile> file, std::string path, size_t block)
    : file_(std::move(file)), path_(std::move(path)) {
  buffer_.resize(std::min<uint64_t>(block, file_->size() / packed_size));
}

Result<std::span<const KeyId>> RunSource::next_block() {
  if (file_ == nullptr) return std::exchange(block_, {});
  const uint64_t left = (file_->size() - position_) / packed_size;
  const std::span<KeyId> block = std::span(buffer_).first(std::min<uint64_t>(buffer_.size(), left));
  const std::span<std::byte> bytes = packed_end(block);
  KITH_ASSIGN(const size_t got, file_->read_at(position_, bytes));
  if (got != bytes.size()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} ends at byte {}, before its size; something else wrote to it",
                             path_, position_ + got)};
  }
  position_ += got;
  unpack(block);
  return std::span<const KeyId>(block);
}

Result<RunFile> RunFile::create(FileSystem& fs, std::string path) {
  RunFile run(fs, std::move(path));
  KITH_ASSIGN(run.file_, fs.create(run.path_));
  return run;
}

RunFile::~RunFile() {
  if (fs_ == nullptr) return;
  file_.reset();
  static_cast<void>(fs_->remove(path_));  // nobody can act on it, and the next run truncates
}

RunFile::RunFile(RunFile&& other) noexcept
    : fs_(std::exchange(other.fs_, nullptr)),
      path_(std::move(other.path_)),
      file_(std::move(other.file_)) {}

RunFile& RunFile::operator=(RunFile&& other) noexcept {
  std::swap(fs_, other.fs_);
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

Status RunFile::append(std::span<KeyId> records) {
  return file_->append(pack(records));
}

Status RunFile::close() {
  const auto file = std::move(file_);
  return file->close();
}

Result<RunSource> RunFile::open(size_t block) const {
  KITH_ASSIGN(auto file, fs_->open(path_));
  return RunSource(std::move(file), path_, block);
}

RunMerge::RunMerge(std::vector<RunSource> sources)
    : sources_(std::move(sources)), blocks_(sources_.size()), heads_(sources_.size()) {}

Result<RunMerge> RunMerge::create(std::vector<RunSource> sources) {
  KITH_CHECK(!sources.empty());
  RunMerge merge(std::move(sources));
  for (size_t s = 0; s < merge.sources_.size(); ++s) KITH_TRY(merge.refill(s));
  merge.tree_.emplace_back(merge.heads_.size(), Precedes{merge.heads_.data()});
  return merge;
}

Status RunMerge::refill(size_t source) {
  KITH_ASSIGN(blocks_[source], sources_[source].next_block());
  show(source);
  return Status::ok();
}

void RunMerge::show(size_t source) {
  if (blocks_[source].empty()) {
    heads_[source] = {UINT64_MAX, UINT64_MAX};
  } else {
    const KeyId& record = blocks_[source].front();
    heads_[source] = {record.key, record.id};
  }
}

Result<size_t> RunMerge::next(std::span<KeyId> out) {
  LoserTree<Precedes>& tree = tree_.front();
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t source = tree.winner();
    std::span<const KeyId>& block = blocks_[source];
    if (block.empty()) return i;
    out[i] = block.front();
    block = block.subspan(1);
    if (block.empty()) {
      KITH_TRY(refill(source));
    } else {
      show(source);
    }
    tree.replay();
  }
  return out.size();
}

}  // namespace kith::storage
