// Questions to a site, and what it answers as JSON.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "server/site.h"

namespace kith::server {

inline Request question(std::string target) {
  Request request;
  request.target = std::move(target);
  request.host = "localhost";
  return request;
}

inline Request page_lines(std::string body, std::string target = "/api/documents") {
  Request request = question(std::move(target));
  request.method = Method::post;
  request.content_type = "application/x-ndjson";
  request.body = std::move(body);
  return request;
}

// The answer to a question that has one.
inline Json asked(Site& site, const std::string& target) {
  const Response response = site.answer(question(target));
  EXPECT_EQ(response.status, 200u) << target << ": " << response.body;
  return Json::parse(response.body);
}

// What is said of a question that has none.
inline std::string refused(Site& site, const std::string& target, unsigned status) {
  const Response response = site.answer(question(target));
  EXPECT_EQ(response.status, status) << target << ": " << response.body;
  const Json answer = Json::parse(response.body);
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

}  // namespace kith::server
