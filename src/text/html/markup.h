// What the tags of a page say beside its text: forms, scripts, media. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::text {

struct Markup {
  uint32_t scripts = 0;
  uint32_t forms = 0;
  uint32_t media = 0;           // images, frames, audio, video and other objects with an address
  uint64_t media_hash = 0;      // of their addresses, in any order
  bool has_password = false;    // an <input> of type password
  bool has_captcha = false;     // an element or a script of a service that tells robots apart
  bool is_noindex = false;      // <meta name=robots content=noindex>
  bool refreshes = false;       // <meta http-equiv=refresh>, after whatever time
  bool has_frames = false;      // <frameset>
  std::string unscripted_text;  // inside of <noscript>, markup included
};

// Reads `html`, valid UTF-8, in linear time. Replaces the content of `out`, keeping its capacity.
void read_markup(std::string_view html, Markup& out);

}  // namespace kith::text
