// What concerns several commands, told once: 'kith help TOPIC' prints it, and the manual page of
// kith has a section for each.
#pragma once

#include <string>
#include <vector>

namespace kith::cli {

struct HelpTopic {
  const char* name;
  const char* summary;
  std::string text;  // paragraphs; lines that are set in by two blanks stay as they are
};

const std::vector<HelpTopic>& help_topics();

}  // namespace kith::cli
