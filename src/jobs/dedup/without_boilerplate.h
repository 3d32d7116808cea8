// Reads documents without the boilerplate of their sites.
#pragma once

#include "kith/status.h"

#include "jobs/dedup/reading_job.h"

namespace kith::jobs {

// The input is read once: texts wait in a temporary file (document_spool.h), of about their size,
// until the templates are known.
Status read_without_boilerplate(const ReadingJob& job);

}  // namespace kith::jobs
