// What the name of a file says of its content.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kith/status.h"

#include "crawl/codec/member_codec.h"
#include "crawl/read/inputs.h"
#include "crawl/read/page_reader.h"

namespace kith::crawl {

// By the end of the name, in upper or lower case: ".gz" and so on.
std::optional<Codec> codec_by_name(std::string_view path);

// Of a crawl file, or one of HTML that is not packed.
std::optional<FileFormat> format_by_name(std::string_view path);

// Whether a name that is no file is that of a table.
bool is_given_table(const std::string& path, const CrawlOptions& options);

// Plain text is known by its name alone.
bool is_text_name(std::string_view path);

// Of a web archive collection (WACZ), which is read from folders, too.
bool is_wacz_name(std::string_view path);

// Of any file that has others in it, as far as such names are common.
bool is_container_name(std::string_view path);

// Whether files of HTML can be named without a URL of theirs, and the error where not.
bool needs_base_url(const CrawlOptions& options);
Error no_base_url(const std::string& path);

}  // namespace kith::crawl
