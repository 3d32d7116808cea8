#include "cli/read_flags.h"

#include <fmt/format.h>

#include "cli/help/help_format.h"

namespace kith::cli {

const char* const input_help = R"(
INPUT is a WARC or ARC file (.warc.gz, .warc.zst; of Common Crawl also .wet.gz and .wat.gz), JSON
lines (.jsonl, .jsonl.gz, .jsonl.zst with the fields url and html or text, and title if there is
one), a folder (every crawl file below it), a folder of HTML files with --base-url, or - for
standard input. The format is found by content, not by name.
)";

void add_read_flags(CLI::App& command, ReadOptions& options, std::string& max_page) {
  command.add_option("INPUT", options.inputs, "Crawl files, folders, or -")->required();
  command.add_option("--base-url", options.base_url, "The URL of a folder of HTML files")
      ->type_name("URL");
  command
      .add_option("--status", options.status, "HTTP statuses of pages, e.g. 200,203 or 2xx or any")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--max-page", max_page, "Cut longer pages there (default: 8M)")
      ->type_name("SIZE");
  command
      .add_option("--language", options.language,
                  "Language of every page, e.g. de (default: detect it page by page)")
      ->type_name("TAG");
  command.add_flag("--strict", options.strict, "Fail at the first damaged record");
  for (const char* const name :
       {"--base-url", "--status", "--max-page", "--language", "--strict"}) {
    command.get_option(name)->group(cli::group::reading);
  }
}

void add_resource_flags(CLI::App& command, std::string& memory, unsigned& threads) {
  command.add_option("--memory", memory, "Most memory to use, e.g. 4G (default: 3/4 of all)")
      ->type_name("SIZE")
      ->group(cli::group::resources);
  command.add_option("--threads", threads, "Threads (default: one per processor)")
      ->group(cli::group::resources);
}

Status read_size_flag(const char* flag, const std::string& text, uint64_t& size) {
  if (text.empty()) return Status::ok();
  const auto parsed = parse_size(text);
  if (!parsed) return Error{ErrorKind::usage, fmt::format("{}: {}", flag, parsed.error().message)};
  if (*parsed == 0) {
    return Error{ErrorKind::usage, fmt::format("{} {}: must be above 0", flag, text)};
  }
  size = *parsed;
  return Status::ok();
}

}  // namespace kith::cli
