#include "embedded.h"

#include <array>
#include <cstddef>

// Made by files.s.in.
extern "C" {
extern const char kith_openapi_begin[], kith_openapi_end[];
extern const char kith_index_begin[], kith_index_end[];
extern const char kith_index_gzip_begin[], kith_index_gzip_end[];
extern const char kith_index_hash_begin[], kith_index_hash_end[];
extern const char kith_script_begin[], kith_script_end[];
extern const char kith_script_gzip_begin[], kith_script_gzip_end[];
extern const char kith_script_hash_begin[], kith_script_hash_end[];
extern const char kith_style_begin[], kith_style_end[];
extern const char kith_style_gzip_begin[], kith_style_gzip_end[];
extern const char kith_style_hash_begin[], kith_style_hash_end[];
extern const char kith_report_begin[], kith_report_end[];
}

namespace kith::server {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view embedded_openapi() {
  return between(kith_openapi_begin, kith_openapi_end);
}

std::string_view embedded_report() {
  return between(kith_report_begin, kith_report_end);
}

std::span<const PageFile> embedded_page() {
  static const std::array<PageFile, 3> files{{
      {"/", "text/html; charset=utf-8", between(kith_index_begin, kith_index_end),
       between(kith_index_gzip_begin, kith_index_gzip_end),
       between(kith_index_hash_begin, kith_index_hash_end)},
      {"/assets/app.js", "text/javascript; charset=utf-8",
       between(kith_script_begin, kith_script_end),
       between(kith_script_gzip_begin, kith_script_gzip_end),
       between(kith_script_hash_begin, kith_script_hash_end)},
      {"/assets/app.css", "text/css; charset=utf-8", between(kith_style_begin, kith_style_end),
       between(kith_style_gzip_begin, kith_style_gzip_end),
       between(kith_style_hash_begin, kith_style_hash_end)},
  }};
  if (files.front().bytes.empty()) return {};
  return files;
}

}  // namespace kith::server
