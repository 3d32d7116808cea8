// kith serve and kith report: from options to a server that answers, or to a page.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "server/http_server.h"
#include "server/message.h"
#include "server/site.h"

namespace kith::server {

// The files of the web page, which are part of the program, and the report as one file.

// Files that are part of the program.

// The description of the API, openapi.json of this folder.
std::string_view embedded_openapi();

// A file of the web page.
struct PageFile {
  std::string_view path;  // of a request
  std::string_view type;
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed
  std::string_view hash;  // of the bytes, hexadecimal
};

// Empty in a program that was built without the page (KITH_BUILD_WEB).
std::span<const PageFile> embedded_page();

// The page of a report, in which %CONTENT% stands once for what it shows; empty like
// embedded_page().
std::string_view embedded_report();

// What clients are told of a path: they need not know where files lie.

// The last part of a path that is not empty, such as "run" of "/srv/kith/run/"; "run" where there
// is none. "-" stays.
std::string file_name_of(const std::string& path);

// Leaves of all paths among the options only the last parts.
void hide_folders(ReadOptions& options);

// The web page: files of the program, and how a browser keeps them.

// The answer to GET or HEAD of a path of the page; nothing for any other path. In a program without
// the page, "/" says so.
std::optional<Response> page_response(const Request& request, std::string_view path);

// Whether the field Accept-Encoding of a request admits gzip.
bool accepts_gzip(std::string_view field);

// The report of a run as one file for a browser.

// A page of HTML that asks for nothing: the report of a finished run of kith cluster or kith dedup
// as `kith serve` shows it. An error of kind usage in a program without the web page, else those
// of opening the run.
Result<std::string> report_page(const std::string& directory);

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
