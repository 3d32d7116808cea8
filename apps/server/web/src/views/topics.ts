// The topics as a tree, each level of which is asked for when it is opened.
import { api, ApiError, type Topic } from "../api";
import { announce, h, hidden } from "../dom";
import { heading, topicRow } from "../parts";
import { counted, foreign, plain } from "../text";
import type { View } from "../view";

function moveFocus(from: HTMLElement, step: number): void {
  const buttons = [...document.querySelectorAll<HTMLElement>(".tree .toggle")].filter(
    (button) => button.offsetParent !== null,
  );
  buttons[buttons.indexOf(from) + step]?.focus();
}

class Branch {
  readonly element: HTMLElement;
  private readonly children = h("ul", { class: "tree", hidden: true });
  private readonly toggle: HTMLElement;
  private isLoaded = false;

  constructor(
    private readonly topic: Topic,
    largest: number,
  ) {
    this.children.id = `below-${topic.path.replaceAll(".", "-")}`;
    this.toggle = h(
      "button",
      {
        type: "button",
        class: "toggle",
        "aria-expanded": "false",
        "aria-controls": this.children.id,
        click: () => void this.setOpen(this.children.hidden),
        keydown: (event) => this.key(event as KeyboardEvent),
      },
      hidden(`Topics in ${plain(topic.label.slice(0, 3).join(", "), 60)}`),
    );
    const isLeaf = topic.children === 0;
    this.element = h(
      "li",
      {},
      h(
        "div",
        { class: "branch" },
        isLeaf ? h("span", { class: "toggle leaf" }) : this.toggle,
        topicRow(topic, largest),
      ),
      !isLeaf && this.children,
    );
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowRight: () => void this.setOpen(true),
      ArrowLeft: () => void this.setOpen(false),
      ArrowDown: () => moveFocus(this.toggle, 1),
      ArrowUp: () => moveFocus(this.toggle, -1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private async setOpen(isOpen: boolean): Promise<void> {
    if (isOpen && !this.isLoaded) {
      this.isLoaded = true;
      this.children.replaceChildren(...(await this.load()));
      announce(counted(this.topic.children, "topic"));
    }
    this.children.hidden = !isOpen;
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }

  private async load(): Promise<HTMLElement[]> {
    try {
      return branches((await api.topics(this.topic.path)).topics);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.isLoaded = false;
      return [h("li", { class: "error" }, foreign(error.message, 600))];
    }
  }
}

function branches(topics: readonly Topic[]): HTMLElement[] {
  const largest = Math.max(0, ...topics.map((topic) => topic.pages));
  return topics.map((topic) => new Branch(topic, largest).element);
}

export const topicsView: View = async () => {
  const { topics, complete } = await api.topics("");
  return {
    title: "Topics",
    content: [
      heading("Topics"),
      topics.length === 0 && h("p", { class: "muted" }, "This run has no topics."),
      topics.length > 0 &&
        h(
          "p",
          { class: "muted" },
          `${counted(topics.length, "topic")} at the first level. ` +
            "Each has the words that tell it from the others beside it, and its number of pages.",
        ),
      h("ul", { class: "tree" }, branches(topics)),
      !complete && h("p", { class: "note" }, "There are more topics than these."),
    ],
  };
};
