// The sections of a snapshot that are of themes (docs/formats/stream.md).
#pragma once

#include <cstdint>
#include <span>

#include "kith/status.h"

#include "jobs/stream/themes.h"
#include "storage/section_file.h"

namespace kith::jobs {

// clusters: their numbers, in the order of the file.
Status write_themes(storage::SectionWriter& file, const Themes& themes,
                    std::span<const uint64_t> clusters);

// From a file that was verified, with the numbers and sizes of its clusters. Checks everything:
// errors of kind corrupt. themes: without words, at the clock of the file.
Status read_themes(const storage::SectionFile& file, std::span<const uint64_t> clusters,
                   std::span<const uint32_t> sizes, Themes& themes);

}  // namespace kith::jobs
