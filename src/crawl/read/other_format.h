// What a file is that is no crawl, for the message that refuses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kith::crawl {

struct OtherFormat {
  std::string name;    // "a PNG image"
  std::string advice;  // how to go on, a sentence without its full stop
};

// What a file is that begins with these bytes, unpacked; some hundred do. Nothing where they are
// not known, and of a file that kith reads perhaps something wrong.
std::optional<OtherFormat> other_format(std::string_view start);

// The same of JSON that is no JSON lines, and XML that is no page: they begin as what kith reads.
std::optional<OtherFormat> other_markup(std::string_view start);

// "a.png is a PNG image: kith ...": other_format() as a message, or what `path` begins with.
std::string not_a_crawl(const std::string& path, std::string_view start);

// Where the address of something on the network is no input: how to get it.
std::string how_to_fetch(std::string_view url);

}  // namespace kith::crawl
