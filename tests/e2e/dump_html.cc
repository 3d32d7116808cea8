// dump_html: the kith side of html_twin.py. Reads the HTML files named on the command line,
// or one path a line on standard input, and writes a line of JSON for each.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "text/charset/charset.h"
#include "text/html/html.h"

namespace {

bool dump(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file) {
    std::cerr << "dump_html: cannot read " << path << "\n";
    return false;
  }
  std::string buffer;
  const kith::text::Utf8Text utf8 = kith::text::to_utf8(bytes, {}, true, buffer);
  kith::text::HtmlText page;
  kith::text::extract_html(utf8.bytes, page);

  nlohmann::ordered_json json = {{"path", path},
                                 {"charset", utf8.charset},
                                 {"title", page.title},
                                 {"base", page.base_href},
                                 {"language", page.language},
                                 {"text", page.text},
                                 {"links", nlohmann::ordered_json::array()}};
  const std::string_view text = page.text;
  for (const kith::text::HtmlLink& link : page.links) {
    json["links"].push_back(
        {page.href(link), text.substr(link.text_begin, link.text_end - link.text_begin)});
  }
  std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  bool all_read = true;
  for (int i = 1; i < argc; ++i) all_read = dump(argv[i]) && all_read;
  std::string path;
  while (argc == 1 && std::getline(std::cin, path)) all_read = dump(path) && all_read;
  return all_read ? 0 : 1;
}
