#include "bags/fragment_chunks.h"

#include <algorithm>
#include <span>
#include <utility>

#include "bags/fragment.h"

namespace kith::bags {
namespace {

// The length of the whole fragments at the front of `bytes`.
size_t whole_fragments(std::string_view bytes) {
  Cursor cursor(bytes);
  Fragment fragment;
  size_t whole = 0;
  while (!cursor.at_end() && read_fragment(cursor, fragment)) {
    whole = bytes.size() - cursor.remaining();
  }
  return whole;
}

}  // namespace

FragmentChunks::FragmentChunks(storage::FileSystem& fs, std::vector<std::string> paths,
                               size_t chunk_bytes)
    : fs_(&fs), paths_(std::move(paths)), chunk_bytes_(chunk_bytes) {}

// Appends a chunk to the buffer, or what is left of the file.
Status FragmentChunks::fill() {
  KITH_ASSIGN(const auto file, fs_->open(paths_[path_]));
  const uint64_t left = file->size() - std::min(position_, file->size());
  const size_t kept = buffer_.size();
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(chunk_bytes_, left));
  buffer_.resize(kept + wanted);
  const std::span<char> space(buffer_.data() + kept, wanted);
  KITH_ASSIGN(const size_t got, file->read_at(position_, std::as_writable_bytes(space)));
  if (got < wanted) return damaged_partition();
  position_ += wanted;
  if (wanted == left) {
    ++path_;
    position_ = 0;
  }
  return Status::ok();
}

Result<std::string_view> FragmentChunks::next() {
  buffer_.erase(0, std::exchange(given_, 0));
  while (path_ < paths_.size() && given_ == 0) {
    const size_t file = path_;
    KITH_TRY(fill());
    given_ = whole_fragments(buffer_);
    // A file ends with a whole fragment.
    if (path_ != file && given_ != buffer_.size()) return damaged_partition();
  }
  return std::string_view(buffer_).substr(0, given_);
}

}  // namespace kith::bags
