// What of one document is a passage, and its text without that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/passages.h"

#include "jobs/passages/runs.h"
#include "jobs/passages/texts.h"
#include "jobs/passages/units.h"
#include "text/words/cuts.h"

namespace kith::jobs {

// The elements that units of runs cover, of one document and in order: all of them, or with
// PassageMode::first those that are in no unit that stays.
std::vector<ElementRange> covered_elements(std::span<const PassageRun> runs, uint32_t width,
                                           PassageMode mode);

// One instance per worker; not thread-safe.
class PassageCutter {
 public:
  explicit PassageCutter(const PassageOptions& options);

  // Where a text is cut, as bytes: ranges ascend and do not touch each other. Calls visit(key) for
  // all units of the text.
  template <class Visit>
  std::vector<ByteRange> find(std::string_view text, std::span<const PassageRun> runs,
                              Visit&& visit) {
    const std::vector<ElementRange> elements =
        covered_elements(runs, units_.width(), options_.mode);
    return cuts_at(text, units_.find(text, elements, visit));
  }

 private:
  std::vector<ByteRange> cuts_at(std::string_view text, const std::vector<ByteRange>& ranges);

  const PassageOptions& options_;
  PassageUnits units_;
  text::TextCuts cuts_;
};

// The text without ranges of it.
std::string text_without(std::string_view text, std::span<const ByteRange> cuts);

// Appends a document as a JSON line: the row that it was read from, else an object with its name as
// "url" or "id". Its text is without the cuts, or whole with where they are, in code points:
// [[begin, end], ...].
void append_json_line(std::string& out, const PassageText& text, std::span<const ByteRange> cuts,
                      PassageMode mode);

}  // namespace kith::jobs
