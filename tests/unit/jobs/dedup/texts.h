// Texts in families of similar ones, and what a run of kith dedup leaves, for its tests.
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "support/temp_dir.h"

namespace kith::test {

using Files = std::map<std::string, std::string>;

inline std::string word(Rng& rng) {
  std::string made;
  for (int i = 0; i < 4; ++i) made += static_cast<char>('a' + rng.below(26));
  return made;
}

// Texts in families: two of three are an earlier one with some words replaced, perhaps none.
inline std::vector<std::string> make_texts(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> texts;
  for (size_t i = 0; i < n; ++i) {
    std::vector<std::string> words;
    if (i % 3 == 0) {
      words.resize(1 + rng.below(120));
      for (std::string& one : words) one = word(rng);
    } else {
      words = all[rng.below(i)];
      for (uint64_t j = rng.below(4); j > 0; --j) words[rng.below(words.size())] = word(rng);
    }
    all.push_back(words);
    std::string text = i % 40 == 39 ? " \n" : "";
    if (text.empty()) {
      for (const std::string& one : words) text += one + (i % 5 == 0 ? ", " : " ");
    }
    texts.push_back(text);
  }
  return texts;
}

// As JSON lines, named by their numbers from `first` on: d0, d1, ...
inline std::string lines_of(const std::vector<std::string>& texts, size_t first = 0) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i) {
    lines +=
        nlohmann::json{{"id", "d" + std::to_string(first + i)}, {"text", texts[i]}}.dump() + "\n";
  }
  return lines;
}

// What the lists say: rows of fields, the header first.
inline std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '\t');) fields.push_back(field);
    rows.push_back(fields);
  }
  return rows;
}

// Everything below a folder by its name, without what the clock decides.
inline Files files_of(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (name == "manifest.json") continue;
    files[name] = entry.is_regular_file() ? read_file(entry.path().string()) : "(folder)";
  }
  nlohmann::json report = nlohmann::json::parse(files.at("report.json"));
  for (const char* const key : {"threads", "memory"}) {
    report.erase(key);
    report["options"].erase(key);
  }
  report["options"].erase("output");
  report.erase("peak_memory");
  report.erase("checksum");
  for (nlohmann::json& stage : report["stages"]) {
    for (const char* const key : {"seconds", "peak_memory", "reused", "damage", "memory"})
      stage.erase(key);
  }
  files["report.json"] = report.dump();
  return files;
}

}  // namespace kith::test
