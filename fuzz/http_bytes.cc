// Any bytes, sent to a server by a socket: what is no HTTP, or half of it, or several requests.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/running_server.h"
#include "support/served_run.h"

namespace {

using namespace kith;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Never taken down: the threads of the server end with the process.
const test::RunningServer& running() {
  static auto* const run = new test::ServedRun;
  static const Status made = run->make();
  require(made.is_ok());
  static const auto* const server = new test::RunningServer(run->site());
  return *server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string answer = running().ask(bytes, true);
  require(answer.empty() || answer.starts_with("HTTP/1.1 ") || answer.starts_with("HTTP/1.0 "));
  return 0;
}
