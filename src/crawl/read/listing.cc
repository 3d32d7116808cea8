// Which files there are below the inputs, in folders, zip files and tars.
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/container/container.h"
#include "crawl/read/file_names.h"
#include "crawl/read/inputs.h"
#include "crawl/read/other_format.h"
#include "crawl/read/wacz.h"
#include "storage/file_system.h"

namespace kith::crawl {
namespace {

namespace fs = std::filesystem;

// Why what is no file in a folder is left out, whatever its name says.
LeftOut why_no_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return LeftOut::linked_folder;
  return fs::is_symlink(path, error) ? LeftOut::broken_link : LeftOut::no_file;
}

// The files of a folder or container by their kinds, and how many others there are.
class FileSorter {
 public:
  FileSorter(bool with_text, LeftOutCounts& left_out)
      : with_text_(with_text), left_out_(left_out) {}

  void add(ListedFile file) {
    std::optional<FileFormat> format = format_by_name(file.path);
    if (with_text_ && is_text_name(file.path)) format = FileFormat::text;
    if (!file.container && is_wacz_name(file.path)) format = FileFormat::warc;
    if (!format) return leave_out(LeftOut::other_file);
    file.is_page = is_whole_page(*format);
    (file.is_page ? pages_ : crawl_files_).push_back(std::move(file));
  }

  void leave_out(LeftOut kind, uint64_t count = 1) {
    left_out_[static_cast<size_t>(kind)] += count;
  }

  // The crawl files, else the pages, as they were added.
  std::vector<ListedFile> take() {
    if (!crawl_files_.empty()) leave_out(LeftOut::page_file, pages_.size());
    std::vector<ListedFile>& files = crawl_files_.empty() ? pages_ : crawl_files_;
    return std::move(files);
  }

 private:
  const bool with_text_;
  LeftOutCounts& left_out_;
  std::vector<ListedFile> crawl_files_;
  std::vector<ListedFile> pages_;  // files of HTML, and of text where these may be pages
};

Status add_below(const fs::path& folder, const fs::path& top, FileSorter& sorter) {
  KITH_ASSIGN(const std::vector<std::string> names, storage::names_in(folder.native()));
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    std::error_code gone;
    if (!fs::is_directory(fs::symlink_status(path, gone))) {
      if (fs::is_regular_file(path, gone)) {
        sorter.add({path.native(), path.lexically_relative(top).generic_string()});
      } else {
        sorter.leave_out(why_no_file(path));
      }
    } else if (holds_run(path.native())) {
      sorter.leave_out(LeftOut::run_folder);
    } else {
      KITH_TRY(add_below(path, top, sorter));
    }
  }
  return Status::ok();
}

Error nothing_to_read(const Container& container, bool with_text) {
  constexpr size_t most_names = 3;
  const std::vector<Member>& members = container.members();
  std::string names;
  bool is_nested = false;
  bool is_office = false;
  for (const Member& member : members) {
    is_nested |= is_container_name(member.name);
    is_office |= member.name == "[Content_Types].xml" || member.name == "content.xml";
  }
  for (size_t i = 0; i < std::min(members.size(), most_names); ++i) {
    names += (i == 0 ? ": " : ", ") + members[i].name;
  }
  if (members.size() > most_names) names += ", ...";
  return {ErrorKind::not_found,
          fmt::format("{} holds no crawl file and no HTML{}, but {} {}{}{}", container.path(),
                      with_text ? " or text (.txt)" : "", members.size(),
                      members.size() == 1 ? "file" : "files", names,
                      is_office   ? "; save this office file as text or HTML first"
                      : is_nested ? "; unpack it first: kith reads no zip file or tar in another"
                                  : "")};
}

// The members of a zip file or tar, as a folder of them would be read; `below`: what stands before
// their names in ListedFile::below.
Status add_container(const std::shared_ptr<Container>& container, const std::string& below,
                     const CrawlOptions& options, Listing& listing) {
  FileSorter sorter(options.nameless, listing.left_out);
  sorter.leave_out(LeftOut::no_file, container->no_files());
  sorter.leave_out(LeftOut::replaced, container->replaced());
  const bool has_own_folder = is_wacz(*container);
  const std::vector<Member>& members = container->members();
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string& name = members[i].name;
    if (has_own_folder && !name.starts_with(kFolderOfWacz)) continue;
    sorter.add({container->path() + "/" + name, below + name, false, container, i});
  }
  std::vector<ListedFile> files = sorter.take();
  if (files.empty()) return nothing_to_read(*container, options.nameless);
  if (files.front().is_page && needs_base_url(options)) return no_base_url(container->path());
  for (ListedFile& file : files) {
    const Member& member = members[file.member];
    if (*member.obstacle != '\0') {
      return Error{ErrorKind::usage, fmt::format("{} {}: unpack {} first", file.path,
                                                 member.obstacle, container->path())};
    }
    listing.files.push_back(std::move(file));
  }
  return Status::ok();
}

Status add_folder(const std::string& folder, const CrawlOptions& options, Listing& listing) {
  if (holds_run(folder)) {
    return Error{
        ErrorKind::usage,
        fmt::format("{} is a run directory of kith: its files are never read as a crawl", folder)};
  }
  FileSorter sorter(options.nameless, listing.left_out);
  KITH_TRY(add_below(folder, folder, sorter));
  std::vector<ListedFile> files = sorter.take();
  std::ranges::sort(files, {}, &ListedFile::path);
  if (files.empty()) {
    return Error{
        ErrorKind::not_found,
        fmt::format("{} holds no crawl file (.warc, .arc or .jsonl, perhaps compressed, or "
                    ".wacz) and no HTML{}",
                    folder, options.nameless ? " or text (.txt)" : "")};
  }
  if (files.front().is_page && needs_base_url(options)) return no_base_url(folder);
  for (ListedFile& file : files) {
    if (is_wacz_name(file.path)) {
      KITH_ASSIGN(const std::shared_ptr<Container> container, open_container(file.path));
      if (container) {
        KITH_TRY(add_container(container, file.below + "/", options, listing));
        continue;
      }
    }
    listing.files.push_back(std::move(file));
  }
  return Status::ok();
}

// What is neither a folder nor standard input: a file, a container of files, or one of these.
Status add_file(const std::string& input, const CrawlOptions& options, Listing& listing) {
  ListedFile file{input, fs::path(input).filename().string()};
  std::error_code error;
  if (fs::is_regular_file(input, error)) {
    KITH_ASSIGN(const std::shared_ptr<Container> container, open_container(input));
    if (container) return add_container(container, "", options, listing);
  } else if (const std::optional<MemberPath> path = member_path(input)) {
    KITH_ASSIGN(file.container, open_container(path->container));
    const std::optional<size_t> member =
        file.container ? file.container->find(path->member) : std::nullopt;
    if (!member) {
      return Error{ErrorKind::not_found,
                   fmt::format("cannot open {}: {}", input,
                               file.container ? "there is no such file in the zip file or tar"
                                              : path->container + " is no folder")};
    }
    file.member = *member;
  }
  listing.files.push_back(std::move(file));
  return Status::ok();
}

// A list that 'kith dedup' has written.
bool is_list(const std::string& path) {
  constexpr std::array<std::string_view, 4> names{"groups.jsonl", "pairs.jsonl", "keep.jsonl",
                                                  "against.jsonl"};
  const fs::path file(path);
  if (std::ranges::find(names, file.filename().native()) == names.end()) return false;
  return holds_run(file.has_parent_path() ? file.parent_path().native() : ".");
}

Status check_named(const std::string& input, const CrawlOptions& options) {
  if (input.empty()) {
    return Error{ErrorKind::usage, "an INPUT is an empty name: name a file, a folder or -"};
  }
  if (input == "-" && std::ranges::count(options.inputs, "-") > 1) {
    return Error{ErrorKind::usage, "standard input (\"-\") is named twice"};
  }
  if (input.find("://") != std::string::npos) {
    return Error{ErrorKind::usage, how_to_fetch(input)};
  }
  if (is_list(input)) {
    return Error{ErrorKind::usage,
                 fmt::format("{} is a list that kith has written, not a crawl", input)};
  }
  return Status::ok();
}

}  // namespace

Result<Listing> list_inputs(const CrawlOptions& options) {
  Listing listing;
  for (const std::string& input : options.inputs) {
    KITH_TRY(check_named(input, options));
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      KITH_TRY(add_folder(input, options, listing));
    } else if (input == "-") {
      listing.files.push_back({input, input});
    } else {
      KITH_TRY(add_file(input, options, listing));
    }
  }
  return listing;
}

}  // namespace kith::crawl
