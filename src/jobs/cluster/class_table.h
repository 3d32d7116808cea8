// A table of classes: url TAB class (docs/formats/classes.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/tables.h"
#include "storage/file_system.h"
#include "text/url/url_rules.h"

namespace kith::jobs {

struct ClassTable {
  std::vector<std::string> names;  // in byte order; class c, from 1, is names[c - 1]
  std::vector<uint32_t> by_id;     // the class of every URL of the run, 0 for none
  WithinReport counts;
};

struct ClassTableOptions {
  std::string column = {};  // that has the class; empty: "class", or "label" where there is none
  uint64_t memory = 0;      // bytes that the names of classes may take
  // URLs that are folded into others: what is said of them is said of these. May be null.
  const bags::AliasTable* aliases = nullptr;
  text::UrlRules url_rules = {};  // by which the URLs of the run are spelled
};

// Reads the file, a stretch at a time, for the URLs of a run. Errors of kind usage. That name
// the line: no such columns; a URL with two classes; a line of more than 1 MiB. That name the file:
// no URL of the run with a class; names that do not fit the memory. Memory besides: 4 bytes per
// URL, and 2 MiB.
Result<ClassTable> read_class_table(storage::FileSystem& fs, const std::string& path,
                                    const bags::UrlTable& urls, const ClassTableOptions& options);

// The errors of a table that can be told before there are URLs: its columns, lines that are too
// long, no row with a class.
Status check_class_table(storage::FileSystem& fs, const std::string& path);

}  // namespace kith::jobs
