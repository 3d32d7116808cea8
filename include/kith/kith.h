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

#include "kith/bag_sketch.h"
#include "kith/bags.h"
#include "kith/center.h"
#include "kith/classify.h"
#include "kith/cluster_bags.h"
#include "kith/compare.h"
#include "kith/crawl.h"
#include "kith/dedup.h"
#include "kith/dedup_run.h"
#include "kith/escape.h"
#include "kith/estimate.h"
#include "kith/evaluate.h"
#include "kith/extract.h"
#include "kith/fingerprint_bits.h"
#include "kith/index.h"
#include "kith/minhash.h"
#include "kith/options.h"
#include "kith/pages.h"
#include "kith/pipeline.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/route.h"
#include "kith/rows.h"
#include "kith/run.h"
#include "kith/run_columns.h"
#include "kith/sets.h"
#include "kith/shingles.h"
#include "kith/simhash.h"
#include "kith/status.h"
#include "kith/stream.h"
#include "kith/stream_job.h"
#include "kith/stream_service.h"
#include "kith/tables.h"
#include "kith/text_dedup.h"
#include "kith/topics.h"
#include "kith/tune.h"
#include "kith/version.h"
