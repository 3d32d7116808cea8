// Texts of strangers and numbers, made fit to be shown.
import { h } from "./dom";

const mostShown = 200;
const mostInAttribute = 300;

function cut(text: string, most: number): string {
  // No text is split by code points beyond what can be needed of it.
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length > most ? points.slice(0, most).join("") + "…" : text;
}

// For attributes, where nothing keeps the direction of a text to itself: without the characters
// that change it, and without control characters.
export function plain(text: string, most = mostInAttribute): string {
  const kept = text
    .slice(0, 4 * most)
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, " ");
  return cut(kept, most);
}

// A text of a stranger: its direction ends with it, and it is cut at `most` characters. What is
// cut, or may be by its width, is the tooltip.
export function foreign(text: string, most = mostShown): HTMLElement {
  const shown = cut(text, most);
  const isLong = shown.length > 60;
  return h("bdi", isLong ? { title: plain(text) } : {}, shown);
}

export function words(list: readonly string[], most = mostShown): HTMLElement {
  return foreign(list.length > 0 ? list.join(", ") : "(no words)", most);
}

// The address of a link out of this page; null for all that is not of the web.
export function webAddress(url: string): string | null {
  if (!/^https?:\/\//i.test(url)) return null;
  try {
    const parsed = new URL(url);
    return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed.href : null;
  } catch {
    return null;
  }
}

// A URL to be read: without the scheme that nearly all have.
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, "");
}

const whole = new Intl.NumberFormat("en-US");

export function count(value: number): string {
  return whole.format(value);
}

// "1 page", "2,000 pages".
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

// What the similarity of a run of kith dedup is of.
export function measureOf(options: { method: string }): string {
  return options.method === "containment" ? "containment" : "resemblance";
}

export function similarity(value: number): string {
  return value.toFixed(value > 0 && value < 0.01 ? 4 : 2);
}

// Three digits, in units that fit.
export function significant(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) >= 1000 ? count(Math.round(value)) : Number(value.toPrecision(3)).toString();
}

export function seconds(value: number): string {
  if (value < 1) return `${significant(1000 * value)} ms`;
  if (value < 60) return `${significant(value)} s`;
  const minutes = Math.floor(value / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(value % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(value: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return `${significant(value)} ${units[unit]}`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
