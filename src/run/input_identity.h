// Whether an input is still the one that an earlier run has read: by names and content, whatever
// the spelling of its path, its place and the time of its last change. docs/formats/inputs.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kith/options.h"
#include "kith/status.h"

#include "crawl/read/page_reader.h"
#include "storage/file_system.h"

namespace kith::run {

// Beyond so many files one row tells of them all: a manifest is written at every stage.
inline constexpr uint64_t max_identity_rows = 1000;

// 16 hexadecimal digits that tell of the content of a file: XXH3-64 of all of it up to 1 MiB, else
// of 16 blocks of 16 KiB, the first at its beginning, the last at its end, the others evenly
// between. A change elsewhere in a larger file that keeps its size is not noticed.
Result<std::string> file_fingerprint(storage::FileSystem& fs, const std::string& path);

// The files that are read of a crawl, in order: an array of objects with "name" (below the folder
// that was named, or the last part of a file's own path; escaped as a TSV field), "size" in bytes
// and "content" (the fingerprint), both of the zip file or tar that a member is in; of a pipe
// "name" and "pipe". Of more than max_identity_rows files one object with "files" (their number),
// "size" and "content" of all. Errors: those of crawl::list_inputs(), and files that are not there
// or cannot be read. `nameless` as in crawl::CrawlOptions. Files outside of `share` are known by
// their names alone; they may be on another machine. The list of options.only counts as the last
// file.
Result<nlohmann::json> crawl_identity(storage::FileSystem& fs, const ReadOptions& options,
                                      bool nameless, crawl::Share share = {});

// Where two such arrays differ first, as what the run of the earlier one has: "other inputs: ...".
std::string input_difference(const nlohmann::json& earlier, const nlohmann::json& now);

// Whether one of the inputs is a pipe, which cannot be compared.
bool has_pipe(const nlohmann::json& inputs);

// Before anything is made: that a run directory, or a stream, can be made at `output`, which must
// be no pipe, none of the inputs, and lie in none of the folders among them, whose next run would
// find it there.
Status check_output_place(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace kith::run
