#include "cli/output/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output/console.h"

namespace kith::cli {

std::string with_commas(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string counted(uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  if (!many.empty()) return fmt::format("{} {}", with_commas(number), many);
  return fmt::format("{} {}s", with_commas(number), one);
}

namespace {

std::string in_units(double bytes, double step, const std::array<std::string_view, 5>& units) {
  size_t unit = 0;
  while (bytes >= step - 0.5 && unit + 1 < units.size()) {
    bytes /= step;
    ++unit;
  }
  const bool is_whole = unit == 0 || bytes >= 99.5 || bytes == std::floor(bytes);
  return fmt::format("{:.{}f} {}", bytes, is_whole ? 0 : 1, units[unit]);
}

}  // namespace

std::string human_bytes(double bytes) {
  return in_units(bytes, 1000, {"B", "kB", "MB", "GB", "TB"});
}

std::string human_memory(double bytes) {
  return in_units(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string human_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 2 * 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string similarity_text(double similarity) {
  return fmt::format("{:.6f}", similarity);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

namespace {

Error file_error(const std::string& path, int cause) {
  return {ErrorKind::io, fmt::format("cannot write {}: {}", path, std::strerror(cause))};
}

// Files that a run needs; others in its folder are somebody's own.
Status check_no_run_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::exists(file, ignored) || !fs::exists(folder / "manifest.json", ignored)) {
    return Status::ok();
  }
  constexpr std::string_view names[] = {"manifest", "report", "groups", "pairs", "keep", "against"};
  const bool is_list = std::ranges::find(names, file.stem().string()) != std::end(names);
  const bool is_page = file.extension() == ".html" || file.extension() == ".svg";
  if (file.extension() != ".kith" && (!is_list || is_page)) return Status::ok();
  return Error{ErrorKind::usage, fmt::format("{}: would replace a file of the run", path)};
}

}  // namespace

Output::~Output() {
  if (out_ != stdout && out_ != nullptr) std::fclose(out_);
}

Status Output::open(const std::string& path) {
  if (path.empty()) return Status::ok();
  KITH_TRY(check_no_run_file(path));
  path_ = path;
  out_ = nullptr;
  return Status::ok();
}

void Output::header(const RowFormat& format) {
  if (std::exchange(has_begun_, true)) return;
  buffer_ += format.header();
  if (!is_table(format.format())) return;
  status_ = begin_table(format);
}

Status Output::begin_table(const RowFormat& format) {
  if (path_.empty() && ::isatty(STDOUT_FILENO) != 0) {
    return Error{ErrorKind::usage, fmt::format("--format {}: is for files; name one with -o FILE",
                                               name(format.format()))};
  }
  const auto write = [this](std::string_view bytes) { return write_bytes(bytes); };
  KITH_ASSIGN(table_, create_list_file(tables_.get(), format, write));
  return Status::ok();
}

void Output::flush() {
  if (good()) status_ = table_ ? table_->append(buffer_) : write_bytes(buffer_);
  buffer_.clear();
  block_ = block;
}

Status Output::write_bytes(std::string_view bytes) {
  if (out_ == nullptr) out_ = std::fopen(path_.c_str(), "wb");
  const bool is_written =
      out_ != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out_) == bytes.size();
  return is_written ? Status::ok() : write_error();
}

Status Output::finish() {
  if (!has_begun_) return Status::ok();
  flush();
  if (table_) KITH_TRY(good() ? table_->finish() : status_);
  if (good() && std::fflush(out_) != 0) status_ = write_error();
  return status_;
}

Error Output::write_error() const {
  return path_.empty() ? output_error(errno) : file_error(path_, errno);
}

Error output_error(int cause) {
  return {ErrorKind::io, fmt::format("cannot write standard output: {}", std::strerror(cause))};
}

Status write_file(const std::string& path, std::string_view content) {
  KITH_TRY(check_no_run_file(path));
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return Status::ok();
  return Error{ErrorKind::io,
               fmt::format("cannot write {}: is the folder there and writable?", path)};
}

namespace {

std::vector<RowColumn> columns_of(ListFormat format, bool pairs) {
  using enum RowColumn::Type;
  if (pairs) return {"earlier", "later", {"similarity", share}};
  std::vector<RowColumn> columns{"document", {"cluster", count}, "role", {"similarity", share}};
  if (format == ListFormat::jsonl) {
    columns.insert(columns.end(), {"leader", {"size", count}, {"theme", words}});
  }
  return columns;
}

using Kept = AnswerOutput::Kept;

// The whole rows of a file behind its header, up to so many. `begin` is the header, or without one
// what every row begins with.
Kept whole_rows(const std::string& path, std::string_view begin, bool has_header, uint64_t most) {
  Kept kept;
  std::ifstream in(path, std::ios::binary);
  std::string line;
  bool is_header = has_header;
  while (std::getline(in, line)) {
    const bool is_whole = !in.eof();
    if (is_whole) line += '\n';
    if (kept.bytes == 0) {
      kept.fits = line.starts_with(begin) || (!is_whole && begin.starts_with(line));
    }
    if (!is_whole) break;
    if (kept.rows == most && !is_header) break;
    kept.bytes += line.size();
    kept.rows += is_header ? 0 : 1;
    is_header = false;
  }
  return kept;
}

}  // namespace

AnswerOutput::AnswerOutput(ListFormat format, bool pairs, std::string path)
    : format_(format, columns_of(format, pairs)),
      is_jsonl_(format == ListFormat::jsonl),
      path_(std::move(path)) {}

AnswerOutput::~AnswerOutput() {
  if (out_ != stdout && out_ != nullptr) std::fclose(out_);
}

Result<uint64_t> AnswerOutput::begin(const StreamProgress& progress) {
  arrived_ = progress.told;
  bool is_empty = true;
  if (!path_.empty()) {
    KITH_ASSIGN(arrived_, open_file(progress.last.empty() && !progress.lost));
    std::error_code ignored;
    is_empty = std::filesystem::file_size(path_, ignored) == 0;
  }
  if (is_empty) rows_ = format_.header();
  return arrived_;
}

Result<uint64_t> AnswerOutput::open_file(bool is_new) {
  std::error_code ignored;
  if (const auto status = std::filesystem::status(path_, ignored);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Error{
        ErrorKind::usage,
        fmt::format("--output {}: is no file, so that its rows cannot be counted; leave it "
                    "out, and rows go to standard output",
                    path_)};
  }
  out_ = std::fopen(path_.c_str(), "ab");
  if (out_ == nullptr) return write_error();
  const Kept kept = kept_rows(UINT64_MAX);
  if (!kept.fits) {
    return Error{ErrorKind::usage,
                 fmt::format("{} has other columns than the answers; name another file", path_)};
  }
  if (kept.rows > 0 && is_new) {
    return Error{ErrorKind::usage,
                 fmt::format("{} has rows already, and the stream is new; name another file, or "
                             "remove this one",
                             path_)};
  }
  KITH_TRY(cut_file(kept.bytes));
  return kept.rows;
}

Status AnswerOutput::resume(const StreamProgress& progress) {
  if (path_.empty() || arrived_ <= progress.answers) return Status::ok();
  const uint64_t unknown = arrived_ - progress.answers;
  if (!progress.was_cut && !progress.lost) {
    return Error{
        ErrorKind::usage,
        fmt::format("{} has {} more than the stream knows of; is the folder an older copy? "
                    "Restore the right one, or name another file",
                    path_, counted(unknown, "row"))};
  }
  print_message(fmt::format("{} of {}, whose pages are gone, {} taken from it",
                            counted(unknown, "row"), path_, unknown == 1 ? "is" : "are"));
  return cut_file(kept_rows(progress.answers).bytes);
}

Kept AnswerOutput::kept_rows(uint64_t most) const {
  const std::string header = format_.header();
  const std::string begin =
      is_jsonl_ ? fmt::format("{{\"{}\":", format_.columns()[0].name) : header;
  return whole_rows(path_, begin, !header.empty(), most);
}

Status AnswerOutput::cut_file(uint64_t bytes) const {
  std::error_code error;
  std::filesystem::resize_file(path_, bytes, error);
  if (!error) return Status::ok();
  return Error{ErrorKind::io, fmt::format("cannot write {}: {}", path_, error.message())};
}

Status AnswerOutput::take(const StreamAnswer& answer) {
  for (const StreamDecision& of : answer.decisions) {
    if (is_jsonl_) {
      format_.append(rows_, {of.document, of.cluster, name(of.role), of.similarity, of.leader,
                             of.size, of.theme});
    } else {
      format_.append(rows_, {of.document, of.cluster, name(of.role), of.similarity});
    }
  }
  for (const StreamPair& pair : answer.pairs) {
    format_.append(rows_, {pair.earlier, pair.later, pair.similarity});
  }
  return Status::ok();
}

Status AnswerOutput::flush() {
  const bool is_written = std::fwrite(rows_.data(), 1, rows_.size(), out_) == rows_.size();
  rows_.clear();
  if (is_written && std::fflush(out_) == 0) return Status::ok();
  return write_error();
}

Status AnswerOutput::settle() {
  KITH_TRY(flush());
  if (path_.empty() || ::fsync(::fileno(out_)) == 0) return Status::ok();
  return write_error();
}

Error AnswerOutput::write_error() const {
  if (path_.empty()) return output_error(errno);
  return {ErrorKind::io, fmt::format("cannot write {}: {}", path_, std::strerror(errno))};
}

}  // namespace kith::cli
