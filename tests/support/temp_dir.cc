#include "support/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <stdlib.h>
#include <unistd.h>

namespace kith::test {

TempDir::TempDir(Medium medium) {
  const std::string in_memory = "/dev/shm";
  const bool has_memory = access(in_memory.c_str(), W_OK) == 0;
  const std::filesystem::path parent = medium == Medium::memory && has_memory
                                           ? std::filesystem::path(in_memory)
                                           : std::filesystem::temp_directory_path();
  path_ = (parent / "kith-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kith::test
