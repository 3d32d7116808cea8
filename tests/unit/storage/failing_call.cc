#include "unit/storage/failing_call.h"

#include <cerrno>
#include <cstddef>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace kith::storage {
namespace {

struct Armed {
  Call call;
  int error;
};
thread_local std::optional<Armed> armed;

// Whether it is the turn of this call; errno is set.
bool fails(Call call) {
  if (!armed || armed->call != call) return false;
  errno = armed->error;
  armed.reset();
  return true;
}

// What a call that fails gives.
int outcome() {
  return errno == 0 ? 0 : -1;
}

}  // namespace

FailingCall::FailingCall(Call call, int error) {
  EXPECT_FALSE(armed);
  armed = Armed{call, error};
}

FailingCall::~FailingCall() {
  armed.reset();
}

bool FailingCall::has_failed() const {
  return !armed;
}

// The linker's names of the calls. open() and mremap() have as many arguments as the project gives.
int wrapped_open(const char* path, int flags, mode_t mode) asm("__wrap_open");
int real_open(const char* path, int flags, mode_t mode) asm("__real_open");
DIR* wrapped_opendir(const char* path) asm("__wrap_opendir");
DIR* real_opendir(const char* path) asm("__real_opendir");
dirent* wrapped_readdir(DIR* folder) asm("__wrap_readdir");
dirent* real_readdir(DIR* folder) asm("__real_readdir");
int wrapped_rmdir(const char* path) asm("__wrap_rmdir");
int real_rmdir(const char* path) asm("__real_rmdir");
ssize_t wrapped_write(int file, const void* bytes, size_t size) asm("__wrap_write");
ssize_t real_write(int file, const void* bytes, size_t size) asm("__real_write");
ssize_t wrapped_pread(int file, void* bytes, size_t size, off_t offset) asm("__wrap_pread");
ssize_t real_pread(int file, void* bytes, size_t size, off_t offset) asm("__real_pread");
int wrapped_fdatasync(int file) asm("__wrap_fdatasync");
int real_fdatasync(int file) asm("__real_fdatasync");
int wrapped_fsync(int file) asm("__wrap_fsync");
int real_fsync(int file) asm("__real_fsync");
int wrapped_close(int file) asm("__wrap_close");
int real_close(int file) asm("__real_close");
int wrapped_fstat(int file, struct stat* facts) asm("__wrap_fstat");
int real_fstat(int file, struct stat* facts) asm("__real_fstat");
void* wrapped_mmap(void* address, size_t size, int access, int flags, int file,
                   off_t offset) asm("__wrap_mmap");
void* real_mmap(void* address, size_t size, int access, int flags, int file,
                off_t offset) asm("__real_mmap");
void* wrapped_mremap(void* address, size_t before, size_t size, int flags) asm("__wrap_mremap");
void* real_mremap(void* address, size_t before, size_t size, int flags) asm("__real_mremap");
int wrapped_flock(int file, int operation) asm("__wrap_flock");
int real_flock(int file, int operation) asm("__real_flock");

int wrapped_open(const char* path, int flags, mode_t mode) {
  return fails(Call::open) ? outcome() : real_open(path, flags, mode);
}

DIR* wrapped_opendir(const char* path) {
  return fails(Call::opendir) ? nullptr : real_opendir(path);
}

dirent* wrapped_readdir(DIR* folder) {
  return fails(Call::readdir) ? nullptr : real_readdir(folder);
}

int wrapped_rmdir(const char* path) {
  return fails(Call::rmdir) ? outcome() : real_rmdir(path);
}

ssize_t wrapped_write(int file, const void* bytes, size_t size) {
  return fails(Call::write) ? outcome() : real_write(file, bytes, size);
}

ssize_t wrapped_pread(int file, void* bytes, size_t size, off_t offset) {
  return fails(Call::pread) ? outcome() : real_pread(file, bytes, size, offset);
}

int wrapped_fdatasync(int file) {
  return fails(Call::fdatasync) ? outcome() : real_fdatasync(file);
}

int wrapped_fsync(int file) {
  return fails(Call::fsync) ? outcome() : real_fsync(file);
}

int wrapped_close(int file) {
  const int closed = real_close(file);
  return fails(Call::close) ? outcome() : closed;
}

int wrapped_fstat(int file, struct stat* facts) {
  return fails(Call::fstat) ? outcome() : real_fstat(file, facts);
}

void* wrapped_mmap(void* address, size_t size, int access, int flags, int file, off_t offset) {
  return fails(Call::mmap) ? MAP_FAILED : real_mmap(address, size, access, flags, file, offset);
}

void* wrapped_mremap(void* address, size_t before, size_t size, int flags) {
  return fails(Call::mremap) ? MAP_FAILED : real_mremap(address, before, size, flags);
}

int wrapped_flock(int file, int operation) {
  return fails(Call::flock) ? outcome() : real_flock(file, operation);
}

}  // namespace kith::storage
