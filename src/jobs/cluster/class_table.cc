#include "jobs/cluster/class_table.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <fmt/format.h>

#include "text/url/url.h"

namespace kith::jobs {
namespace {

constexpr size_t max_line = 1 << 20;
constexpr size_t max_unknown_urls = 5;
// Of a class beside the bytes of its name: strings, and entries of the table and of its growth.
constexpr uint64_t bytes_of_name = 160;

Error at_line(const std::string& path, uint64_t line, std::string_view what) {
  return {ErrorKind::usage, fmt::format("{}:{}: {}", path, line, what)};
}

// Calls take(line, number) for the lines of a file, without their ends, numbered from 1.
Status for_each_line(storage::FileSystem& fs, const std::string& path,
                     const std::function<Status(std::string_view line, uint64_t number)>& take) {
  KITH_ASSIGN(const auto file, fs.open(path));
  std::vector<std::byte> buffer(2 * max_line);
  uint64_t offset = 0;
  uint64_t number = 0;
  size_t held = 0;
  for (bool more = true; more;) {
    KITH_ASSIGN(const size_t n, file->read_at(offset, std::span(buffer).subspan(held)));
    offset += n;
    held += n;
    more = n > 0;
    const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), held);
    size_t begin = 0;
    while (begin < held) {
      const size_t end = bytes.find('\n', begin);
      if (end == std::string_view::npos && more) break;
      std::string_view line = bytes.substr(begin, end - begin);
      begin = std::min(held, end == std::string_view::npos ? held : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.size() > max_line) return at_line(path, number + 1, "a line of more than 1 MiB");
      KITH_TRY(take(line, ++number));
    }
    if (begin == 0 && held == buffer.size()) {
      return at_line(path, number + 1, "a line of more than 1 MiB");
    }
    std::copy(buffer.begin() + static_cast<ptrdiff_t>(begin),
              buffer.begin() + static_cast<ptrdiff_t>(held), buffer.begin());
    held -= begin;
  }
  return Status::ok();
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

class Reader {
 public:
  Reader(const std::string& path, const bags::UrlTable& urls, const ClassTableOptions& options)
      : path_(path), urls_(urls), options_(options) {
    table_.by_id.resize(urls.size());
  }

  Status take(std::string_view line, uint64_t number) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (number == 1 && line.starts_with(byte_order_mark)) {
      line.remove_prefix(byte_order_mark.size());
    }
    if (line.empty()) return Status::ok();
    const std::vector<std::string_view> fields = fields_of(line);
    if (!std::exchange(knows_columns_, true) && !is_row(fields)) {
      return read_header(fields, number);
    }
    return take_row(fields, number);
  }

  Status check_rows() const {
    if (table_.counts.rows > 0) return Status::ok();
    return Error{
        ErrorKind::usage,
        fmt::format("{}: gives no page a class: it has no row with a URL and a class", path_)};
  }

  Result<ClassTable> finish() && {
    sort_names();
    WithinReport& counts = table_.counts;
    std::vector<uint64_t> sizes(table_.names.size() + 1);
    for (const uint32_t own : table_.by_id) ++sizes[own];
    counts.without = sizes[0];
    counts.classes = table_.names.size();
    for (size_t i = 1; i < sizes.size(); ++i) {
      counts.alone += sizes[i] == 1;
      counts.largest = std::max(counts.largest, sizes[i]);
    }
    if (counts.classes > 0) return std::move(table_);
    KITH_TRY(check_rows());
    return Error{ErrorKind::usage,
                 fmt::format("{}: the run has none of the {} URL{} that it gives a class, such as "
                             "{}; are they of another crawl?",
                             path_, fmt::group_digits(counts.rows), counts.rows == 1 ? "" : "s",
                             counts.unknown_urls.front())};
  }

 private:
  // A table without a header begins with a URL and its class.
  bool is_row(std::span<const std::string_view> fields) {
    return options_.column.empty() && fields.size() >= 2 &&
           text::parse_url(fields[0], nullptr, url_);
  }

  Status read_header(std::span<const std::string_view> fields, uint64_t line) {
    const auto position = [&](std::string_view name) {
      return static_cast<size_t>(std::ranges::find(fields, name) - fields.begin());
    };
    url_column_ = position("url");
    class_column_ = position(options_.column.empty() ? "class" : options_.column);
    if (options_.column.empty() && class_column_ == fields.size()) {
      class_column_ = position("label");
    }
    if (url_column_ < fields.size() && class_column_ < fields.size()) return Status::ok();
    const std::string missing = url_column_ == fields.size() ? "url"
                                : options_.column.empty()    ? "class"
                                                             : options_.column;
    return at_line(path_, line,
                   fmt::format("names no column '{}'; the first line names the columns, url and "
                               "class, separated by tabs",
                               missing));
  }

  Status take_row(std::span<const std::string_view> fields, uint64_t line) {
    const auto field = [&](size_t column) {
      return column < fields.size() ? fields[column] : std::string_view();
    };
    const std::string_view url = field(url_column_);
    const std::string_view name = field(class_column_);
    if (url.empty() || name.empty()) {
      ++table_.counts.skipped_rows;
      return Status::ok();
    }
    ++table_.counts.rows;
    const std::optional<uint32_t> id = id_of(url);
    if (!id) {
      ++table_.counts.unknown;
      auto& examples = table_.counts.unknown_urls;
      if (examples.size() < max_unknown_urls) examples.emplace_back(url.substr(0, 200));
      return Status::ok();
    }
    KITH_ASSIGN(const uint32_t own, number_of(name));
    uint32_t& known = table_.by_id[*id];
    if (known != 0 && known != own) {
      return at_line(path_, line,
                     fmt::format("{} is of class '{}' here and of class '{}' in an earlier row; a "
                                 "URL has one class, with all that are folded into it",
                                 url, name, table_.names[known - 1]));
    }
    known = own;
    return Status::ok();
  }

  std::optional<uint32_t> id_of(std::string_view url) {
    if (!text::parse_url_or_name(url, url_)) return std::nullopt;
    options_.url_rules.apply(url_);
    if (const auto id = urls_.find(url_.href)) return id;
    if (options_.aliases == nullptr) return std::nullopt;
    const auto id = options_.aliases->find(url_.href);
    return id && *id < urls_.size() ? id : std::nullopt;
  }

  // From 1, in the order in which they come.
  Result<uint32_t> number_of(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    bytes_ += 2 * name.size() + bytes_of_name;
    if (bytes_ > options_.memory) {
      return Error{ErrorKind::usage,
                   fmt::format("{}: the names of its classes need more than {} bytes of memory; "
                               "give more",
                               path_, options_.memory)};
    }
    table_.names.emplace_back(name);
    const auto number = static_cast<uint32_t>(table_.names.size());
    numbers_.emplace(std::string(name), number);
    return number;
  }

  // Classes do not depend on the order of the rows.
  void sort_names() {
    std::vector<uint32_t> order(table_.names.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](uint32_t i) -> const std::string& { return table_.names[i]; });
    std::vector<uint32_t> number(order.size() + 1);
    std::vector<std::string> names;
    for (const uint32_t i : order) {
      names.push_back(std::move(table_.names[i]));
      number[i + 1] = static_cast<uint32_t>(names.size());
    }
    table_.names = std::move(names);
    for (uint32_t& own : table_.by_id) own = number[own];
  }

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  const std::string& path_;
  const bags::UrlTable& urls_;
  const ClassTableOptions& options_;
  ClassTable table_;
  bool knows_columns_ = false;
  size_t url_column_ = 0;
  size_t class_column_ = 1;
  text::Url url_;
  uint64_t bytes_ = 0;  // of names
  boost::unordered_flat_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
};

Status read_lines(storage::FileSystem& fs, const std::string& path, Reader& reader) {
  return for_each_line(
      fs, path, [&](std::string_view line, uint64_t number) { return reader.take(line, number); });
}

}  // namespace

Result<ClassTable> read_class_table(storage::FileSystem& fs, const std::string& path,
                                    const bags::UrlTable& urls, const ClassTableOptions& options) {
  Reader reader(path, urls, options);
  KITH_TRY(read_lines(fs, path, reader));
  return std::move(reader).finish();
}

Status check_class_table(storage::FileSystem& fs, const std::string& path) {
  const bags::UrlTable no_urls;
  const ClassTableOptions options;
  Reader reader(path, no_urls, options);
  KITH_TRY(read_lines(fs, path, reader));
  return reader.check_rows();
}

}  // namespace kith::jobs
