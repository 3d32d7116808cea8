// The folder of a run that is made, or gone on with, by one process at a time.
#pragma once

#include <memory>
#include <string>

#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::pipeline {

struct RunFolder {
  bool is_new = false;                        // it was made for this run
  bool holds_run = false;                     // it has a manifest
  std::unique_ptr<storage::FolderLock> lock;  // against other processes that enter it
};

// Makes the folder or enters the one that is there. Errors of kind usage: it holds anything but a
// run, or another process is at work in it.
Result<RunFolder> enter_run_folder(storage::FileSystem& fs, const std::string& path);

}  // namespace kith::pipeline
