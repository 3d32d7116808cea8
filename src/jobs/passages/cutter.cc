#include "jobs/passages/cutter.h"

#include <algorithm>

#include <fmt/format.h>

#include "kith/rows.h"

#include "jobs/passages/texts.h"

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

std::vector<ByteRange> PassageCutter::find(std::string_view text,
                                           std::span<const PassageRun> runs) {
  const std::vector<ElementRange> elements = covered_elements(runs, units_.width(), options_.mode);
  if (elements.empty()) return {};
  const std::vector<ByteRange> ranges = units_.find(text, elements);
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

void append_json_line(std::string& out, std::string_view name, std::string_view text,
                      std::span<const ByteRange> cuts, PassageMode mode) {
  out += host_of_name(name).empty() ? "{\"id\": " : "{\"url\": ";
  out += json_string(name);
  out += ", \"text\": ";
  if (mode != PassageMode::mark) {
    out += json_string(text_without(text, cuts));
  } else {
    out += json_string(text);
    out += ", \"kith_passages\": [";
    uint64_t at = 0;
    uint64_t points = 0;
    for (const ByteRange& cut : cuts) {
      if (at > 0) out += ", ";
      points += code_points(text.substr(at, cut.begin - at));
      const uint64_t end = points + code_points(text.substr(cut.begin, cut.end - cut.begin));
      out += fmt::format("[{}, {}]", points, end);
      points = end;
      at = cut.end;
    }
    out += "]";
  }
  out += "}\n";
}

}  // namespace kith::jobs
