#include "answer_output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "output.h"

namespace kith::cli {
namespace {

std::vector<std::string_view> columns_of(ListFormat format, bool pairs) {
  if (pairs) return {"earlier", "later", "similarity"};
  if (format == ListFormat::tsv) return {"document", "cluster", "role", "similarity"};
  return {"document", "cluster", "role", "similarity", "leader", "size", "theme"};
}

struct Kept {
  uint64_t rows = 0;
  uint64_t bytes = 0;     // of whole rows and the header
  bool fits = true;       // the first line is one of ours, or was going to be
  bool has_more = false;  // whole rows behind those
};

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
    kept.has_more = kept.rows == most && !is_header;
    if (kept.has_more) break;
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
  uint64_t arrived = progress.told;
  bool is_empty = true;
  if (!path_.empty()) {
    KITH_ASSIGN(arrived, open_file(progress.answers));
    std::error_code ignored;
    is_empty = std::filesystem::file_size(path_, ignored) == 0;
  }
  if (is_empty) rows_ = format_.header();
  return arrived;
}

Result<uint64_t> AnswerOutput::open_file(uint64_t answers) {
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
  const std::string header = format_.header();
  const std::string begin = is_jsonl_ ? fmt::format("{{\"{}\":", columns_[0]) : header;
  const Kept kept = whole_rows(path_, begin, !header.empty(), answers);
  if (!kept.fits) {
    return Error{ErrorKind::usage,
                 fmt::format("{} has other columns than the answers; name another file", path_)};
  }
  // Rows that a stream has forgotten are taken away. One that is new has none to forget.
  if (kept.has_more && answers == 0) {
    return Error{ErrorKind::usage,
                 fmt::format("{} has rows already, and the stream is new; name another file, or "
                             "remove this one",
                             path_)};
  }
  std::error_code error;
  std::filesystem::resize_file(path_, kept.bytes, error);
  if (error) {
    return Error{ErrorKind::io, fmt::format("cannot write {}: {}", path_, error.message())};
  }
  return kept.rows;
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
