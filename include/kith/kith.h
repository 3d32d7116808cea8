// kith finds the pages of a web crawl that belong together.
//
//   kith::ClusterOptions options;
//   options.inputs = {"crawl.warc.gz"};
//   options.output = "my-run";
//   const auto report = kith::cluster_crawl(options);   // the whole job
//   const auto run = kith::Run::open("my-run");   // what it found
//
// Everything that can fail returns a Status or a Result (status.h). The library prints
// nothing and keeps no global state.
#pragma once

// What all others use: errors, options, reports, progress.
#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/rows.h"
#include "kith/status.h"
#include "kith/version.h"

// Whole runs, and what they have found.
#include "kith/audit.h"
#include "kith/classify.h"
#include "kith/contaminated.h"
#include "kith/dedup.h"
#include "kith/dedup_run.h"
#include "kith/evaluate.h"
#include "kith/passages.h"
#include "kith/pipeline.h"
#include "kith/run.h"
#include "kith/topics.h"

// Pages: of a crawl, alone, two compared.
#include "kith/compare.h"
#include "kith/doctor.h"
#include "kith/extract.h"
#include "kith/pages.h"
#include "kith/table_files.h"

// Sets, bags and their summaries, with values in memory.
#include "kith/bags.h"
#include "kith/index.h"
#include "kith/shingles.h"
#include "kith/sketches.h"
#include "kith/tables.h"
#include "kith/tune.h"

// Clusters and near-duplicates of what is in memory.
#include "kith/cluster_bags.h"
#include "kith/text_dedup.h"

// Streams.
#include "kith/stream.h"
#include "kith/stream_job.h"
