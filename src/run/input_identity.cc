#include "run/input_identity.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/rows.h"

#include "base/hash.h"
#include "crawl/read/inputs.h"

namespace kith::run {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;

constexpr uint64_t whole_up_to = 1u << 20;
constexpr uint64_t block = 16u << 10;
constexpr uint64_t blocks = 16;

Status append_block(const storage::ReadableFile& file, uint64_t offset, uint64_t size,
                    std::vector<std::byte>& sample) {
  const size_t before = sample.size();
  sample.resize(before + size);
  KITH_ASSIGN(const size_t read, file.read_at(offset, std::span(sample).subspan(before)));
  sample.resize(before + read);
  return Status::ok();
}

bool is_pipe(const std::string& path) {
  std::error_code error;
  const fs_path::file_status status = fs_path::status(path, error);
  return path == "-" || path.find("://") != std::string::npos ||
         (fs_path::exists(status) && !fs_path::is_regular_file(status) &&
          !fs_path::is_directory(status));
}

// Rows of files, with what they say of one on the disk. Members of a zip file or tar, of which
// there may be many, are known by its content.
class Rows {
 public:
  explicit Rows(storage::FileSystem& fs) : fs_(fs) {}

  Result<json> row_of(const crawl::ListedFile& file) {
    json row{{"name", tsv_field(file.below)}};
    if (is_pipe(file.on_disk())) {
      row["pipe"] = true;
      return row;
    }
    if (last_path_ != file.on_disk()) KITH_TRY(look_at(file.on_disk()));
    row["content"] = content_;
    row["size"] = size_;
    return row;
  }

 private:
  Status look_at(const std::string& path) {
    std::error_code error;
    if (!fs_path::exists(path, error)) {
      return Error{ErrorKind::not_found,
                   fmt::format("cannot open {}: No such file or directory", path)};
    }
    KITH_ASSIGN(content_, file_fingerprint(fs_, path));
    size_ = fs_path::file_size(path, error);
    last_path_ = path;
    return Status::ok();
  }

  storage::FileSystem& fs_;
  std::string last_path_;
  std::string content_;
  uint64_t size_ = 0;
};

uint64_t number_in(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string text_in(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

// What differs between two rows of the same file.
std::string row_difference(const json& earlier, const json& now) {
  const std::string name = text_in(now, "name");
  if (earlier.contains("pipe") || now.contains("pipe")) {
    return fmt::format("{} was {}", name, earlier.contains("pipe") ? "a pipe" : "a file");
  }
  if (number_in(earlier, "size") != number_in(now, "size")) {
    return fmt::format("{} had {} bytes and has {}", name, number_in(earlier, "size"),
                       number_in(now, "size"));
  }
  return fmt::format("{} has other content, of the same size", name);
}

// Whether a row has that key.
bool holds(const json& inputs, const char* key) {
  return std::ranges::any_of(inputs, [&](const json& row) { return row.contains(key); });
}

std::string total_text(const json& inputs) {
  if (inputs.size() == 1 && inputs[0].contains("files")) {
    return fmt::format("{} files of {} bytes", number_in(inputs[0], "files"),
                       number_in(inputs[0], "size"));
  }
  uint64_t bytes = 0;
  for (const json& row : inputs) bytes += number_in(row, "size");
  return fmt::format("{} {} of {} bytes", inputs.size(), inputs.size() == 1 ? "file" : "files",
                     bytes);
}

std::set<std::string> names_in(const json& inputs) {
  std::set<std::string> names;
  for (const json& row : inputs) names.insert(text_in(row, "name"));
  return names;
}

// Of two lists of files with names.
std::string list_difference(const json& earlier, const json& now) {
  const std::set<std::string> before = names_in(earlier);
  const std::set<std::string> names = names_in(now);
  for (const std::string& name : names) {
    if (!before.contains(name)) return fmt::format("{} was not among them", name);
  }
  for (const std::string& name : before) {
    if (!names.contains(name)) return fmt::format("{} was among them", name);
  }
  if (earlier.size() != now.size()) {
    return fmt::format("they were {} and are {}", earlier.size(), now.size());
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if (text_in(earlier[i], "name") != text_in(now[i], "name")) return "they had another order";
    if (earlier[i] != now[i]) return row_difference(earlier[i], now[i]);
  }
  return "they differ";
}

fs_path::path canonical(const std::string& path) {
  std::error_code error;
  const fs_path::path whole = fs_path::weakly_canonical(fs_path::absolute(path, error), error);
  // A slash at the end makes an empty last part.
  return whole.has_filename() ? whole : whole.parent_path();
}

bool lies_in(const fs_path::path& path, const fs_path::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

Result<std::string> file_fingerprint(storage::FileSystem& fs, const std::string& path) {
  KITH_ASSIGN(const auto file, fs.open(path));
  const uint64_t size = file->size();
  std::vector<std::byte> sample;
  if (size <= whole_up_to) {
    KITH_TRY(append_block(*file, 0, size, sample));
  } else {
    for (uint64_t i = 0; i < blocks; ++i) {
      const uint64_t offset = i + 1 == blocks ? size - block : (size - block) / (blocks - 1) * i;
      KITH_TRY(append_block(*file, offset, block, sample));
    }
  }
  return fmt::format("{:016x}", hash64(std::span<const std::byte>(sample)));
}

Result<json> crawl_identity(storage::FileSystem& fs, const ReadOptions& options, bool nameless,
                            crawl::Share share) {
  crawl::CrawlOptions crawl;
  crawl.inputs = options.inputs;
  crawl.base_url = options.base_url;
  crawl.nameless = nameless;
  crawl.tables = options.tables;
  KITH_ASSIGN(crawl::Listing listing, crawl::list_inputs(crawl));
  const size_t shared = listing.files.size();
  for (const std::string& list : {options.only, options.exclude_list}) {  // read by every share
    if (!list.empty()) listing.files.push_back({list, fs_path::path(list).filename().string()});
  }
  json rows = json::array();
  const bool is_long = listing.files.size() > max_identity_rows;
  StreamHash hash;
  Rows all(fs);
  uint64_t bytes = 0;
  for (size_t i = 0; i < listing.files.size(); ++i) {
    const crawl::ListedFile& file = listing.files[i];
    json row{{"name", tsv_field(file.below)}};
    if (i >= shared || i % share.of + 1 == share.number) {
      KITH_ASSIGN(row, all.row_of(file));
    }
    // The run would be told to be the same though it cannot be known.
    if (!is_long || row.contains("pipe")) {
      rows.push_back(std::move(row));
      continue;
    }
    bytes += number_in(row, "size");
    const std::string line = row.dump() + "\n";
    hash.update(std::as_bytes(std::span(line)));
  }
  if (is_long) {
    rows.push_back({{"files", listing.files.size()},
                    {"size", bytes},
                    {"content", fmt::format("{:016x}", hash.digest())}});
  }
  return rows;
}

std::string input_difference(const json& earlier, const json& now) {
  constexpr std::string_view other = "other inputs: ";
  if (!earlier.is_array() || std::ranges::any_of(earlier, &json::is_string)) {
    return "inputs that an earlier version of kith knew by their times of change";
  }
  for (const auto& [key, what] :
       {std::pair{"bags", "bags of an earlier run"}, std::pair{"shard", "shards"}}) {
    if (holds(earlier, key) && holds(now, key)) return fmt::format("other inputs: other {}", what);
    if (holds(earlier, key)) return fmt::format("other inputs: {}, not a crawl", what);
    if (holds(now, key)) return fmt::format("other inputs: not {}", what);
  }
  if (holds(earlier, "files") || holds(now, "files")) {
    const std::string before = total_text(earlier);
    const std::string after = total_text(now);
    return before == after
               ? fmt::format("{}a name or the content among the {} has changed", other, after)
               : fmt::format("{}they were {} and are {}", other, before, after);
  }
  return fmt::format("{}{}", other, list_difference(earlier, now));
}

bool has_pipe(const json& inputs) {
  return holds(inputs, "pipe");
}

Status check_output_place(const std::string& output, const std::vector<std::string>& inputs) {
  if (output == "-") {
    return Error{ErrorKind::usage,
                 "-o -: a run is a folder, not a stream: name a new folder (./- if it is to be "
                 "called that)"};
  }
  const fs_path::path place = canonical(output);
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input.empty() || input == "-" || !fs_path::exists(input, error)) continue;
    const fs_path::path read = canonical(input);
    if (place == read) {
      return Error{ErrorKind::usage,
                   fmt::format("{}: is the input; name another folder for what is made", output)};
    }
    if (!fs_path::is_directory(input, error) || !lies_in(place, read)) continue;
    return Error{ErrorKind::usage,
                 fmt::format("{}: lies in {}, which is an input: name a folder outside of it",
                             output, input)};
  }
  return Status::ok();
}

}  // namespace kith::run
