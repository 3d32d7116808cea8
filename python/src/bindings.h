// What each file of bindings adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace kith::python {

void add_jobs(nanobind::module_& module);      // cluster, dedup, merge, option_names, run_command
void add_table(nanobind::module_& module);     // Table
void add_run(nanobind::module_& module);       // Run
void add_lists(nanobind::module_& module);     // read_tsv, table_of, is_dedup_run and the like
void add_sketches(nanobind::module_& module);  // Sets, shingles, MinHasher, SimHasher, BagSketcher

void add_compare(nanobind::module_& module);  // Comparison, compare
void add_extract(nanobind::module_& module);  // Page, extract
void add_tune(nanobind::module_& module);     // tune, recall_at
void add_memory(nanobind::module_& module);   // Index, cluster_bags
void add_dedup_table(nanobind::module_& module);
// Steps of jobs on many machines, for kith.spark.
void add_bag_steps(nanobind::module_& module);
void add_form_counts(nanobind::module_& module);
void add_bag_run(nanobind::module_& module);
void add_topic_routes(nanobind::module_& module);
void add_crawl_steps(nanobind::module_& module);
void add_cluster_steps(nanobind::module_& module);
void add_dedup_steps(nanobind::module_& module);
void add_table_join(nanobind::module_& module);
void add_blocks(nanobind::module_& module);
void add_pages(nanobind::module_& module);  // PageReader

}  // namespace kith::python
