// Pieces that several views have.
import type { ClusterHead, Host, List, Page, Topic, TopicStep } from "./api";
import { h, hidden, type Attributes, type Child } from "./dom";
import { address } from "./route";
import { count, counted, foreign, shortUrl, similarity, webAddress, words } from "./text";

// The heading of a view, which takes the focus when the view is opened.
export function heading(...children: Child[]): HTMLElement {
  return h("h1", { tabindex: "-1" }, children);
}

export function section(title: string, id: string, ...children: (Child | Child[])[]): HTMLElement {
  return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
}

let replay = "";

// Links out of this page lead to an archive that replays pages: what its addresses have before URLs.
export function setReplay(prefix: string): void {
  replay = prefix;
}

// What an archive's address has between its prefix and the URL: the date of the capture as 14 digits.
function replayTime(date: string | undefined): string {
  const digits = date?.slice(0, "2026-11-24T12:00:00".length).replace(/\D/g, "") ?? "";
  return replay === "" || digits === "" ? "" : `${digits}/`;
}

// A URL as a link out of this page where it is of the web, and as text otherwise. date: of its capture.
export function externalLink(url: string, date?: string): HTMLElement {
  const href = webAddress(url);
  if (href === null) return h("span", { class: "url" }, foreign(url));
  return h(
    "a",
    { class: "url", href: replay + replayTime(date) + href, rel: "noopener noreferrer nofollow", target: "_blank" },
    foreign(url),
    h("span", { "aria-hidden": "true" }, " ↗"),
    hidden(" (opens in a new tab)"),
  );
}

// A page by its title, or its URL where it has none, as a link to its view.
export function pageLink(page: Page): HTMLElement {
  const hasTitle = page.title.trim() !== "";
  return h(
    "a",
    { class: "page-link", href: address("page", { url: page.url }) },
    foreign(hasTitle ? page.title : shortUrl(page.url)),
  );
}

// The same with the URL below the title.
export function pageItem(page: Page): HTMLElement {
  const hasTitle = page.title.trim() !== "";
  return h(
    "div",
    { class: "page-item" },
    pageLink(page),
    hasTitle && h("span", { class: "muted url one-line" }, foreign(shortUrl(page.url))),
  );
}

export function topicLink(topic: TopicStep): HTMLElement {
  return h("a", { href: address("topic", { path: topic.path }) }, words(topic.label));
}

export function clusterLink(cluster: ClusterHead): HTMLElement {
  return h("a", { href: address("cluster", { number: cluster.number }) }, words(cluster.label));
}

// A table of columns of text, with a heading for each.
export function textTable(className: string, columns: string[], rows: HTMLElement[]): HTMLElement {
  const head = columns.map((column) => h("th", { scope: "col" }, column));
  return h("table", { class: className }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
}

export interface Field {
  id: string;
  name: string;
  value?: string;
}

// A form that asks for two things and opens the view that compares them, with the parameters a and b.
export function compareForm(
  view: string,
  [a, b]: [Field, Field],
  input: Attributes,
  ...introduction: Child[]
): HTMLElement {
  const inputs = [a, b].map(({ id, value }) =>
    h("input", { id, type: "text", value, required: true, autocomplete: "off", ...input }),
  );
  const asked = (at: number) => inputs[at]?.value.trim() ?? "";
  return h(
    "form",
    {
      class: "compare-form",
      submit: (event) => {
        event.preventDefault();
        location.hash = address(view, { a: asked(0), b: asked(1) });
      },
    },
    introduction,
    [a, b].map(({ id, name }, i) => h("div", { class: "field" }, h("label", { for: id }, name), inputs[i])),
    h("button", { type: "submit" }, "Compare"),
  );
}

// A bar of a share in [0, 1]; what it says stands beside it as a number.
export function bar(share: number, kind = ""): HTMLElement {
  const inner = h("span", { class: "fill" });
  inner.style.inlineSize = `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
  return h("span", { class: `bar ${kind}`.trim(), "aria-hidden": "true" }, inner);
}

export function similarityBar(value: number): HTMLElement {
  return h(
    "span",
    { class: "measure" },
    bar(value),
    h("span", { class: "number" }, hidden("similarity "), similarity(value)),
  );
}

// A number of pages as a bar beside the largest of its list.
export function sizeBar(size: number, largest: number): HTMLElement {
  return h(
    "span",
    { class: "measure" },
    bar(largest > 0 ? size / largest : 0),
    h("span", { class: "number" }, count(size), hidden(size === 1 ? " page" : " pages")),
  );
}

export function hostList(hosts: readonly Host[], of: number): HTMLElement {
  const items = hosts.map((host) =>
    h(
      "li",
      {},
      h("a", { href: address("search", { q: `${host.host}/` }) }, foreign(host.host, 80)),
      h("span", { class: "muted" }, ` ${counted(host.pages, "page")} of ${count(of)}`),
    ),
  );
  return h("ul", { class: "plain hosts" }, items);
}

// Facts as pairs of a name and a value.
export function facts(rows: [string, Child | Child[]][]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

// The way from the top of the tree to a topic. `last` is the topic that is looked at.
export function breadcrumbs(steps: readonly TopicStep[], last?: TopicStep): HTMLElement {
  const items = [
    h("li", {}, h("a", { href: address("topics") }, "Topics")),
    ...steps.map((step) =>
      h("li", {}, h("a", { href: address("topic", { path: step.path }) }, shortLabel(step))),
    ),
  ];
  if (last) items.push(h("li", {}, h("span", { "aria-current": "page" }, shortLabel(last))));
  return h("nav", { class: "breadcrumbs", "aria-label": "Path of topics" }, h("ol", {}, items));
}

function shortLabel(step: TopicStep): HTMLElement {
  return words(step.label.slice(0, 3), 60);
}

// Which rows of a list are shown, and links to the others.
export function pager(list: List, to: (page: number) => string, what: string): HTMLElement | null {
  if (list.pages <= 1) return null;
  const first = (list.page - 1) * list.size + 1;
  const last = Math.min(list.rows, list.page * list.size);
  const link = (page: number, text: string, can: boolean) =>
    can ? h("a", { class: "button", href: to(page) }, text) : h("span", { class: "button off" }, text);
  const shown = first <= list.rows ? `${count(first)} to ${count(last)} of ` : "";
  return h(
    "nav",
    { class: "pager", "aria-label": `Pages of the list of ${what}` },
    link(1, "First", list.page > 1),
    link(list.page - 1, "Previous", list.page > 1),
    h("span", {}, `${shown}${count(list.rows)} ${what}`),
    link(list.page + 1, "Next", list.page < list.pages),
    link(list.pages, "Last", list.page < list.pages),
  );
}

// A topic as the row of a list.
export function topicRow(topic: Topic, largest: number): HTMLElement {
  return h(
    "div",
    { class: "topic-row" },
    h(
      "div",
      { class: "topic-name" },
      topicLink(topic),
      topic.exemplar &&
        h("div", { class: "example muted" }, h("span", {}, "Example: "), pageLink(topic.exemplar)),
    ),
    sizeBar(topic.pages, largest),
  );
}

// A wide thing that scrolls by itself, also by keys.
export function scrolling(label: string, content: HTMLElement): HTMLElement {
  return h("div", { class: "scrolling", role: "region", "aria-label": label, tabindex: "0" }, content);
}
