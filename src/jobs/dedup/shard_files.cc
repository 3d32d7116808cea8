// What a shard writes, beside the files of documents.
#include "jobs/dedup/shard.h"
#include "storage/zstd.h"

namespace kith::jobs {

Result<ShardTextsWriter> ShardTextsWriter::create(storage::FileSystem& fs,
                                                  const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(
                             fs, path + "/" + std::string(shard_texts_file), shard_texts_kind));
  KITH_TRY(file.begin("texts"));
  return ShardTextsWriter(std::move(file));
}

Status ShardTextsWriter::append(const SpoolPart& part) {
  constexpr size_t part_bytes = 1u << 20;
  return part.for_each(
      [&](uint32_t file, std::string_view blocks, std::string_view text) -> Status {
        if (file != part_.file || blocks_.size() + texts_.size() >= part_bytes)
          KITH_TRY(end_part());
        blocks_ += blocks;
        texts_ += text;
        part_.file = file;
        ++part_.documents;
        ++documents_;
        return Status::ok();
      });
}

Status ShardTextsWriter::end_part() {
  if (part_.documents == 0) return Status::ok();
  part_.blocks_bytes = blocks_.size();
  storage::pack(blocks_.append(texts_), frame_);
  KITH_TRY(file_.append(frame_));
  texts_at_.push_back(texts_at_.back() + frame_.size());
  parts_.push_back(part_);
  part_ = {};
  blocks_.clear();
  texts_.clear();
  return Status::ok();
}

Status ShardTextsWriter::finish(std::span<const std::string> files) {
  KITH_TRY(end_part());
  KITH_TRY(file_.write_array("texts_at", texts_at_));
  KITH_TRY(file_.write_array("parts", parts_));
  KITH_TRY(file_.write_strings("files", files.size(),
                               [&](size_t i) -> std::string_view { return files[i]; }));
  return file_.finish();
}

Result<std::unique_ptr<ShardLinksWriter>> ShardLinksWriter::create(storage::FileSystem& fs,
                                                                   const std::string& path) {
  KITH_ASSIGN(auto file, storage::SectionWriter::create(
                             fs, path + "/" + std::string(shard_links_file), shard_links_kind));
  KITH_TRY(file.begin("targets"));
  return std::unique_ptr<ShardLinksWriter>(new ShardLinksWriter(std::move(file)));
}

Status ShardLinksWriter::add(unsigned /*worker*/, uint32_t document, uint64_t url,
                             std::span<const uint64_t> targets) {
  rows_.push_back({url, document, static_cast<uint32_t>(targets.size())});
  return file_.append_array(targets);
}

Status ShardLinksWriter::finish() {
  KITH_TRY(file_.write_array("documents", rows_));
  return file_.finish();
}

}  // namespace kith::jobs
