// What the URL of a page says about it: the pattern it follows, the words it has, and what in it is
// made anew for each visitor. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith::answers {

struct Address {
  std::string_view host;
  std::string pattern;  // path and names of parameters; numbers as 0, long random parts as *
  // The URL without parameters and parts of the path that look made for a visit, and without all
  // parameters. The first is empty where it has none of these.
  std::string without_session;
  std::string without_query;
  std::vector<std::string> words;    // of the last part of the path and of values, in lower case
  std::vector<std::string> numbers;  // without zeros in front
  std::vector<std::string> echoes;   // by which a page may repeat its address, longest first
  bool has_named_session = false;    // in a parameter or part with the name of one
  bool has_date = false;             // a year, or a year, month and day as one number
  bool repeats = false;              // a part of the path stands there three times or more
};

// url: canonical, or a name, which has no host.
Address read_address(std::string_view url);

}  // namespace kith::answers
