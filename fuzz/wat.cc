// WAT records of any bytes: what crawl asks of them, and the text and links that come out.
#include "text/html/wat.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "crawl/read/http.h"
#include "crawl/read/json_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static kith::crawl::WatHeadParser heads;
  static kith::text::WatReader reader;
  static kith::text::HtmlText text;
  const std::string_view json(reinterpret_cast<const char*>(data), size);

  std::string padded(json);
  padded.append(kith::crawl::kJsonPadding, ' ');
  const kith::crawl::WatHead head = heads.parse(std::string_view(padded).substr(0, size), SIZE_MAX);
  if (head.status >= 1000 || head.location.size() + head.content_type.size() > size) {
    __builtin_trap();
  }

  reader.read(json, text);
  if (text.text.size() > size || text.hrefs.size() > size) __builtin_trap();
  size_t end = 0;
  for (const kith::text::HtmlLink& link : text.links) {
    if (link.text_begin < end || link.text_end < link.text_begin) __builtin_trap();
    if (link.text_end > text.text.size()) __builtin_trap();
    if (link.href_end <= link.href_begin || link.href_end > text.hrefs.size()) __builtin_trap();
    end = link.text_end;
  }
  return 0;
}
