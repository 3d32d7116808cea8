// The steps from the files of a crawl to words for kith.spark: PageFile, aliases, UrlWords.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "kith/options.h"
#include "kith/report.h"

#include "arrays.h"
#include "bindings.h"
#include "cli/program.h"
#include "distributed/aliases.h"
#include "distributed/page_file.h"
#include "distributed/url_words.h"
#include "page_words.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using distributed::PageFile;
using distributed::UrlWords;

std::vector<std::string> crawl_files(const std::vector<std::string>& words) {
  const ClusterOptions options = value_or_raise(cli::cluster_options(words));
  return unlocked([&] { return distributed::list_page_files(options); });
}

std::unique_ptr<PageFile> open_file(const std::vector<std::string>& words, nb::handle several,
                                    const std::vector<uint32_t>& ranks, bool sample_sites,
                                    nb::handle templates) {
  const ClusterOptions options = value_or_raise(cli::cluster_options(words));
  const Texts urls = several.is_none() ? Texts() : take_texts(several, "several");
  const Texts hosts = templates.is_none() ? Texts() : take_texts(templates, "templates");
  return unlocked([&] {
    return PageFile::open(options, {urls.views, ranks, sample_sites, hosts.views});
  });
}

// The URLs, as a list, and their ranks.
nb::tuple next_urls(PageFile& self) {
  distributed::FileUrls found = unlocked([&] { return self.next_urls(); });
  return nb::make_tuple(list_of(std::move(found.urls)), vector_of(std::move(found.ranks)));
}

// The URLs, as a list, and the words.
nb::tuple tuple_of(distributed::FilePages pages) {
  return nb::make_tuple(list_of(std::move(pages.urls)), dict_of(std::move(pages.words)));
}

nb::tuple next_words(PageFile& self, uint64_t pages, uint64_t bytes) {
  return tuple_of(unlocked([&] { return self.next_words(pages, bytes); }));
}

nb::list bytes_of(const std::vector<std::string>& slices) {
  nb::list found;
  for (const std::string& slice : slices) found.append(nb::bytes(slice.data(), slice.size()));
  return found;
}

// How many pages, the bytes and the aliases of each slice, and the words.
nb::tuple next_fragments(PageFile& self, uint64_t pages, uint64_t bytes, uint32_t slices) {
  distributed::FileFragments found =
      unlocked([&] { return self.next_fragments(pages, bytes, slices); });
  return nb::make_tuple(found.pages, bytes_of(found.slices), bytes_of(found.aliases),
                        dict_of(std::move(found.words)));
}

nb::bytes aliases_of_slice(nb::handle aliases) {
  const Texts given = take_texts(aliases, "aliases");
  const std::string sound = unlocked([&] { return distributed::aliases_of_slice(given.views); });
  return nb::bytes(sound.data(), sound.size());
}

// The bytes of each slice, and what was folded.
nb::tuple fold_urls(nb::handle of_slices, nb::handle others, uint32_t slices) {
  const Texts given = take_texts(of_slices, "of_slices");
  const Texts left = take_texts(others, "others");
  const distributed::FoldedUrls folded =
      unlocked([&] { return distributed::fold_urls(given.views, left.views, slices); });
  nb::dict report;
  report["folded"] = folded.report.folded;
  report["targets"] = folded.report.targets;
  report["largest"] = folded.report.largest;
  report["largest_target"] = folded.report.largest_target;
  report["other_text"] = folded.report.other_text;
  report["other_page"] = folded.report.other_page;
  report["circular"] = folded.report.circular;
  return nb::make_tuple(bytes_of(folded.slices), report);
}

nb::list fold_fragments(nb::handle fragments, const nb::bytes& folded, uint32_t slices) {
  const Texts given = take_texts(fragments, "fragments");
  const std::string_view urls(folded.c_str(), folded.size());
  return bytes_of(unlocked([&] { return distributed::fold_fragments(given.views, urls, slices); }));
}

nb::bytes other_aliases(nb::handle fragments, nb::handle said) {
  const Texts own = take_texts(fragments, "fragments");
  const Texts folded = take_texts(said, "said");
  const std::string found =
      unlocked([&] { return distributed::other_aliases(own.views, folded.views); });
  return nb::bytes(found.data(), found.size());
}

nb::dict aliases_met(const PageFile& self) {
  const AliasReport& met = self.aliases();
  nb::dict found;
  found["canonical"] = met.canonical;
  found["refresh"] = met.refresh;
  found["redirect"] = met.redirect;
  return found;
}

nb::list next_by_content(UrlWords& self, uint64_t urls, uint32_t slices) {
  return bytes_of(unlocked([&] { return self.next_by_content(urls, slices); }));
}

nb::tuple next_of_urls(UrlWords& self, uint64_t urls) {
  return tuple_of(unlocked([&] { return self.next(urls); }));
}

nb::list site_samples(PageFile& self, uint32_t file, uint32_t slices) {
  return bytes_of(self.site_samples(file, slices));
}

// The files, the bytes for each, as a list, and the number of blocks.
nb::tuple site_templates(nb::handle samples) {
  const Texts given = take_texts(samples, "samples");
  const auto found = unlocked([&] { return distributed::site_templates(given.views); });
  std::vector<uint32_t> files;
  distributed::StringList templates;
  for (const auto& file : found.files) {
    files.push_back(file.file);
    templates.add(file.bytes);
  }
  return nb::make_tuple(vector_of(std::move(files)), list_of(std::move(templates)), found.blocks);
}

// Of `hosts` each with its words, and those of them that were left out.
nb::dict boilerplate_of(const PageFile& self) {
  const BoilerplateReport counts = self.boilerplate();
  nb::dict found;
  found["words"] = counts.words;
  found["left_out"] = counts.left_out;
  found["kept_whole"] = counts.kept_whole;
  nb::list hosts;
  for (const HostBoilerplate& host : counts.most) {
    hosts.append(nb::make_tuple(host.host, host.words, host.left_out));
  }
  found["hosts"] = hosts;
  return found;
}

nb::dict counts_of(const PageFile& self) {
  const CrawlCounts counts = self.counts();
  nb::dict found;
  found["files"] = counts.files;
  found["bytes_in"] = counts.bytes_in;
  found["bytes_unpacked"] = counts.bytes_unpacked;
  found["records"] = counts.records;
  found["pages"] = counts.pages;
  found["page_bytes"] = counts.page_bytes;
  found["cut_pages"] = counts.cut_pages;
  found["short_pages"] = counts.short_pages;
  found["bare_responses"] = counts.bare_responses;
  found["mended_lines"] = counts.mended_lines;
  found["redirects"] = counts.redirects;
  nb::dict skipped;
  for (const auto& [kind, count] : counts.skipped) skipped[kind.c_str()] = count;
  found["skipped"] = skipped;
  return found;
}

}  // namespace

void add_page_files(nb::module_& module) {
  nb::class_<PageFile>(module, "PageFile", "A file of a crawl in the place of texts.")
      .def("next_urls", &next_urls)
      .def("next_fragments", &next_fragments, "pages"_a, "bytes"_a, "slices"_a)
      .def("site_samples", &site_samples, "file"_a, "slices"_a)
      .def("next_words", &next_words, "pages"_a, "bytes"_a)
      .def("counts", &counts_of)
      .def("boilerplate", &boilerplate_of)
      .def("aliases", &aliases_met);
  nb::class_<UrlWords>(module, "UrlWords", "What the pages of all files say about some URLs.")
      .def("next", &next_of_urls, "urls"_a)
      .def("next_by_content", &next_by_content, "urls"_a, "slices"_a)
      .def_prop_ro("fetched", &UrlWords::fetched)
      .def_prop_ro("left_out", &UrlWords::left_out)
      .def_prop_ro("copies", &UrlWords::copies)
      .def_prop_ro("copied", &UrlWords::copied);
  module.def("aliases_of_slice", &aliases_of_slice, "aliases"_a);
  module.def("fold_urls", &fold_urls, "of_slices"_a, "others"_a, "slices"_a);
  module.def("other_aliases", &other_aliases, "fragments"_a, "said"_a);
  module.def("fold_fragments", &fold_fragments, "fragments"_a, "folded"_a, "slices"_a);
  module.def("crawl_files", &crawl_files, "words"_a);
  module.def("open_page_file", &open_file, "words"_a, "several"_a.none() = nb::none(),
             "ranks"_a = std::vector<uint32_t>(), "sample_sites"_a = false,
             "templates"_a.none() = nb::none());
  module.def("site_templates", &site_templates, "samples"_a);
}

}  // namespace kith::python
