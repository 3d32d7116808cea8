#include "crawl/container/container.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "crawl/container/archive_walk.h"

namespace kith::crawl {
namespace {

namespace fs = std::filesystem;

// Walks that wait for the next member behind them.
constexpr size_t kMostParked = 4;

// Names are those of strangers: one must not lead out of a folder that it is appended to.
std::string clean_name(std::string_view raw) {
  std::string name;
  while (!raw.empty()) {
    const size_t slash = std::min(raw.find('/'), raw.size());
    const std::string_view part = raw.substr(0, slash);
    raw.remove_prefix(std::min(slash + 1, raw.size()));
    if (part.empty() || part == "." || part == "..") continue;
    if (!name.empty()) name += '/';
    name += part;
  }
  return name;
}

// Why the current member of a walk cannot be read, if so. The memory of other methods has no limit.
const char* obstacle_of(const ArchiveWalk& walk) {
  constexpr std::array<std::string_view, 5> methods = {"", "uncompressed", "deflation", "bzip",
                                                       "zstd"};
  if (walk.is_encrypted()) return "is encrypted";
  if (std::ranges::find(methods, walk.method()) != methods.end()) return "";
  return "is packed by a method other than those that kith reads: stored, deflate, bzip2 and zstd";
}

// The members of a container, as far as they were met.
struct Inventory {
  std::vector<Member> members;
  std::unordered_map<std::string, size_t> by_name;
  uint64_t no_files = 0;
  uint64_t replaced = 0;

  void add(const ArchiveWalk& walk);
  void order();
};

void Inventory::add(const ArchiveWalk& walk) {
  archive_entry* const entry = walk.entry();
  if (archive_entry_filetype(entry) == AE_IFDIR) return;
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr ||
      archive_entry_sparse_count(entry) > 0) {
    ++no_files;
    return;
  }
  Member member;
  member.name = clean_name(walk.name());
  if (member.name.empty()) return;
  member.size = static_cast<uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
  member.obstacle = obstacle_of(walk);
  member.head = walk.heads() - 1;
  member.begin = walk.position();
  member.is_stored = !walk.is_packed() && !walk.is_encrypted() &&
                     (walk.method().empty() || walk.method() == "uncompressed");
  const auto [place, is_new] = by_name.try_emplace(member.name, members.size());
  if (is_new) {
    members.push_back(std::move(member));
  } else {
    ++replaced;
    members[place->second] = std::move(member);
  }
}

// One that replaces another is where it lies itself.
void Inventory::order() {
  std::ranges::sort(members, {}, &Member::head);
}

// Members that share bytes are how a small file unpacks to a huge one: none may reach into the
// next. What is packed is held to it when it is read.
Status limit(const ArchiveWalk& walk, std::vector<Member>& members) {
  uint64_t end = walk.size().value_or(std::numeric_limits<uint64_t>::max());
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    member->end = end;
    if (member->begin > end || (member->is_stored && end - member->begin < member->size)) {
      return walk.damaged(fmt::format("{} does not end before another file begins", member->name));
    }
    end = member->begin;
  }
  return Status::ok();
}

// A member that is unpacked on its way, as far as its size says; then problem() says whether it was
// all.
class MemberSource : public ByteSource {
 public:
  MemberSource(std::shared_ptr<Container> container, std::unique_ptr<ArchiveWalk> walk,
               const Member& member)
      : container_(std::move(container)),
        walk_(std::move(walk)),
        left_(member.size),
        end_(member.end) {}
  ~MemberSource() override {
    if (*problem_ == '\0') container_->park(std::move(walk_));
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  Result<size_t> read(std::span<char> buffer) override {
    while (bytes_.empty() && !has_ended_) KITH_TRY(read_on());
    const size_t n = std::min(bytes_.size(), buffer.size());
    if (n > 0) std::memcpy(buffer.data(), bytes_.data(), n);
    bytes_.remove_prefix(n);
    return n;
  }
  Status seek(uint64_t) override {
    return Error{ErrorKind::internal, "a member that is unpacked on its way was to be read again"};
  }
  const char* problem() const override { return bytes_.empty() ? problem_ : ""; }

 private:
  Status read_on() {
    KITH_ASSIGN(const std::optional<std::string_view> more, walk_->read());
    if (walk_->is_damaged()) {
      end("the packed bytes of the member are damaged, or cut");
    } else if (walk_->position() > end_) {
      end("the member does not end before another file begins");
    } else if (!more) {
      end(left_ == 0 ? "" : "the member ends before its size is reached");
    } else {
      bytes_ = more->substr(0, static_cast<size_t>(std::min<uint64_t>(left_, more->size())));
      left_ -= bytes_.size();
      if (bytes_.size() < more->size()) end("the member unpacks to more than its size");
    }
    return Status::ok();
  }
  void end(const char* problem) {
    has_ended_ = true;
    problem_ = problem;
  }

  std::shared_ptr<Container> container_;
  std::unique_ptr<ArchiveWalk> walk_;
  std::string_view bytes_;  // of the walk, which were not given yet
  uint64_t left_;           // of the size
  const uint64_t end_;
  bool has_ended_ = false;
  const char* problem_ = "";
};

}  // namespace

Container::Container(std::string path, std::vector<Member> members, uint64_t no_files,
                     uint64_t replaced, bool is_packed)
    : path_(std::move(path)),
      members_(std::move(members)),
      no_files_(no_files),
      replaced_(replaced),
      is_packed_(is_packed) {
  parked_.reserve(kMostParked);  // destructors park
}

Container::~Container() = default;

std::optional<size_t> Container::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) return std::nullopt;
  return static_cast<size_t>(found - members_.begin());
}

void Container::park(std::unique_ptr<ArchiveWalk> walk) {
  const std::lock_guard lock(mutex_);
  if (parked_.size() == kMostParked) parked_.erase(parked_.begin());
  parked_.push_back(std::move(walk));
}

// A walk that has not passed the head of that number: the nearest one that is parked, or a new one.
Result<std::unique_ptr<ArchiveWalk>> Container::walk_before(size_t head) {
  const std::lock_guard lock(mutex_);
  auto nearest = parked_.end();
  for (auto at = parked_.begin(); at != parked_.end(); ++at) {
    if ((*at)->heads() > head) continue;
    if (nearest == parked_.end() || (*nearest)->heads() < (*at)->heads()) nearest = at;
  }
  if (nearest == parked_.end()) return ArchiveWalk::open(path_);
  std::unique_ptr<ArchiveWalk> walk = std::move(*nearest);
  parked_.erase(nearest);
  return walk;
}

Result<std::unique_ptr<ByteSource>> Container::open(size_t index) {
  const Member& member = members_[index];
  if (*member.obstacle != '\0') {
    return Error{ErrorKind::corrupt, fmt::format("{}/{} {}", path_, member.name, member.obstacle)};
  }
  if (member.is_stored) {
    KITH_ASSIGN(std::unique_ptr<FileSource> source, FileSource::open(path_));
    KITH_ASSIGN(std::unique_ptr<ByteSource> range,
                RangeSource::open(std::move(source), member.begin, member.size));
    return range;
  }
  KITH_ASSIGN(std::unique_ptr<ArchiveWalk> walk, walk_before(member.head));
  while (walk && walk->heads() <= member.head) {
    KITH_ASSIGN(const bool more, walk->next());
    if (!more) walk.reset();
  }
  if (!walk || clean_name(walk->name()) != member.name) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} no longer holds {}: it has changed", path_, member.name)};
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<MemberSource>(shared_from_this(), std::move(walk), member));
}

Result<std::shared_ptr<Container>> open_container(const std::string& path) {
  KITH_ASSIGN(const std::unique_ptr<ArchiveWalk> walk, ArchiveWalk::open(path));
  if (!walk) return std::shared_ptr<Container>();
  Inventory found;
  for (;;) {
    KITH_ASSIGN(const bool more, walk->next());
    if (!more) break;
    found.add(*walk);
  }
  found.order();
  KITH_TRY(limit(*walk, found.members));
  return std::make_shared<Container>(path, std::move(found.members), found.no_files, found.replaced,
                                     walk->is_packed());
}

std::optional<MemberPath> member_path(const std::string& path) {
  std::error_code error;
  if (path == "-" || fs::exists(fs::symlink_status(path, error))) return std::nullopt;
  for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const std::string front = path.substr(0, slash);
    if (!fs::exists(front, error)) continue;
    if (!fs::is_regular_file(front, error)) return std::nullopt;
    return MemberPath{front, path.substr(slash + 1)};
  }
  return std::nullopt;
}

std::string file_on_disk(const std::string& path) {
  const std::optional<MemberPath> member = member_path(path);
  return member ? member->container : path;
}

}  // namespace kith::crawl
