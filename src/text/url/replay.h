// The addresses at which web archives replay what they have captured.
#pragma once

#include <string>
#include <string_view>

namespace kith::text {

// The URL inside of one under which an archive replays it, as it stands there:
//
//   https://web.archive.org/web/20200102030405id_/http://ex.test/a?b   ->  http://ex.test/a?b
//   https://wayback.example/all/20200102030405/https://ex.test/        ->  https://ex.test/
//   http://localhost:8080/live/mp_/http://ex.test/                     ->  http://ex.test/
//
// A date of 8 to 14 digits, a modifier of pywb (two or three letters and an underscore), or both
// stand before it; in archive.org dates may be shorter or missing, and so may its scheme. Empty
// where there is none. `url` is canonical. Pure.
std::string unwrap_replay(std::string_view url);

}  // namespace kith::text
