#include "storage/growing_pages.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

namespace kith::storage {
namespace {

constexpr size_t page = 4096;
constexpr size_t huge_page = size_t{2} << 20;

}  // namespace

GrowingPages::~GrowingPages() {
  if (pages_ == nullptr) return;
  open_rest();
  ::munmap(pages_, room_);
}

void GrowingPages::append(Bytes bytes) {
  if (bytes.empty()) return;
  open_rest();
  if (bytes.size() > room_ - size_) make_room(size_ + bytes.size());
  std::memcpy(pages_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  close_rest();
}

void GrowingPages::make_room(size_t need) {
  const size_t room = std::max((need + page - 1) / page * page, 2 * room_);
  void* const moved = pages_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                        : ::mremap(pages_, room_, room, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) throw std::bad_alloc();
  // One fault of a large page takes less time than those of its small ones.
  if (room >= huge_page) ::madvise(moved, room, MADV_HUGEPAGE);
  pages_ = static_cast<std::byte*>(moved);
  room_ = room;
}

void GrowingPages::open_rest() const {
  ASAN_UNPOISON_MEMORY_REGION(pages_ + size_, room_ - size_);
}

void GrowingPages::close_rest() const {
  ASAN_POISON_MEMORY_REGION(pages_ + size_, room_ - size_);
}

}  // namespace kith::storage
