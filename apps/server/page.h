// The files of the web page, which are part of the program, and the report as one file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kith/status.h"

#include "server/message.h"

namespace kith::server {

// Files that are part of the program.

// The description of the API, openapi.json of this folder.
std::string_view embedded_openapi();

// A file of the web page.
struct PageFile {
  std::string_view path;  // of a request
  std::string_view type;
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed
  std::string_view hash;  // of the bytes, hexadecimal
};

// Empty in a program that was built without the page (KITH_BUILD_WEB).
std::span<const PageFile> embedded_page();

// The page of a report, in which %CONTENT% stands once for what it shows; empty like
// embedded_page().
std::string_view embedded_report();

// What clients are told of a path: they need not know where files lie.

// The last part of a path that is not empty, such as "run" of "/srv/kith/run/"; "run" where there
// is none. "-" stays.
std::string file_name_of(const std::string& path);

// The web page: files of the program, and how a browser keeps them.

// The answer to GET or HEAD of a path of the page; nothing for any other path. In a program without
// the page, "/" says so.
std::optional<Response> page_response(const Request& request, std::string_view path);

// Whether the field Accept-Encoding of a request admits gzip.
bool accepts_gzip(std::string_view field);

// The report of a run as one file for a browser.

// A page of HTML that asks for nothing: the report of a finished run of kith cluster or kith dedup
// as `kith serve` shows it. An error of kind usage in a program without the web page, else those
// of opening the run.
Result<std::string> report_page(const std::string& directory);

}  // namespace kith::server
