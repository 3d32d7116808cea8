// The operating system's files under a program that is killed, or a machine that loses power.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "support/forwarding_file_system.h"

namespace kith::test {

// What is gone after the crash: nothing that was written, as after kill -9, or what was not
// synced, as after a power failure.
enum class Loss : uint8_t { nothing, unsynced };

// The first `operations` operations that change the disk succeed. The next one is the crash: of
// an append half is written, of another operation nothing is done. It and all that follow are
// errors and change nothing, so that what stands on the disk is what a crash would have left.
// Operations are counted in the order in which they come, so a test has one thread. Thread-safe.
class CrashingFileSystem : public ForwardingFileSystem {
 public:
  CrashingFileSystem(uint64_t operations, Loss loss) : left_(operations), loss_(loss) {}

  bool crashed() const { return crashed_; }

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;
  Status truncate(const std::string& path, uint64_t bytes) override;
  Status make_directories(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string& path) override;
  Status remove_folder(const std::string& path) override;
  Status share(const std::string& from, const std::string& to) override;

 private:
  friend class CrashingFile;
  struct Size {
    uint64_t written = 0;
    uint64_t synced = 0;
  };

  // An error when this is the crash or comes after it.
  Status step();
  void lose_unsynced();

  std::mutex mutex_;
  uint64_t left_;
  Loss loss_;
  bool crashed_ = false;
  std::map<std::string, std::shared_ptr<Size>> sizes_;  // by the name that the file has now
};

}  // namespace kith::test
