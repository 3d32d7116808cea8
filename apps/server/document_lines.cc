#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "server/api.h"
#include "server/site.h"

namespace kith::server {
namespace {

// A part: as many lines as gave an answer of about this size, and no more than these.
constexpr size_t usual_answer = 256 << 10;
constexpr size_t most_lines = 4096;
// A page may be similar to all before it.
constexpr size_t most_lines_with_pairs = 16;
constexpr size_t most_bytes = 1 << 20;  // except a longer line
constexpr size_t most_examples = 10;

// The stream unpacks what comes so packed; what it would become has no bound.
bool is_packed(std::string_view body) {
  const auto has_skippable_frame = [&] {
    return body.size() >= 4 && (static_cast<unsigned char>(body[0]) & 0xf0) == 0x50 &&
           body.substr(1, 3) == "\x2a\x4d\x18";
  };
  return body.starts_with("\x1f\x8b") || body.starts_with("\x28\xb5\x2f\xfd") ||
         has_skippable_frame();
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_rows(std::string& rows, const Json& more) {
  for (const Json& row : more) {
    if (!rows.empty()) rows += ',';
    rows += dumped(row);
  }
}

// So many lines of a body from a place on, and blank ones between them. A part begins with the end
// of the line before it, if there is one, so that it never looks like something packed.
struct Part {
  std::string_view text;
  size_t end = 0;  // in the body
  uint64_t lines = 0;
};

Part part_at(std::string_view body, size_t begin, size_t lines) {
  Part part{{}, begin, 0};
  for (size_t pages = 0; pages < lines && part.end < body.size();) {
    const size_t line_break = body.find('\n', part.end);
    const size_t end = line_break == std::string_view::npos ? body.size() : line_break + 1;
    if (part.lines > 0 && end - begin > most_bytes) break;
    const std::string_view line = body.substr(part.end, end - part.end);
    pages += line.find_first_not_of(" \t\r\n") == std::string_view::npos ? 0 : 1;
    part.end = end;
    ++part.lines;
  }
  const size_t lead = begin == 0 ? 0 : 1;
  part.text = body.substr(begin - lead, part.end - begin + lead);
  return part;
}

// What has been said of the lines so far.
class LineAnswer {
 public:
  explicit LineAnswer(std::string_view body) : body_(body) {}

  void add(const StreamLinesAnswer& answer) {
    add_rows(rows_, decisions_json(answer.answer.decisions));
    add_rows(pairs_, pairs_json(answer.answer.pairs));
    add_skipped(answer.lines);
  }
  void add(const StreamLinesPreview& preview) {
    add_rows(rows_, pages_json(preview.pages));
    add_skipped(preview.lines);
  }
  void add_taken(const Part& part) {
    taken_bytes_ = part.end;
    taken_lines_ += part.lines;
  }

  size_t size() const { return rows_.size() + pairs_.size(); }
  size_t taken_bytes() const { return taken_bytes_; }
  uint64_t taken_lines() const { return taken_lines_; }

  // With the members that an answer of this kind has.
  std::string body(std::string_view rows_name, bool has_pairs, const Json& error) const {
    std::string text = "{";
    if (!error.is_null()) text += fmt::format("\"error\":{},", dumped(error));
    text += fmt::format("\"taken\":{{\"lines\":{},\"bytes\":{}}},\"{}\":[", taken_lines_,
                        taken_bytes_, rows_name);
    text.append(rows_).append("],");
    if (has_pairs) text.append("\"pairs\":[").append(pairs_).append("],");
    const Json skipped{{"lines", skipped_lines_}, {"examples", examples_}};
    return text + fmt::format("\"skipped\":{}}}\n", dumped(skipped));
  }

 private:
  // The stream counts lines and bytes of the part.
  void add_skipped(const CrawlCounts& lines) {
    for (const auto& [kind, count] : lines.skipped) skipped_lines_ += count;
    const size_t begin = taken_bytes_ == 0 ? 0 : taken_bytes_ - 1;
    for (const SkippedRecord& of : lines.examples) {
      if (examples_.size() == most_examples) return;
      const size_t offset = begin + of.offset;
      const auto line = 1 + std::ranges::count(body_.substr(0, offset), '\n');
      const size_t reason =
          of.reason.starts_with("line ") ? of.reason.find(": ") : std::string::npos;
      examples_.push_back(
          {{"offset", offset},
           {"reason", reason == std::string::npos
                          ? of.reason
                          : fmt::format("line {}{}", line, of.reason.substr(reason))}});
    }
  }

  std::string_view body_;
  std::string rows_;
  std::string pairs_;
  Json examples_ = Json::array();
  uint64_t skipped_lines_ = 0;
  size_t taken_bytes_ = 0;
  uint64_t taken_lines_ = 0;
};

// Calls take(text) for one part after the other, of `most` lines at most, as long as the answer is
// not too long.
template <class Take>
Json take_parts(std::string_view body, size_t most, const LineOptions& options, LineAnswer& answer,
                Take&& take) {
  const auto stopped = [&](const Problem& problem) {
    return Json{
        {"status", problem.status},
        {"message", fmt::format("{}; the first {} lines of the body ({} bytes) were taken: "
                                "send the others again",
                                problem.message, answer.taken_lines(), answer.taken_bytes())}};
  };
  size_t lines = 1;
  do {
    if (answer.size() >= options.most_answer) {
      return stopped(
          {413, fmt::format("an answer has about {} bytes at most", options.most_answer)});
    }
    const size_t before = answer.size();
    const Part part = part_at(body, answer.taken_bytes(), lines);
    const auto given = take(part.text);
    if (!given) return stopped(options.problem_of(given.error()));
    answer.add(*given);
    answer.add_taken(part);
    const bool is_long = answer.size() - before > usual_answer;
    lines = is_long ? std::max<size_t>(1, lines / 4) : std::min(most, 2 * lines);
  } while (answer.taken_bytes() < body.size());
  return nullptr;
}

template <class Take>
Response answer_of(std::string_view body, size_t most, const LineOptions& options,
                   std::string_view rows_name, bool has_pairs, Take&& take) {
  if (is_packed(body)) return error_response(415, "the body is packed; send it as it is");
  LineAnswer answer(body);
  const Json error = take_parts(body, most, options, answer, take);
  Response response;
  if (!error.is_null()) response.status = error["status"].get<unsigned>();
  if (response.status == 503) response.fields.emplace_back("Retry-After", "1");
  response.body = answer.body(rows_name, has_pairs, error);
  return response;
}

}  // namespace

Response add_documents(StreamService& stream, std::string_view lines, const LineOptions& options) {
  const size_t most = stream.options().pairs ? most_lines_with_pairs : most_lines;
  return answer_of(lines, most, options, "decisions", true,
                   [&](std::string_view part) { return stream.add(part); });
}

Response preview_documents(const StreamService& stream, std::string_view lines,
                           const LineOptions& options) {
  return answer_of(lines, most_lines, options, "pages", false,
                   [&](std::string_view part) { return stream.preview(part); });
}

}  // namespace kith::server
