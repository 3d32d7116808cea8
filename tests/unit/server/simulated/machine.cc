#include "unit/server/simulated/machine.h"

#include <atomic>
#include <chrono>

namespace kith::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Read by all threads of the test program. Negative: the real clock.
constinit std::atomic<int64_t> steady_ns = -1;
constinit std::atomic<int64_t> date_ns = -1;
constinit storage::FileSystem* files = nullptr;

}  // namespace

class Machine::Files : public test::ForwardingFileSystem {
 public:
  Files(storage::FileSystem& disk, std::string folder) : disk_(disk), folder_(std::move(folder)) {}

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override {
    return of(path).create(path);
  }
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override {
    return of(path).reopen(path);
  }
  Status truncate(const std::string& path, uint64_t bytes) override {
    return of(path).truncate(path, bytes);
  }
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override {
    return of(path).open(path);
  }
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override {
    return of(path).map(path);
  }
  bool exists(const std::string& path) override { return of(path).exists(path); }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return of(folder).list(folder);
  }
  Status make_directories(const std::string& path) override {
    return of(path).make_directories(path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return of(from).rename(from, to);
  }
  Status remove(const std::string& path) override { return of(path).remove(path); }
  Status remove_tree(const std::string& path) override { return of(path).remove_tree(path); }
  Status remove_folder(const std::string& path) override { return of(path).remove_folder(path); }
  Result<std::unique_ptr<storage::FolderLock>> lock(const std::string& folder) override {
    return of(folder).lock(folder);
  }

 private:
  storage::FileSystem& of(const std::string& path) {
    return path.starts_with(folder_) ? disk_ : real_;
  }

  storage::FileSystem& disk_;
  const std::string folder_;
};

Machine::Machine(storage::FileSystem& disk, std::string folder)
    : files_(std::make_unique<Files>(disk, std::move(folder))) {
  constexpr milliseconds steady_begin = std::chrono::hours(1);
  constexpr milliseconds date_begin{1'700'000'000'000};
  steady_ns = nanoseconds(steady_begin).count();
  date_ns = nanoseconds(date_begin).count();
  files = files_.get();
}

Machine::~Machine() {
  steady_ns = date_ns = -1;
  files = nullptr;
}

void Machine::advance(milliseconds time) {
  steady_ns += nanoseconds(time).count();
  jump(time);
}

void Machine::jump(milliseconds time) {
  date_ns += nanoseconds(time).count();
}

std::chrono::steady_clock::time_point Machine::now() const {
  return std::chrono::steady_clock::time_point(nanoseconds(steady_ns));
}

int64_t Machine::date_ms() const {
  return std::chrono::floor<milliseconds>(nanoseconds(date_ns)).count();
}

}  // namespace kith::server

// The linker calls the first of each two where something calls what is named, and that itself is
// the second (--wrap).
namespace kith::server {

using SteadyTime = std::chrono::steady_clock::time_point;
using Date = std::chrono::system_clock::time_point;

SteadyTime wrapped_steady() asm("__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
SteadyTime real_steady() asm("__real__ZNSt6chrono3_V212steady_clock3nowEv");
Date wrapped_date() asm("__wrap__ZNSt6chrono3_V212system_clock3nowEv");
Date real_date() asm("__real__ZNSt6chrono3_V212system_clock3nowEv");
storage::FileSystem& wrapped_files() asm("__wrap__ZN4kith7storage17posix_file_systemEv");
storage::FileSystem& real_files() asm("__real__ZN4kith7storage17posix_file_systemEv");

SteadyTime wrapped_steady() {
  const int64_t now = steady_ns;
  return now < 0 ? real_steady() : SteadyTime(std::chrono::nanoseconds(now));
}

Date wrapped_date() {
  const int64_t now = date_ns;
  return now < 0 ? real_date() : Date(std::chrono::nanoseconds(now));
}

storage::FileSystem& wrapped_files() {
  return files != nullptr ? *files : real_files();
}

}  // namespace kith::server
