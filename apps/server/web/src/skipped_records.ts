// What of the input was no page.
import type { CrawlCounts } from "./api";
import { h } from "./dom";
import { scrolling } from "./parts";
import { count, counted, foreign } from "./text";

const skipNames: Record<string, [one: string, many: string]> = {
  other_record: ["record that is no page by its type", "records that are no pages by their type"],
  status: ["record with another HTTP status", "records with another HTTP status"],
  media_type: ["record of another media type", "records of another media type"],
  bad_url: ["record without a usable URL", "records without a usable URL"],
  duplicate: ["other capture of a URL", "other captures of a URL"],
  revisit: ["revisit of a capture", "revisits of captures"],
  damaged: ["damaged record", "damaged records"],
  empty: ["empty record", "empty records"],
  pdf: ["PDF or PostScript file", "PDF or PostScript files"],
  image: ["image", "images"],
  archive: ["packed or office file", "packed or office files"],
  font: ["font", "fonts"],
  media: ["audio or video file", "audio or video files"],
  executable: ["executable", "executables"],
  binary: ["record of bytes that are no text", "records of bytes that are no text"],
};

function skipName(kind: string): [one: string, many: string] {
  return skipNames[kind] ?? [kind, kind];
}

// Counts and examples.
export function skippedRecords({ skipped, examples }: CrawlCounts): HTMLElement {
  if (skipped.length === 0) return h("p", {}, "No record was skipped.");
  const list = skipped.map(([kind, number]) => h("li", {}, counted(number, ...skipName(kind))));
  const rows = examples.map((example) =>
    h(
      "tr",
      {},
      h("td", {}, skipName(example.kind)[0]),
      h("td", {}, foreign(example.reason, 200)),
      h("td", {}, foreign(example.file, 120)),
      h("td", { class: "number" }, count(example.offset)),
    ),
  );
  const head = h(
    "tr",
    {},
    ["Kind", "Reason", "File"].map((name) => h("th", { scope: "col" }, name)),
    h("th", { scope: "col", class: "number" }, "Byte"),
  );
  return h(
    "div",
    {},
    h("ul", {}, list),
    rows.length > 0 && h("h3", {}, "Examples"),
    rows.length > 0 &&
      scrolling(
        "Examples of skipped records",
        h("table", { class: "list" }, h("thead", {}, head), h("tbody", {}, rows)),
      ),
  );
}
