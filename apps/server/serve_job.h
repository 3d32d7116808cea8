// kith serve: from options to a server that answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kith/status.h"

#include "server/http_server.h"
#include "server/site.h"

namespace kith::server {

// Its memory is that of the process, 0: usual_memory(). A quarter is for connections, with a stream
// the rest is for that.
struct ServeOptions : ServerOptions {
  ServeOptions() { memory = 0; }

  SiteOptions site;
  std::string token_file;  // its first line is SiteOptions::token
  std::string
      access_log;  // a file that a line of JSON is added to for every request; "-": standard output
};

// Serves until SIGINT or SIGTERM. listening(address) is called once, with what a browser takes.
// note(message): of damage that was found meanwhile. Errors: a run that cannot be opened, an
// address that cannot be listened on, a log that cannot be written.
Status serve_runs(const ServeOptions& options,
                  const std::function<void(const std::string&)>& listening,
                  const std::function<void(const std::string&)>& note);

}  // namespace kith::server
