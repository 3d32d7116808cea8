#include "cli/output/answer_output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/text_format.h"

namespace kith::cli {
namespace {

std::vector<std::string_view> columns_of(ListFormat format, bool pairs) {
  if (pairs) return {"earlier", "later", "similarity"};
  if (format == ListFormat::tsv) return {"document", "cluster", "role", "similarity"};
  return {"document", "cluster", "role", "similarity", "leader", "size", "theme"};
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
    : columns_(columns_of(format, pairs)),
      format_(format, columns_),
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
  const std::string begin = is_jsonl_ ? fmt::format("{{\"{}\":", columns_[0]) : header;
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
