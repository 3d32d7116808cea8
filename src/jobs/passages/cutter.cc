#include "jobs/passages/cutter.h"

#include <algorithm>

#include <fmt/format.h>

#include "kith/rows.h"

namespace kith::jobs {
namespace {

// Adds a range that begins behind the begins of those before.
void join(std::vector<ElementRange>& ranges, const ElementRange& range) {
  if (!ranges.empty() && range.begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, range.end);
  } else {
    ranges.push_back(range);
  }
}

// Both ascend, and ranges of each do not touch.
std::vector<ElementRange> without(const std::vector<ElementRange>& ranges,
                                  const std::vector<ElementRange>& kept) {
  std::vector<ElementRange> left;
  size_t next = 0;
  for (const ElementRange& range : ranges) {
    uint64_t begin = range.begin;
    while (next < kept.size() && kept[next].end <= begin) ++next;
    for (size_t i = next; i < kept.size() && kept[i].begin < range.end; ++i) {
      if (begin < kept[i].begin) left.push_back({begin, kept[i].begin});
      begin = std::max(begin, kept[i].end);
    }
    if (begin < range.end) left.push_back({begin, range.end});
  }
  return left;
}

uint64_t code_points(std::string_view text) {
  return static_cast<uint64_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

// In code points.
std::string places_of(std::string_view text, std::span<const ByteRange> cuts) {
  std::string places = "[";
  uint64_t at = 0;
  uint64_t points = 0;
  for (const ByteRange& cut : cuts) {
    points += code_points(text.substr(at, cut.begin - at));
    const uint64_t end = points + code_points(text.substr(cut.begin, cut.end - cut.begin));
    places += fmt::format("{}[{}, {}]", places.size() > 1 ? ", " : "", points, end);
    points = end;
    at = cut.end;
  }
  return places + "]";
}

}  // namespace

std::vector<ElementRange> covered_elements(std::span<const PassageRun> runs, uint32_t width,
                                           PassageMode mode) {
  std::vector<ElementRange> covered;
  std::vector<ElementRange> kept;
  for (const PassageRun& run : runs) {
    const ElementRange range{run.begin, uint64_t{run.begin} + run.units + width - 1};
    if (width == 1) {
      // Lines stay apart: there may be some between that are no units.
      if (mode != PassageMode::first || !run.is_first) covered.push_back(range);
      continue;
    }
    join(covered, range);
    if (mode == PassageMode::first && run.is_first) join(kept, range);
  }
  return kept.empty() ? covered : without(covered, kept);
}

PassageCutter::PassageCutter(const PassageOptions& options)
    : options_(options), units_(options), cuts_(options.sentences) {}

std::vector<ByteRange> PassageCutter::cuts_at(std::string_view text,
                                              const std::vector<ByteRange>& ranges) {
  if (options_.unit == PassageUnit::span) return cuts_.between_words(text, ranges);
  std::vector<ByteRange> joined;
  for (const ByteRange& range : ranges) {
    if (!joined.empty() && joined.back().end == range.begin) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::string text_without(std::string_view text, std::span<const ByteRange> cuts) {
  std::string rest;
  uint64_t at = 0;
  for (const ByteRange& cut : cuts) {
    rest += text.substr(at, cut.begin - at);
    at = cut.end;
  }
  rest += text.substr(at);
  return rest;
}

void append_json_line(std::string& out, const PassageText& text, std::span<const ByteRange> cuts,
                      PassageMode mode) {
  const bool is_marked = mode == PassageMode::mark;
  const std::string field =
      is_marked ? ", \"kith_passages\": " + places_of(text.text, cuts) : std::string();
  const auto append_end = [&](std::string_view row) {
    const size_t brace = row.rfind('}');
    out += row.substr(0, brace);
    out += field;
    out += row.substr(brace);
  };
  if (!text.row_head.empty() && text.row_tail.empty()) {
    append_end(text.row_head);
  } else {
    const std::string string =
        json_string(is_marked ? std::string(text.text) : text_without(text.text, cuts));
    const std::string_view characters = std::string_view(string).substr(1, string.size() - 2);
    if (!text.row_head.empty()) {
      out += text.row_head;
    } else {
      out += host_of_name(text.name).empty() ? "{\"id\": " : "{\"url\": ";
      out += json_string(text.name) + ", \"text\": \"";
    }
    out += characters;
    append_end(text.row_head.empty() ? std::string_view("\"}") : text.row_tail);
  }
  out += '\n';
}

}  // namespace kith::jobs
