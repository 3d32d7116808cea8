// A folder of its own for a test, removed with everything in it when the test ends.
#pragma once

#include <string>
#include <string_view>

namespace kith::test {

// Files in memory cost a test that syncs them often no time. Where the system has no such place
// they are on the disk.
enum class Medium { disk, memory };

class TempDir {
 public:
  explicit TempDir(Medium medium = Medium::disk);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// Whole files, for tests only: a failure ends the test program.
void write_file(const std::string& path, std::string_view bytes);
std::string read_file(const std::string& path);

}  // namespace kith::test
