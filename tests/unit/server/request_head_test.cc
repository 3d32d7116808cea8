#include <string>

#include <gtest/gtest.h>

#include "server/message.h"

namespace kith::server {
namespace {

unsigned status_of(const std::string& lines) {
  const auto fault = fault_of_head(lines + "\r\n");
  return fault ? fault->status : 0;
}

const std::string usual = "POST / HTTP/1.1\r\nHost: localhost\r\n";

TEST(RequestHead, IsSound) {
  EXPECT_EQ(status_of(usual), 0u);
  EXPECT_EQ(status_of(usual + "X-Note: a:b, c\t d\r\nHosts: many\r\n"), 0u);
  EXPECT_EQ(status_of(usual + "Transfer-Encoding: chunked\r\n"), 0u);
  EXPECT_EQ(status_of(usual + "transfer-encoding:\t CHUNKED \r\n"), 0u);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n"), 0u);
}

TEST(RequestHead, CodingsEndInChunked) {
  for (const char* codings :
       {"chunked, identity", "chunked, chunked", "chunked,", "chunked, gzip"}) {
    EXPECT_EQ(status_of(usual + "Transfer-Encoding: " + codings + "\r\n"), 400u) << codings;
  }
  for (const char* codings : {"xchunked", "identity", "gzip", "gzip, chunked", "", "chunked;q=1"}) {
    EXPECT_EQ(status_of(usual + "Transfer-Encoding: " + codings + "\r\n"), 501u) << codings;
  }
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(status_of(usual + chunked + chunked), 400u);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nHost: localhost\r\n" + chunked), 400u);
}

TEST(RequestHead, HasOneHost) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n"), 400u);
  EXPECT_EQ(status_of(usual + "hOST: localhost\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n"), 400u);
}

TEST(RequestHead, LinesAreWhole) {
  EXPECT_EQ(status_of(usual + "X: a\r\n b\r\n"), 400u);
  EXPECT_EQ(status_of(usual + "X: a\r\n\tb\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n Host: localhost\r\nHost: localhost\r\n"), 400u);
  EXPECT_EQ(status_of(usual + "X: a\nHost: b\r\n"), 400u);
  EXPECT_EQ(status_of(usual + "X: a\rY: b\r\n"), 400u);
  EXPECT_EQ(status_of(usual + std::string("X: a\0b\r\n", 8)), 400u);
}

TEST(RequestHead, HasAHundredFields) {
  std::string many = usual;
  for (int number = 1; number < 100; ++number) many += "a:\r\n";
  EXPECT_EQ(status_of(many), 0u);
  EXPECT_EQ(status_of(many + "a:\r\n"), 431u);
}

// What is cut off, and what comes after an empty line, the parser has to refuse.
TEST(RequestHead, IsReadToItsEnd) {
  EXPECT_FALSE(fault_of_head("GET / HTTP/1.1\r\nHost: localhost").has_value());
  EXPECT_EQ(fault_of_head("GET / HTTP/1.1\r\nHost: a\r\nHost: b")->status, 400u);
  EXPECT_EQ(status_of(usual + "\r\nHost: b\r\n"), 400u);
}

}  // namespace
}  // namespace kith::server
