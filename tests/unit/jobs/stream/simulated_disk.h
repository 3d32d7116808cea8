// A disk in memory that is full, fails to sync, loses power, and is left in the midst of an
// operation when a simulation says so.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "storage/memory_file_system.h"

namespace kith::jobs {

class SimulatedDisk : public storage::FileSystem {
 public:
  explicit SimulatedDisk(uint64_t seed) : rng_(seed) {}

  bool is_full = false;     // of an append a part is written
  bool syncs_fail = false;  // and say nothing of what is on the disk
  bool is_dead = false;     // the process was killed: nothing has an effect
  // It is killed in the midst of this operation that changes the disk, counted from 1.
  uint64_t dies_at = 0;
  // What was not synced is lost from some byte on; of what was never written there may be zeros.
  void lose_power();

  // All that is there, to look at and to put back.
  std::map<std::string, std::string> content();
  void put(const std::string& path, std::string_view bytes);

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;
  Status truncate(const std::string& path, uint64_t bytes) override;
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override {
    return memory_.open(path);
  }
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override {
    return memory_.map(path);
  }
  bool exists(const std::string& path) override { return memory_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return memory_.list(folder);
  }
  Status make_directories(const std::string&) override { return Status::ok(); }
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string&) override { return Status::ok(); }
  Status remove_folder(const std::string&) override { return Status::ok(); }

 private:
  class File;
  // Before anything changes: whether it may.
  bool is_killed() {
    if (dies_at > 0 && --dies_at == 0) is_dead = true;
    return is_dead;
  }
  Error failed(std::string_view what) const {
    return {ErrorKind::io, "cannot " + std::string(what) + ": No space left on device"};
  }

  Rng rng_;
  storage::MemoryFileSystem memory_;
  std::map<std::string, std::shared_ptr<uint64_t>> synced_;  // bytes, by name
};

class SimulatedDisk::File final : public storage::WritableFile {
 public:
  File(SimulatedDisk& disk, std::unique_ptr<storage::WritableFile> file, uint64_t bytes,
       std::shared_ptr<uint64_t> synced)
      : disk_(disk), file_(std::move(file)), bytes_(bytes), synced_(std::move(synced)) {}

  Status append(Bytes bytes) override {
    if (disk_.is_dead) return disk_.failed("write");
    const bool fails = disk_.is_killed() || disk_.is_full;
    const size_t fits = fails ? disk_.rng_.below(bytes.size()) : bytes.size();
    bytes_ += fits;
    KITH_TRY(file_->append(bytes.first(fits)));
    return fits == bytes.size() ? Status::ok() : disk_.failed("write");
  }
  Status sync() override {
    if (disk_.is_killed() || disk_.syncs_fail) return disk_.failed("sync");
    *synced_ = bytes_;
    return Status::ok();
  }
  Status close() override { return Status::ok(); }

 private:
  SimulatedDisk& disk_;
  std::unique_ptr<storage::WritableFile> file_;
  uint64_t bytes_;
  std::shared_ptr<uint64_t> synced_;
};

inline Result<std::unique_ptr<storage::WritableFile>> SimulatedDisk::create(
    const std::string& path) {
  if (is_killed() || (is_full && rng_.below(2) == 0)) return failed("create");
  KITH_ASSIGN(auto file, memory_.create(path));
  const auto synced = synced_[path] = std::make_shared<uint64_t>(0);
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<File>(*this, std::move(file), 0, synced));
}

inline Result<std::unique_ptr<storage::WritableFile>> SimulatedDisk::reopen(
    const std::string& path) {
  if (is_killed()) return failed("open");
  KITH_ASSIGN(const uint64_t bytes, storage::file_size(memory_, path));
  KITH_ASSIGN(auto file, memory_.reopen(path));
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<File>(*this, std::move(file), bytes, synced_.at(path)));
}

inline Status SimulatedDisk::truncate(const std::string& path, uint64_t bytes) {
  if (is_killed()) return failed("shorten");
  *synced_.at(path) = std::min(*synced_.at(path), bytes);
  return memory_.truncate(path, bytes);
}

inline Status SimulatedDisk::rename(const std::string& from, const std::string& to) {
  if (is_killed()) return failed("rename");
  KITH_TRY(memory_.rename(from, to));
  synced_[to] = synced_.at(from);
  synced_.erase(from);
  return Status::ok();
}

inline Status SimulatedDisk::remove(const std::string& path) {
  if (is_killed()) return failed("remove");
  synced_.erase(path);
  return memory_.remove(path);
}

inline std::map<std::string, std::string> SimulatedDisk::content() {
  std::map<std::string, std::string> content;
  for (const auto& [path, synced] : synced_) content[path] = *storage::read_file(memory_, path);
  return content;
}

inline void SimulatedDisk::put(const std::string& path, std::string_view bytes) {
  memory_.put(path, bytes);
  synced_[path] = std::make_shared<uint64_t>(bytes.size());
}

inline void SimulatedDisk::lose_power() {
  constexpr uint64_t block = 4096;
  for (const auto& [path, bytes] : content()) {
    const uint64_t synced = *synced_.at(path);
    std::string left = bytes.substr(0, synced + rng_.below(bytes.size() - synced + 1));
    const bool has_zeros = left.size() < bytes.size() && rng_.below(3) == 0;
    if (has_zeros) left.resize((left.size() + block) / block * block, '\0');
    put(path, left);
  }
}

}  // namespace kith::jobs
