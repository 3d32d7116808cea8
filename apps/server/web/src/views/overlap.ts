// Two documents beside each other: how much they share, and where their texts do.
import { api, ApiError, type Overlap, type Passage, type SideBySide, type Texts } from "../api";
import { documentFacts, documentLink } from "../dedup_parts";
import { announce, h } from "../dom";
import { compareForm, facts, heading, section, textTable } from "../parts";
import { count, foreign, percent, similarity } from "../text";
import type { DedupView } from "../view";

const fingerprintBits = 64;
const askAgain = 1000; // milliseconds
const mostQuestions = 60;
const shownEnd = 240; // characters

function form(): HTMLElement {
  return compareForm(
    "overlap",
    [
      { id: "document-a", name: "Number of the first document" },
      { id: "document-b", name: "Number of the second document" },
    ],
    { inputmode: "numeric", pattern: "[0-9]+" },
    h(
      "p",
      {},
      "Groups have links to compare their documents. Documents are numbered from 0, in the order of the input.",
    ),
  );
}

function measures(overlap: Overlap, texts: Texts): HTMLElement {
  const rows: [string, string][] = [
    ["Resemblance", `${similarity(overlap.resemblance)}, ${count(overlap.common)} shingles in both`],
    [
      "Of the first",
      `${percent(overlap.containment_of_a)} of its ${count(overlap.elements_a)} shingles are in the second`,
    ],
    [
      "Of the second",
      `${percent(overlap.containment_of_b)} of its ${count(overlap.elements_b)} shingles are in the first`,
    ],
  ];
  if (texts.state === "found") {
    rows.push([
      "Words",
      `${similarity(texts.bag_similarity)} of the words are shared, cosine ${similarity(texts.word_cosine)}`,
    ]);
    rows.push(["SimHash", `${texts.shingle_distance} of ${fingerprintBits} bits differ`]);
  }
  return facts(rows);
}

const kindNames = {
  shared: "both",
  a: "first only",
  b: "second only",
  differ: "they differ",
  moved: "elsewhere",
};

// A row of the table: a passage of both, or one of each that stand at the same place.
interface Row {
  kind: keyof typeof kindNames;
  a: { text: string; passage: number } | null;
  b: { text: string; passage: number } | null;
  twin: number | null; // a passage
}

function rowsOf(passages: readonly Passage[]): Row[] {
  const rows: Row[] = [];
  passages.forEach((passage, i) => {
    const a = passage.a === undefined ? null : { text: passage.a, passage: i };
    const b = passage.b === undefined ? null : { text: passage.b, passage: i };
    // Blanks between words that differ.
    if ((a?.text ?? "").trim() === "" && (b?.text ?? "").trim() === "") return;
    const before = rows.at(-1);
    if (passage.kind === "only_b" && before?.kind === "a") {
      rows[rows.length - 1] = { ...before, kind: "differ", b };
      return;
    }
    const isMoved = passage.kind === "elsewhere_a" || passage.kind === "elsewhere_b";
    const kind = passage.kind === "shared" ? "shared" : isMoved ? "moved" : a ? "a" : "b";
    rows.push({ kind, a, b, twin: passage.twin ?? null });
  });
  return rows;
}

// The ends of a long passage of both, with its middle behind a button: differences are what one
// has come for.
function brief(text: string): (HTMLElement | string)[] {
  const points = Array.from(text);
  if (points.length < 5 * shownEnd) return [text];
  const middle = points.slice(shownEnd, -shownEnd);
  const button = h(
    "button",
    { type: "button", class: "more", click: () => button.replaceWith(middle.join("")) },
    `${count(middle.length)} more characters`,
  );
  return [points.slice(0, shownEnd).join(""), button, points.slice(-shownEnd).join("")];
}

function cell(kind: string, text: string | undefined): HTMLElement {
  if (text === undefined) return h("td", { class: "none" });
  if (kind !== "shared") return h("td", {}, h("bdi", { class: "passage" }, text));
  return h("td", {}, h("mark", {}, h("bdi", { class: "passage" }, brief(text))));
}

function passageTable(passages: readonly Passage[]): HTMLElement {
  const elements = new Map<number, HTMLElement>();
  const rows = rowsOf(passages).map((row) => {
    const twin = row.twin;
    const jump =
      twin !== null &&
      h("button", { type: "button", class: "jump", click: () => show(elements.get(twin)) }, "Show it there");
    const element = h(
      "tr",
      { tabindex: "-1", class: `passage-${row.kind}` },
      h("th", { scope: "row" }, kindNames[row.kind], jump),
      cell(row.kind, row.a?.text),
      cell(row.kind, row.b?.text),
    );
    for (const side of [row.a, row.b]) if (side) elements.set(side.passage, element);
    return element;
  });
  return textTable("texts", ["In", "First document", "Second document"], rows);
}

function show(row: HTMLElement | undefined): void {
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
}

function textPart(texts: Texts): HTMLElement {
  if (texts.state !== "found") return h("p", { class: "note" }, foreign(texts.reason, 300));
  return h(
    "div",
    {},
    h(
      "p",
      { class: "muted" },
      "Passages in both are marked. " +
        "“Elsewhere” is text that the other document has too, at another place or less often.",
    ),
    passageTable(texts.passages),
  );
}

// What the server has not read yet, it is asked for again.
class Asking {
  private timer = 0;
  private isOver = false;

  constructor(
    private readonly a: number,
    private readonly b: number,
    private readonly shown: (answer: SideBySide) => void,
  ) {}

  start(questions = mostQuestions): void {
    this.timer = window.setTimeout(() => void this.ask(questions), askAgain);
  }

  stop(): void {
    this.isOver = true;
    window.clearTimeout(this.timer);
  }

  private async ask(questions: number): Promise<void> {
    const answer = await api.overlap(this.a, this.b).catch(() => null);
    if (this.isOver || answer === null) return;
    this.shown(answer);
    if (isPending(answer.texts) && questions > 1) this.start(questions - 1);
  }
}

function isPending(texts: Texts): boolean {
  return texts.state === "busy" || texts.state === "unfinished";
}

export const overlapView: DedupView = async (parameters) => {
  if (!parameters.has("a") || !parameters.has("b")) {
    return { title: "Compare two documents", content: [heading("Compare two documents"), form()] };
  }
  const [a, b] = [Number(parameters.get("a")), Number(parameters.get("b"))];
  if (!Number.isInteger(a) || !Number.isInteger(b)) throw new ApiError(404, "Documents have whole numbers.");
  const answer = await api.overlap(a, b);
  const numbers = h("div", {}, measures(answer.overlap, answer.texts));
  const texts = h("div", {}, textPart(answer.texts));
  const asking = new Asking(a, b, (later) => {
    numbers.replaceChildren(measures(later.overlap, later.texts));
    texts.replaceChildren(textPart(later.texts));
    if (!isPending(later.texts)) announce("The texts have been read.");
  });
  const side = (name: string, document: SideBySide["a"]) =>
    h(
      "div",
      { class: "panel" },
      h("h2", {}, name),
      h("p", {}, documentLink(document)),
      documentFacts(document),
    );
  return {
    title: "Compare two documents",
    content: [
      heading("Compare two documents"),
      h(
        "div",
        { class: "columns even" },
        side("First document", answer.a),
        side("Second document", answer.b),
      ),
      numbers,
      section("Texts", "texts", texts),
    ],
    opened: () => isPending(answer.texts) && asking.start(),
    close: () => asking.stop(),
  };
};
