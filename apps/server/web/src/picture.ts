// The picture of a cluster: its members as numbered circles, and lines between similar ones.
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";
import type { Member } from "./api";
import { h, svg } from "./dom";
import { counted, plain, similarity } from "./text";

const mostNodes = 60;
const linksOfANode = 3; // all of them would cover each other
const steps = 300;
const radius = 13;
const width = 640;
const height = 520;
const mostScale = 2.5; // of a few members, which would else be far apart
const hostColors = 5;

interface Dot extends SimulationNodeDatum {
  number: number;
  member: Member;
}
interface Line extends SimulationLinkDatum<Dot> {
  a: number;
  b: number;
  similarity: number;
}

// The links of each member to those most similar to it; each pair once.
function strongest(links: readonly [number, number, number][], nodes: number): Line[] {
  const kept = new Array<number>(nodes).fill(0);
  const lines = new Map<number, Line>();
  for (const [a, b, value] of [...links].sort((x, y) => y[2] - x[2])) {
    if (a >= nodes || b >= nodes || kept[a]! >= linksOfANode) continue;
    ++kept[a]!;
    const pair = Math.min(a, b) * nodes + Math.max(a, b);
    lines.set(pair, { source: a, target: b, a, b, similarity: value });
  }
  return [...lines.values()];
}

function place(dots: Dot[], lines: Line[]): void {
  forceSimulation(dots)
    .force(
      "links",
      forceLink<Dot, Line>(lines)
        .distance((line) => 40 + 130 * (1 - line.similarity))
        .strength((line) => 0.2 + 0.6 * line.similarity),
    )
    .force("apart", forceManyBody().strength(-260))
    .force("room", forceCollide(radius + 5))
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.08))
    .stop()
    .tick(steps);
  fit(dots);
}

function fit(dots: Dot[]): void {
  const margin = radius + 4;
  const fitAxis = (axis: "x" | "y", size: number) => {
    const values = dots.map((dot) => dot[axis] ?? 0);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const scale = high > low ? Math.min(mostScale, (size - 2 * margin) / (high - low)) : 1;
    for (const dot of dots) dot[axis] = size / 2 + ((dot[axis] ?? 0) - (low + high) / 2) * scale;
  };
  fitAxis("x", width);
  fitAxis("y", height);
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

// Hosts by their number of members; the last color is for all others.
function colorsOf(members: readonly Member[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { url } of members) sizes.set(hostOf(url), (sizes.get(hostOf(url)) ?? 0) + 1);
  const hosts = [...sizes].sort((a, b) => b[1] - a[1]).map(([host]) => host);
  return new Map(hosts.map((host, i) => [host, Math.min(i, hostColors - 1)]));
}

function legend(colors: Map<string, number>): HTMLElement | null {
  if (colors.size < 2) return null;
  const names = [...colors].slice(0, hostColors - 1).map(([host, color]) => [host, color] as const);
  const items: (readonly [string, number])[] =
    colors.size >= hostColors ? [...names, ["other hosts", hostColors - 1]] : [...colors];
  return h(
    "ul",
    { class: "plain legend" },
    items.map(([host, color]) =>
      h(
        "li",
        {},
        h("span", { class: `dot host-${color}`, "aria-hidden": "true" }),
        h("bdi", {}, plain(host, 60)),
      ),
    ),
  );
}

// `rows` is the list of the same members: what is pointed at here is marked there, and back.
export function clusterPicture(
  members: readonly Member[],
  links: readonly [number, number, number][],
  rows: HTMLElement,
): HTMLElement {
  const drawn = members.slice(0, mostNodes);
  const colors = colorsOf(drawn);
  const dots: Dot[] = drawn.map((member, i) => ({ number: i + 1, member }));
  const lines = strongest(links, dots.length);
  place(dots, lines);
  const shapes: SVGElement[] = [];
  const lineShapes = lines.map((line) => {
    const [a, b] = [dots[line.a]!, dots[line.b]!];
    const shape = svg(
      "line",
      { class: "link", x1: a.x!, y1: a.y!, x2: b.x!, y2: b.y! },
      svg("title", {}, `similarity ${similarity(line.similarity)}`),
    );
    shape.style.strokeWidth = (1 + 4 * line.similarity).toFixed(1);
    return shape;
  });
  const mark = (number: number, isMarked: boolean) => {
    shapes[number - 1]?.classList.toggle("marked", isMarked);
    rows.querySelector(`[data-member="${number}"]`)?.classList.toggle("marked", isMarked);
    lines.forEach((line, i) => {
      if (line.a === number - 1 || line.b === number - 1) lineShapes[i]?.classList.toggle("marked", isMarked);
    });
  };
  for (const dot of dots) {
    const { number, member } = dot;
    const color = colors.get(hostOf(member.url)) ?? 0;
    shapes.push(
      svg(
        "g",
        {
          class: `node host-${color}${number === 1 ? " center" : ""}`,
          transform: `translate(${dot.x!.toFixed(1)} ${dot.y!.toFixed(1)})`,
          mouseenter: () => mark(number, true),
          mouseleave: () => mark(number, false),
          click: () => rows.querySelector<HTMLElement>(`[data-member="${number}"] a`)?.focus(),
        },
        svg("circle", { r: radius }),
        svg("text", { dy: "0.35em" }, String(number)),
        svg("title", {}, `${number}. ${plain(member.title || member.url, 150)}`),
      ),
    );
  }
  for (const row of rows.querySelectorAll<HTMLElement>("[data-member]")) {
    const number = Number(row.dataset["member"]);
    row.addEventListener("mouseenter", () => mark(number, true));
    row.addEventListener("mouseleave", () => mark(number, false));
    row.addEventListener("focusin", () => mark(number, true));
    row.addEventListener("focusout", () => mark(number, false));
  }
  const label =
    `${counted(dots.length, "page")} as circles, with ${counted(lines.length, "line")} between similar ones; ` +
    "the list has the same pages and their similarities";
  return h(
    "figure",
    { class: "picture" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, lineShapes, shapes),
    legend(colors),
    h(
      "figcaption",
      { class: "muted" },
      `Numbers are places in the list; 1 is the center. Lines join each member with the ${linksOfANode} members ` +
        "in its list of related pages that are most similar to it; a thicker line is a higher similarity.",
      members.length >= mostNodes && ` Only the first ${mostNodes} members are drawn.`,
    ),
  );
}
