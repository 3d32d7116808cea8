// Files that are part of the program.
#pragma once

#include <span>
#include <string_view>

namespace kith::server {

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

}  // namespace kith::server
