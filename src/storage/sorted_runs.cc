#include "storage/sorted_runs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace kith::storage {
namespace {

template <class Record>
constexpr size_t packed_size = sizeof(Record::key) + sizeof(Record::id);

// A packed record is never longer than one in memory, so the bytes of record i end before
// record i + 1 begins.
template <class Record>
Bytes pack(std::span<Record> records) {
  auto* const bytes = reinterpret_cast<std::byte*>(records.data());
  std::byte* out = bytes;
  for (const Record record : records) {
    std::memcpy(out, &record.key, sizeof(record.key));
    std::memcpy(out + sizeof(record.key), &record.id, sizeof(record.id));
    out += packed_size<Record>;
  }
  return {bytes, records.size() * packed_size<Record>};
}

// Where packed records are put so that unpack() never overwrites one that it has not read: at
// the end of the array.
template <class Record>
std::span<std::byte> packed_end(std::span<Record> records) {
  return std::as_writable_bytes(records).last(records.size() * packed_size<Record>);
}

template <class Record>
void unpack(std::span<Record> records) {
  const std::byte* in = packed_end(records).data();
  for (Record& record : records) {
    Record value;
    std::memcpy(&value.key, in, sizeof(value.key));
    std::memcpy(&value.id, in + sizeof(value.key), sizeof(value.id));
    record = value;
    in += packed_size<Record>;
  }
}

}  // namespace

template <class Record>
BasicRunSource<Record>::BasicRunSource(std::unique_ptr<ReadableFile> file, std::string path,
                                       size_t block)
    : file_(std::move(file)), path_(std::move(path)) {
  buffer_.resize(std::min<uint64_t>(block, file_->size() / packed_size<Record>));
}

template <class Record>
Result<std::span<const Record>> BasicRunSource<Record>::next_block() {
  if (file_ == nullptr) return std::exchange(block_, {});
  const uint64_t left = (file_->size() - position_) / packed_size<Record>;
  const std::span<Record> block =
      std::span(buffer_).first(std::min<uint64_t>(buffer_.size(), left));
  const std::span<std::byte> bytes = packed_end(block);
  KITH_ASSIGN(const size_t got, file_->read_at(position_, bytes));
  if (got != bytes.size()) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} ends at byte {}, before its size; something else wrote to it",
                             path_, position_ + got)};
  }
  position_ += got;
  unpack(block);
  return std::span<const Record>(block);
}

template <class Record>
Result<BasicRunFile<Record>> BasicRunFile<Record>::create(FileSystem& fs, std::string path) {
  BasicRunFile run(fs, std::move(path));
  KITH_ASSIGN(run.file_, fs.create(run.path_));
  return run;
}

template <class Record>
BasicRunFile<Record>::~BasicRunFile() {
  if (fs_ == nullptr) return;
  file_.reset();
  static_cast<void>(fs_->remove(path_));  // nobody can act on it, and the next run truncates
}

template <class Record>
BasicRunFile<Record>::BasicRunFile(BasicRunFile&& other) noexcept
    : fs_(std::exchange(other.fs_, nullptr)),
      path_(std::move(other.path_)),
      file_(std::move(other.file_)) {}

template <class Record>
BasicRunFile<Record>& BasicRunFile<Record>::operator=(BasicRunFile&& other) noexcept {
  std::swap(fs_, other.fs_);
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

template <class Record>
Status BasicRunFile<Record>::append(std::span<Record> records) {
  return file_->append(pack(records));
}

template <class Record>
Status BasicRunFile<Record>::close() {
  const auto file = std::move(file_);
  return file->close();
}

template <class Record>
Result<BasicRunSource<Record>> BasicRunFile<Record>::open(size_t block) const {
  KITH_ASSIGN(auto file, fs_->open(path_));
  return BasicRunSource<Record>(std::move(file), path_, block);
}

template <class Record>
BasicRunMerge<Record>::BasicRunMerge(std::vector<BasicRunSource<Record>> sources)
    : sources_(std::move(sources)), blocks_(sources_.size()), heads_(sources_.size()) {}

template <class Record>
Result<BasicRunMerge<Record>> BasicRunMerge<Record>::create(
    std::vector<BasicRunSource<Record>> sources) {
  KITH_CHECK(!sources.empty());
  BasicRunMerge merge(std::move(sources));
  for (size_t s = 0; s < merge.sources_.size(); ++s) KITH_TRY(merge.refill(s));
  merge.tree_.emplace_back(merge.heads_.size(), Precedes{merge.heads_.data()});
  return merge;
}

template <class Record>
Status BasicRunMerge<Record>::refill(size_t source) {
  KITH_ASSIGN(blocks_[source], sources_[source].next_block());
  show(source);
  return Status::ok();
}

template <class Record>
void BasicRunMerge<Record>::show(size_t source) {
  if (blocks_[source].empty()) {
    heads_[source] = {UINT64_MAX, UINT64_MAX};
  } else {
    const Record& record = blocks_[source].front();
    heads_[source] = {record.key, record.id};
  }
}

template <class Record>
Result<size_t> BasicRunMerge<Record>::next(std::span<Record> out) {
  LoserTree<Precedes>& tree = tree_.front();
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t source = tree.winner();
    std::span<const Record>& block = blocks_[source];
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

template class BasicRunSource<KeyId>;
template class BasicRunSource<WideKeyId>;
template class BasicRunFile<KeyId>;
template class BasicRunFile<WideKeyId>;
template class BasicRunMerge<KeyId>;
template class BasicRunMerge<WideKeyId>;

}  // namespace kith::storage
