// What the reading commands say of a stream.
#pragma once

#include <string>

#include "kith/rows.h"
#include "kith/status.h"
#include "kith/stream.h"

#include "cli/output/output.h"

namespace kith::cli {

// A row a document, or with `summary` a row for each cluster of more than one.
void print_stream_clusters(const Stream& stream, ListFormat format, bool summary, Output& out);
Status print_stream_related(const Stream& stream, const std::string& url, size_t n,
                            ListFormat format, Output& out);
// Options and counts, for people or as JSON.
void print_stream_info(const Stream& stream, bool json);

}  // namespace kith::cli
