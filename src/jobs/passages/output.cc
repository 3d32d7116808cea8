#include "jobs/passages/output.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "jobs/dedup/list_writer.h"
#include "jobs/passages/cutter.h"
#include "jobs/passages/listed.h"
#include "text/words/language.h"

namespace kith::jobs {

std::string passage_list_file(std::string_view list, ListFormat format) {
  return fmt::format("{}.{}", list, extension(format));
}

namespace {

constexpr size_t language_count = static_cast<size_t>(text::Language::other) + 1;
constexpr size_t most_named = 10;

// By a kibibyte of the second quarter: to read all of a text would take as long as to find what is
// repeated in it.
text::Language language_of(std::string_view text) {
  constexpr size_t sample = 1024;
  size_t begin = text.size() <= sample ? 0 : std::min(text.size() / 4, text.size() - sample);
  while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) --begin;
  return text::detect_language("", cut_utf8(text.substr(begin), sample));
}

// What is found out about a document.
struct CutDocument {
  std::string name;
  uint64_t record = 0;
  uint64_t bytes = 0;
  uint64_t lost = 0;
  uint64_t cuts = 0;
  uint32_t document = 0;
  uint32_t file = 0;
  text::Language language = text::Language::other;
  bool is_emptied = false;
};

// What a worker makes of consecutive documents.
struct CutPart {
  std::string lines;                   // of the file of texts
  std::vector<CutDocument> documents;  // with passages
};

class PassageOutput {
 public:
  PassageOutput(const PassageInput& input, PassageRuns& runs, const PassageOptions& options,
                const PassageResources& resources, PassageReport& report, PassageList& passages,
                ListWriter& losses)
      : input_(input),
        runs_(runs),
        options_(options),
        resources_(resources),
        report_(report),
        passages_(passages),
        losses_(losses),
        lost_(input.texts->documents()) {}

  Status run() {
    if (!options_.write.empty()) {
      KITH_ASSIGN(texts_, resources_.fs.create(storage::temporary_name(options_.write)));
    }
    const uint32_t documents = input_.texts->documents();
    for (uint32_t begin = 0; begin < documents;) {
      const uint32_t end = end_of_batch(begin);
      KITH_TRY(write_batch(begin, end));
      begin = end;
      if (resources_.progress) {
        resources_.progress(
            {"write", static_cast<double>(begin), static_cast<double>(documents), "documents"});
      }
    }
    fill_languages();
    if (!texts_) return Status::ok();
    KITH_TRY(texts_->sync());
    return texts_->close();
  }

  // Bytes that each document has lost.
  const std::vector<uint32_t>& lost() const { return lost_; }

 private:
  static constexpr uint32_t part_documents = 32;

  // As many documents as the memory has room for, and one at least.
  uint32_t end_of_batch(uint32_t begin) const {
    // Texts become lines, in which a byte may take six.
    constexpr uint64_t bytes_per_byte = 8;
    const uint64_t most = resources_.memory.bytes(Share::passage_texts) / bytes_per_byte;
    uint32_t end = begin;
    for (uint64_t bytes = 0; end < input_.texts->documents(); ++end) {
      bytes += input_.texts->text_size(end) + 256;
      if (bytes > most && end > begin) break;
    }
    return end;
  }

  Status write_batch(uint32_t begin, uint32_t end) {
    KITH_TRY(runs_.next(end, batch_runs_));
    std::vector<CutPart> parts((end - begin + part_documents - 1) / part_documents);
    KITH_TRY(resources_.pool.try_each(parts.size(), [&](size_t i, unsigned worker) -> Status {
      const auto first = static_cast<uint32_t>(begin + i * part_documents);
      return cut(first, std::min(end, first + part_documents), worker, parts[i]);
    }));
    for (const CutPart& part : parts) {
      if (texts_) KITH_TRY(texts_->append(as_bytes(part.lines)));
      report_.written_bytes += part.lines.size();
      for (const CutDocument& document : part.documents) KITH_TRY(add(document));
    }
    return Status::ok();
  }

  Status cut(uint32_t begin, uint32_t end, unsigned worker, CutPart& part) {
    PassageCutter cutter(options_);
    std::string buffer;
    const auto first = std::ranges::lower_bound(batch_runs_, begin, {}, &PassageRun::document);
    std::span<const PassageRun> rest(batch_runs_.data() + (first - batch_runs_.begin()),
                                     static_cast<size_t>(batch_runs_.end() - first));
    for (uint32_t document = begin; document < end; ++document) {
      const auto is_other = [&](const PassageRun& run) { return run.document != document; };
      const auto size = static_cast<size_t>(std::ranges::find_if(rest, is_other) - rest.begin());
      const std::span<const PassageRun> runs = rest.first(size);
      rest = rest.subspan(size);
      if (runs.empty() && !texts_) continue;
      KITH_ASSIGN(const PassageText text, input_.texts->read(document, buffer));
      std::vector<ByteRange> cuts;
      if (!runs.empty()) {
        const auto language = language_of(text.text);
        PassageList::Counter counter(passages_, text, runs, language, worker);
        cuts = cutter.find(text.text, runs, counter);
        KITH_TRY(counter.status());
        part.documents.push_back(describe(text, cuts, language));
      }
      if (texts_) append_json_line(part.lines, text, cuts, options_.mode);
    }
    return Status::ok();
  }

  static CutDocument describe(const PassageText& text, std::span<const ByteRange> cuts,
                              text::Language language) {
    CutDocument document;
    document.name = text.name;
    document.record = text.record;
    document.bytes = text.text.size();
    document.cuts = cuts.size();
    document.document = text.document;
    document.file = text.file;
    document.language = language;
    document.is_emptied = !cuts.empty();
    uint64_t at = 0;
    for (const ByteRange& cut : cuts) {
      document.lost += cut.end - cut.begin;
      document.is_emptied &= trim(text.text.substr(at, cut.begin - at)).empty();
      at = cut.end;
    }
    document.is_emptied &= trim(text.text.substr(at)).empty();
    return document;
  }

  Status add(const CutDocument& document) {
    PassageCounts& counts = report_.passages;
    ++counts.with_passages;
    if (document.cuts == 0) return Status::ok();
    ++counts.changed;
    counts.cuts += document.cuts;
    counts.lost_bytes += document.lost;
    counts.emptied += document.is_emptied ? 1 : 0;
    lost_[document.document] = static_cast<uint32_t>(document.lost);
    PassageLoss& language = languages_[static_cast<size_t>(document.language)];
    ++language.documents;
    ++language.changed;
    language.text_bytes += document.bytes;
    language.lost_bytes += document.lost;
    const double share = static_cast<double>(document.lost) / static_cast<double>(document.bytes);
    const bool is_high = share > options_.high_loss;
    if (is_high) add_high(document);
    return losses_.row({std::string_view(document.name),
                        std::string_view(input_.files[document.file]), document.record,
                        document.bytes, document.lost, share, document.cuts,
                        text::language_tag(document.language), is_high});
  }

  void add_high(const CutDocument& document) {
    ++report_.passages.high_losses;
    std::vector<DocumentLoss>& most = report_.most;
    most.push_back({document.name, document.bytes, document.lost});
    const auto order = [](const DocumentLoss& a, const DocumentLoss& b) {
      return std::tie(b.lost_bytes, a.document) < std::tie(a.lost_bytes, b.document);
    };
    std::ranges::sort(most, order);
    if (most.size() > most_named) most.pop_back();
  }

  void fill_languages() {
    for (size_t i = 0; i < languages_.size(); ++i) {
      if (languages_[i].changed == 0) continue;
      languages_[i].name = text::language_tag(static_cast<text::Language>(i));
      report_.languages.push_back(languages_[i]);
    }
    std::ranges::sort(report_.languages, [](const PassageLoss& a, const PassageLoss& b) {
      return std::tie(b.lost_bytes, a.name) < std::tie(a.lost_bytes, b.name);
    });
  }

  const PassageInput& input_;
  PassageRuns& runs_;
  const PassageOptions& options_;
  const PassageResources& resources_;
  PassageReport& report_;
  PassageList& passages_;
  ListWriter& losses_;
  std::unique_ptr<storage::WritableFile> texts_;
  std::vector<PassageRun> batch_runs_;
  std::array<PassageLoss, language_count> languages_;
  std::vector<uint32_t> lost_;
};

// The hosts that lose the most.
Status fill_hosts(const PassageInput& input, const std::vector<uint32_t>& lost,
                  const PassageResources& resources, PassageReport& report) {
  storage::ExternalSort hosts(resources.fs, resources.pool,
                              sort_options(resources, "by_host", Share::passage_hosts, 1));
  for (uint32_t document = 0; document < lost.size(); ++document) {
    const uint32_t host = input.texts->host(document);
    if (host != 0) KITH_TRY(hosts.append({host, document}));
  }
  KITH_ASSIGN(storage::SortedRecords sorted, hosts.finish());
  PassageLoss loss;
  KeyId last{0, 0};
  const auto end_host = [&]() -> Status {
    const PassageLoss ended = std::exchange(loss, {});
    if (ended.lost_bytes == 0) return Status::ok();
    std::string buffer;
    KITH_ASSIGN(const PassageText text, input.texts->read(last.id, buffer));
    report.hosts.push_back(ended);
    report.hosts.back().name = host_of_name(text.name);
    std::ranges::sort(report.hosts, [](const PassageLoss& a, const PassageLoss& b) {
      return std::tie(b.lost_bytes, a.name) < std::tie(a.lost_bytes, b.name);
    });
    if (report.hosts.size() > most_named) report.hosts.pop_back();
    return Status::ok();
  };
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> block, sorted.next());
    if (block.empty()) break;
    for (const KeyId& record : block) {
      if (record.key != last.key) KITH_TRY(end_host());
      ++loss.documents;
      loss.changed += lost[record.id] > 0 ? 1 : 0;
      loss.text_bytes += input.texts->text_size(record.id);
      loss.lost_bytes += lost[record.id];
      last = record;
    }
  }
  return end_host();
}

std::vector<RowColumn> loss_columns() {
  using enum RowColumn::Type;
  return {"url",
          "file",
          {"record", count},
          {"bytes", count},
          {"lost_bytes", count},
          {"share", share},
          {"cuts", count},
          "language",
          {"high", boolean}};
}

}  // namespace

Result<run::Checksums> write_passages(const PassageInput& input, PassageRuns& runs,
                                      const FrequentPassages& frequent,
                                      const PassageOptions& options,
                                      const PassageResources& resources, PassageReport& report) {
  const std::vector<ListedPassage> listed = frequent.sorted();
  KITH_ASSIGN(const auto passages, PassageList::create(listed, input, options, resources));
  run::Checksums checksums;
  const auto create = [&](std::string_view list, std::vector<RowColumn> columns) {
    return ListWriter::create(resources.fs,
                              resources.folder + "/" + passage_list_file(list, options.format),
                              RowFormat(options.format, std::move(columns)), options.tables.get());
  };
  const auto finish = [&](std::string_view list, ListWriter& writer) -> Status {
    KITH_TRY(writer.finish());
    checksums.emplace(passage_list_file(list, options.format), writer.checksum());
    return Status::ok();
  };
  {
    KITH_ASSIGN(const auto losses, create("losses", loss_columns()));
    PassageOutput output(input, runs, options, resources, report, *passages, *losses);
    KITH_TRY(output.run());
    KITH_TRY(finish("losses", *losses));
    KITH_TRY(fill_hosts(input, output.lost(), resources, report));
  }
  KITH_ASSIGN(const auto list, create("passages", PassageList::columns()));
  KITH_TRY(passages->write(*list));
  KITH_TRY(finish("passages", *list));
  return checksums;
}

}  // namespace kith::jobs
