// The search field with suggestions: a combobox with a list, after the WAI-ARIA Authoring Practices.
import { api, type SearchResult } from "./api";
import { announce, h } from "./dom";
import { address } from "./route";
import { count, counted, foreign, shortUrl, words } from "./text";

const delay = 120; // milliseconds without a key before the server is asked
const perKind = 4;

export const kindNames: Record<SearchResult["kind"], string> = {
  url: "URLs",
  host: "Hosts",
  topic: "Topics",
  cluster: "Clusters",
  title: "Titles",
  document: "Documents",
};

export function resultAddress(result: SearchResult): string {
  switch (result.kind) {
    case "host":
      return address("search", { q: `${result.host}/` });
    case "topic":
      return address("topic", { path: result.path });
    case "cluster":
      return address("cluster", { number: result.number });
    case "document":
      return address("document", { id: result.id });
    default:
      return address("page", { url: result.url });
  }
}

// The text of a result, and how many pages it stands for.
export function resultText(result: SearchResult): HTMLElement[] {
  const size = (pages: number) => h("span", { class: "muted" }, ` ${counted(pages, "page")}`);
  switch (result.kind) {
    case "host":
      return [foreign(result.host, 80), size(result.urls)];
    case "topic":
      return [words(result.label, 80), size(result.pages)];
    case "cluster":
      return [words(result.label, 80), size(result.size)];
    case "title":
      return [foreign(result.title, 120)];
    case "document":
      return [foreign(shortUrl(result.name), 120)];
    default:
      return [foreign(shortUrl(result.url), 120)];
  }
}

export class SearchBox {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list: HTMLElement;
  private options: { element: HTMLElement; href: string }[] = [];
  private active = -1;
  private timer = 0;
  private asking: AbortController | null = null;

  constructor() {
    this.input = h("input", {
      id: "q",
      type: "search",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "2000",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "suggestions",
      input: () => this.askLater(),
      keydown: (event) => this.key(event as KeyboardEvent),
      blur: () => this.close(),
    });
    this.list = h("div", {
      id: "suggestions",
      role: "listbox",
      "aria-label": "Suggestions",
      hidden: true,
      // The field keeps the focus while the mouse is in the list.
      mousedown: (event) => event.preventDefault(),
    });
    this.element = h(
      "form",
      { role: "search", class: "search", submit: (event) => this.submit(event) },
      h("label", { for: "q", class: "hidden" }, "Search this run"),
      this.input,
      h("button", { type: "submit" }, "Search"),
      this.list,
    );
  }

  // What one can look for.
  set hint(value: string) {
    this.input.placeholder = value;
  }

  set text(value: string) {
    this.input.value = value;
  }

  private submit(event: Event): void {
    event.preventDefault();
    const chosen = this.options[this.active];
    const text = this.input.value.trim();
    this.close();
    if (chosen) location.hash = chosen.href;
    else if (text !== "") location.hash = address("search", { q: text });
  }

  private askLater(): void {
    window.clearTimeout(this.timer);
    this.asking?.abort();
    const text = this.input.value.trim();
    if (text === "") return this.close();
    this.timer = window.setTimeout(() => void this.ask(text), delay);
  }

  private async ask(text: string): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    try {
      const { results } = await api.search(text, perKind, asking.signal);
      if (!asking.signal.aborted) this.show(results);
    } catch {
      // The search itself will show what is wrong.
      if (!asking.signal.aborted) this.close();
    }
  }

  private show(results: SearchResult[]): void {
    this.options = [];
    this.active = -1;
    this.input.removeAttribute("aria-activedescendant");
    const groups = new Map<SearchResult["kind"], SearchResult[]>();
    for (const result of results) groups.set(result.kind, [...(groups.get(result.kind) ?? []), result]);
    const shown = [...groups].map(([kind, list]) => this.group(kind, list));
    this.list.replaceChildren(...shown);
    this.setOpen(this.options.length > 0);
    announce(results.length === 0 ? "No suggestions" : `${count(results.length)} suggestions`);
  }

  private group(kind: SearchResult["kind"], results: SearchResult[]): HTMLElement {
    const id = `suggestions-${kind}`;
    const options = results.map((result) => {
      const number = this.options.length;
      const href = resultAddress(result);
      const element = h(
        "div",
        {
          role: "option",
          id: `suggestion-${number}`,
          "aria-selected": "false",
          class: "one-line",
          click: () => {
            this.close();
            location.hash = href;
          },
        },
        resultText(result),
      );
      this.options.push({ element, href });
      return element;
    });
    const name = h("div", { class: "group-name", id, role: "presentation" }, kindNames[kind]);
    return h("div", { role: "group", "aria-labelledby": id }, name, options);
  }

  private setOpen(isOpen: boolean): void {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  private close(): void {
    window.clearTimeout(this.timer);
    this.asking?.abort();
    this.options = [];
    this.active = -1;
    this.input.removeAttribute("aria-activedescendant");
    this.setOpen(false);
  }

  private key(event: KeyboardEvent): void {
    const last = this.options.length - 1;
    if (event.key === "Escape") {
      if (last >= 0) {
        event.preventDefault();
        this.close();
      }
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (last < 0) return event.key === "ArrowDown" ? this.askLater() : undefined;
      const isDown = event.key === "ArrowDown";
      // Before the first and after the last option the field itself is active.
      if (isDown) this.activate(this.active >= last ? -1 : this.active + 1);
      else this.activate(this.active < 0 ? last : this.active - 1);
    }
  }

  private activate(number: number): void {
    this.options[this.active]?.element.setAttribute("aria-selected", "false");
    this.active = number;
    const option = this.options[number];
    if (!option) return this.input.removeAttribute("aria-activedescendant");
    option.element.setAttribute("aria-selected", "true");
    option.element.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option.element.id);
  }
}
