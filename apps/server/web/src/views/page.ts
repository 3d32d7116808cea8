// A page: where it belongs, what it is about, and what is related to it.
import { api, ApiError, type PageInfo, type Related } from "../api";
import { announce, h } from "../dom";
import {
  bar,
  breadcrumbs,
  clusterLink,
  externalLink,
  facts,
  heading,
  pageItem,
  section,
  similarityBar,
} from "../parts";
import { address } from "../route";
import { count, counted, foreign, plain, shortUrl } from "../text";
import type { View } from "../view";

const usualRelated = 20;
const mostRelated = 200;

function relatedRow(related: Related, page: PageInfo): HTMLElement {
  const shared = related.words ?? [];
  const details = h(
    "div",
    { class: "details" },
    shared.length > 0 &&
      h(
        "p",
        { class: "shared" },
        h("span", { class: "muted" }, "Shared words: "),
        foreign(shared.join(", ")),
      ),
    h("a", { href: address("compare", { a: page.url, b: related.url }) }, "Compare"),
  );
  return h("li", {}, similarityBar(related.similarity), h("div", {}, pageItem(related), details));
}

// The list, and the switch that asks for it anew.
class RelatedList {
  readonly element = h("div", { class: "related" });
  private readonly list = h("div");
  private readonly more = h("p");
  private readonly box = h("input", {
    type: "checkbox",
    id: "other-sites",
    change: () => void this.load(true),
  });
  private n = usualRelated;

  constructor(private readonly page: PageInfo) {
    const label = h("label", { class: "switch", for: "other-sites" }, this.box, " Other sites only");
    this.element.append(label, this.list, this.more);
  }

  async load(isAnnounced: boolean): Promise<void> {
    const otherSites = this.box.checked;
    const n = this.n;
    let content: HTMLElement;
    let message: string;
    let found = 0;
    try {
      const { related } = await api.related(this.page.url, n, otherSites);
      found = related.length;
      message = counted(related.length, "related page");
      const rows = related.map((row) => relatedRow(row, this.page));
      content =
        related.length > 0
          ? h("ol", { class: "rows related-rows" }, rows)
          : h("p", { class: "muted" }, "None was found.");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      message = error.message;
      content = h("p", { class: "error" }, foreign(message, 600));
    }
    if (otherSites !== this.box.checked || n !== this.n) return;
    this.list.replaceChildren(content);
    const hasMore = found === this.n && this.n < mostRelated;
    this.more.replaceChildren(
      ...(hasMore ? [h("button", { type: "button", click: () => this.showMore() }, "Show more")] : []),
    );
    if (isAnnounced) announce(plain(message));
  }

  private showMore(): void {
    const before = this.list.querySelectorAll("li").length;
    this.n = mostRelated;
    // The focus moves to the first new row, since the button goes.
    void this.load(true).then(() => this.list.querySelectorAll("li")[before]?.querySelector("a")?.focus());
  }
}

function bagList(page: PageInfo): HTMLElement {
  if (page.bag.length === 0) return h("p", { class: "muted" }, "The page has no words.");
  const heaviest = page.bag[0]?.weight ?? 1;
  const items = page.bag.map(({ word, weight }) =>
    h(
      "li",
      {},
      h("span", { class: "one-line", title: plain(word, 80) }, foreign(word, 40)),
      bar(weight / heaviest),
      h("span", { class: "number" }, weight.toFixed(2)),
    ),
  );
  const rest = page.terms - page.bag.length;
  return h(
    "div",
    {},
    h("ol", { class: "bag" }, items),
    h(
      "p",
      { class: "muted" },
      rest > 0 && `And ${counted(rest, "more word")}. `,
      "Words are shown by their stems; the weights of all add up to 100.",
    ),
  );
}

export const pageView: View = async (parameters) => {
  const url = parameters.get("url") ?? "";
  const { lookup, page } = await api.page(url);
  const title = page.title.trim() === "" ? shortUrl(page.url) : page.title;
  const related = new RelatedList(page);
  await related.load(false);
  return {
    title,
    content: [
      page.topics.length > 0
        ? breadcrumbs(page.topics)
        : h("p", { class: "muted" }, "This page is in no topic."),
      heading(foreign(title, 300)),
      h("p", {}, externalLink(page.url, page.date)),
      !lookup.exact &&
        h(
          "p",
          { class: "note" },
          "The run has no ",
          foreign(lookup.asked),
          " but this URL, which differs in its scheme, in ",
          h("code", {}, "www."),
          " or in a slash at its end.",
        ),
      h(
        "div",
        { class: "columns main-and-side" },
        section("Related pages", "related", related.element),
        h(
          "div",
          {},
          section(
            "This page",
            "facts",
            facts([
              [
                "Cluster",
                page.cluster.size > 1
                  ? [
                      clusterLink(page.cluster),
                      h("span", { class: "muted" }, ` ${counted(page.cluster.size, "page")}`),
                    ]
                  : "none: it is by itself",
              ],
              ["In the crawl", page.fetched ? "yes" : "no: known by links to it"],
              ...(page.date === undefined ? [] : [["Captured", page.date] as [string, string]]),
              ["Links to it", count(page.inlinks)],
              [
                "Similar pages",
                [
                  count(page.similar_pages),
                  h("span", { class: "muted" }, " at or above the threshold of the run"),
                ],
              ],
              [
                "Other page",
                h("a", { href: address("compare", { a: page.url }) }, "Compare with another page"),
              ],
            ]),
          ),
          section("Words", "words", bagList(page)),
        ),
      ),
    ],
  };
};
