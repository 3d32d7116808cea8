// What of an input folder is not read, and why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kith::crawl {

enum class LeftOut : uint8_t {
  other_file,     // by its name neither a crawl file nor a page
  page_file,      // HTML (or text) beside crawl files
  run_folder,     // a run directory of kith, with all that is in it
  linked_folder,  // behind a symbolic link, which may lead in a ring
  broken_link,    // leads nowhere
  no_file,        // a pipe, a socket or a device
  count_,         // number of kinds; not a kind
};
std::string_view left_out_name(LeftOut kind);  // "other_file", ...

// By kind.
using LeftOutCounts = std::array<uint64_t, static_cast<size_t>(LeftOut::count_)>;

// Whether a folder holds a manifest of kith, of any version. Its lists and files are no crawl,
// whatever their names are. A manifest.json of a web site is none.
bool holds_run(const std::string& folder);

}  // namespace kith::crawl
