// Zip files (also WACZ) and tars: which files they hold, and the bytes of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "crawl/read/byte_source.h"

namespace kith::crawl {

class ArchiveWalk;

// A file in a container.
struct Member {
  std::string name;           // a relative path without parts that are empty, "." or ".."
  uint64_t size = 0;          // unpacked
  const char* obstacle = "";  // why it cannot be read, as in "is encrypted"; static text
  size_t head = 0;            // how many heads of files, folders and links come before its own
  // Where its bytes begin, and where they end at the latest: in the file, or in the tar that is
  // packed as a whole.
  uint64_t begin = 0;
  uint64_t end = 0;
  bool is_stored = false;  // its bytes lie in the file as they are
};

// Thread-safe, except for what it opens.
class Container : public std::enable_shared_from_this<Container> {
 public:
  Container(std::string path, std::vector<Member> members, uint64_t no_files, uint64_t replaced,
            bool is_packed);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  const std::string& path() const { return path_; }
  // In the order in which it holds them, each name once.
  const std::vector<Member>& members() const { return members_; }
  std::optional<size_t> find(std::string_view name) const;

  // Links, devices and sparse files.
  uint64_t no_files() const { return no_files_; }
  // Files that a later one of the same name replaces, as when the container is unpacked.
  uint64_t replaced() const { return replaced_; }
  // A tar that is packed as a whole: a member is reached by unpacking all before it.
  bool is_packed() const { return is_packed_; }

  // The bytes of members()[member], which outlive the container; the size is known of those that
  // are stored. Others are unpacked on their way, fastest in the order of the members: a walk goes
  // on where an earlier one ended. Errors: an obstacle, a damaged container, a file that cannot be
  // read.
  Result<std::unique_ptr<ByteSource>> open(size_t member);

  // Takes a walk that another member may go on with.
  void park(std::unique_ptr<ArchiveWalk> walk);

 private:
  Result<std::unique_ptr<ArchiveWalk>> walk_before(size_t head);

  const std::string path_;
  const std::vector<Member> members_;
  const uint64_t no_files_;
  const uint64_t replaced_;
  const bool is_packed_;
  std::mutex mutex_;  // guards parked_
  std::vector<std::unique_ptr<ArchiveWalk>> parked_;
};

// Opens a zip file or a tar, which may be packed as a whole, and lists its members; null where the
// file is neither. Zip files are known by their first bytes, tars by the checksum of their first
// head. Errors: the file cannot be read, or is a container that is damaged: of a zip file where the
// list at its end is, of a tar where the row of heads is broken.
Result<std::shared_ptr<Container>> open_container(const std::string& path);

bool starts_zip(std::string_view bytes);
// By the first 512 bytes.
bool starts_tar(std::string_view bytes);

// A member as a path names it: CONTAINER/MEMBER.
struct MemberPath {
  std::string container;
  std::string member;
};

// Where no file of that name exists, and the front of the path is a regular file; else nothing.
std::optional<MemberPath> member_path(const std::string& path);

// The file on the disk that holds what `path` names: its container, or itself.
std::string file_on_disk(const std::string& path);

}  // namespace kith::crawl
