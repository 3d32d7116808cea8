// The run directory of passages (docs/formats/passages.md): one stage, which a run that was ended
// begins again.
#pragma once

#include <string>
#include <utility>

#include "kith/passages.h"
#include "kith/status.h"

#include "run/job_directory.h"

namespace kith::jobs {

inline constexpr std::string_view passages_stage = "passages";

// Not thread-safe.
class PassageDirectory : public run::JobDirectory {
 public:
  // Makes the folder, or enters one that an earlier run with the same options and inputs left. An
  // error when the folder holds anything else, or another process is at work in it.
  static Result<PassageDirectory> create(storage::FileSystem& fs, const PassageOptions& options);

  // Opens a finished run for reading. An error when there is none.
  static Result<PassageDirectory> open(storage::FileSystem& fs, const std::string& path);
  // Whether a folder holds a run, finished or not; one of another job is none.
  static bool is_run(storage::FileSystem& fs, const std::string& path);

  PassageReport& report() { return report_; }
  const PassageReport& report() const { return report_; }

  using run::JobDirectory::verify;
  // Whether the lists are there as they were written; the error names what is not.
  Status verify() const;

 private:
  PassageDirectory(storage::FileSystem& fs, std::string path)
      : run::JobDirectory(fs, std::move(path), run::passages_job) {}

  run::StageFiles stage_files() const override { return {}; }
  bool read_report(const std::string& json) override;
  std::string report_json() const override { return to_json(report_); }
  JobReport& job_report() override { return report_; }
  Status remove_other_temporaries() override;

  PassageReport report_;
};

}  // namespace kith::jobs
