#include "cli/help/help_topics.h"

#include "cli/read_flags.h"

namespace kith::cli {
namespace {

constexpr const char* inputs_text = R"(
Of a folder every file is read whose name ends in .warc, .wet, .wat, .arc, .jsonl or .ndjson, with
or without .gz or .zst after it, in the order of the paths. A URL is no INPUT: download it, or pipe
it.

A record that cannot be read is skipped, counted, and named in the report of the run (kith info);
--strict makes the first of them an error. The first capture of a URL that can be decoded is its
page.

'kith crawl INPUT' lists the pages as all commands read them.
)";

constexpr const char* runs_text = R"(
'kith cluster', 'merge' and 'dedup' make a folder, the run: all that they have found, and a report
of what was read, chosen and measured. 'kith info DIR' prints the report, and with --verify compares
the files with their checksums.

A command that was stopped, by Ctrl-C, kill or a failure of the machine, goes on after its last
finished stage when it is called again with the same input and options. A folder that another input
or other options have made is refused, and so is one in which a kith is at work.

The same input and options give the same files, byte for byte, for any --memory and --threads.

A run of 'kith cluster' is also an INPUT: 'kith cluster RUN -o OTHER' clusters its bags with other
options, without reading the crawl again.
)";

constexpr const char* memory_text = R"(
--memory bounds what a command takes, all in all, from its start to its end: for example 500M, 4G or
1.5G, in powers of 1024. The default is three quarters of the memory of the machine, or of the
control group. What does not fit is sorted and joined on the disk, and the results are the same. A
limit that is too small is refused before the work begins, or as soon as that is known; the message
says how much is needed. Of 'kith serve' it bounds what clients and a stream take, not the runs.

--threads is the number of threads; the default is one for each processor. Results do not depend on
it.
)";

constexpr const char* messages_text = R"(
Results are printed on standard output; progress, notes, errors and summaries on standard error. On
a terminal progress is drawn on one line.

--quiet leaves errors only, --verbose adds every stage with its time. Both do the same with every
command. --log FILE appends all that would be printed with --verbose to a file, whatever is printed:
a line each, with the time (UTC) and its kind: begin, note, detail, summary, error, end.

Names and texts of pages are escaped, so that none of them can control a terminal.

Exit codes: 0 done, 1 failed or nothing was read, 2 bad usage.
)";

constexpr const char* environment_text = R"(
NO_COLOR, if it is set and not empty, turns off colours and bold letters. These are for terminals
only, and for none whose TERM is dumb; on such a terminal no progress is drawn either.

TMPDIR names the folder for temporary files of 'kith pairs' and 'kith crawl --boilerplate'. Without
it they are in the run directory or the current folder, or in /tmp where that cannot be written to.
)";

}  // namespace

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"inputs", "What is read, and how", std::string(input_help) + inputs_text},
      {"runs", "The folders that commands make", runs_text},
      {"memory", "How much memory and how many threads", memory_text},
      {"messages", "What is printed where, and exit codes", messages_text},
      {"environment", "Variables that kith reads", environment_text},
  };
  return topics;
}

}  // namespace kith::cli
