// URLs of the tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "text/url/url.h"

namespace kith::test {

// Fails the test where the text is no URL.
inline text::Url parsed(const std::string& text) {
  text::Url url;
  EXPECT_TRUE(text::parse_url(text, nullptr, url));
  return url;
}

}  // namespace kith::test
