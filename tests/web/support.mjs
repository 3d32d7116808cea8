// What the tests of the web page stand on: runs in a temporary folder, a server, a browser.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { KITH, KITH_TEST_DATA, KITH_WEB_MODULES, KITH_CHROMIUM } = process.env;
const require = createRequire(join(KITH_WEB_MODULES, "package.json"));
export const { chromium } = require("playwright-core");
export const { source: axe } = require("axe-core");

export const folder = mkdtempSync(join(tmpdir(), "kith-web-"));

const words = "river stone bridge valley meadow forest harbour village castle garden".split(" ");
const script = "<script>alert(1)</script>";
const image = '"><img src=http://evil.example/x onerror=alert(1)>';
const reversed = "\u202egnirts desrever\u202c \u2066isolated";

// Titles and URLs as strangers may write them. All pages share words, so that they are related.
export const hostile = {
  titles: [
    `${script} closes </title></bdi></a><script src=http://evil.example/x.js></script>`,
    `${image} of an attribute' onfocus='alert(1)`,
    `${reversed} title`,
    "x".repeat(10_000),
    "word ".repeat(2_000),
    "a\u0300\u0301\u0302\u0303\u0304\u0305".repeat(40),
    "{{constructor.constructor('alert(1)')()}} ${alert(1)}",
    "שלום עולם and English",
  ],
  urls: [
    'http://h.example/"onmouseover="alert(1)',
    "http://h.example/'><script>alert(1)</script>",
    `http://h.example/${"path/".repeat(300)}`,
    "http://h.example/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&x=%E2%80%AE",
    "http://h.example/#/page?url=javascript:alert(1)",
    "https://xn--nxasmq6b.example/%00%0a",
    "http://h.example/\u202etxt.exe",
    "http://other.example/page",
  ],
};

function hostileLines() {
  const lines = hostile.titles.map((title, i) => ({
    url: hostile.urls[i],
    title,
    text: [...words, ...words.slice(0, 4), `word${i}`, script, image, reversed].join(" "),
  }));
  lines.push({ url: "javascript:alert(1)", title: "no web", text: words.join(" ") });
  lines.push({ url: `http:"><script>alert(1)</script>`, title: "no web", text: words.join(" ") });
  return lines.map((line) => JSON.stringify(line)).join("\n") + "\n{broken <script>alert(1)</script>\n";
}

function kith(...words) {
  execFileSync(KITH, words, { stdio: ["ignore", "ignore", "pipe"] });
}

function cluster(input, output, ...more) {
  kith("cluster", input, "-o", join(folder, output), ...more);
}

function dedup(input, output, ...more) {
  kith("dedup", input, "-o", join(folder, output), ...more);
}

export function makeRuns() {
  const crawl = join(KITH_TEST_DATA, "crawl", "sample.warc.gz");
  cluster(crawl, "sample", "--engine", "lsh", "--similarity", "0.2", "--urls", "all");
  kith("paper", crawl, "-o", join(folder, "paper"));
  const lines = join(folder, "hostile.jsonl");
  writeFileSync(lines, hostileLines());
  cluster(lines, "hostile", "--similarity", "0.1");
  return [...["sample", "paper", "hostile"].map((name) => join(folder, name)), ...makeDedupRuns()];
}

export function makeDedupRuns() {
  const all = ["--boilerplate", "keep", "--no-distinct-titles"];
  dedup(join(KITH_TEST_DATA, "crawl", "sample.warc.gz"), "copies", "--similarity", "0.3", ...all);
  const lines = join(folder, "hostile.jsonl");
  writeFileSync(lines, hostileLines());
  dedup(lines, "hostile-copies", "--similarity", "0.5", "--width", "2");
  return ["copies", "hostile-copies"].map((name) => join(folder, name));
}

// The address of the report of a run, as a file.
export function makeReport(run) {
  const file = `${run}.html`;
  kith("report", run, "--html", file);
  return pathToFileURL(file).href;
}

// Serves runs on a free port. Ended by its own process id.
export class Server {
  static start(runs, ...options) {
    const process = spawn(KITH, ["serve", ...runs, "--port", "0", ...options], { stdio: ["ignore", "ignore", "pipe"] });
    return new Promise((resolve, reject) => {
      let said = "";
      process.on("error", reject);
      process.on("exit", () => reject(new Error(`kith serve has ended: ${said}`)));
      process.stderr.on("data", (data) => {
        said += data;
        const found = /serving on (http:\/\/[0-9.]+:[0-9]+\/)/.exec(said);
        if (found) resolve(new Server(process, found[1]));
      });
    });
  }

  constructor(process, address) {
    this.process = process;
    this.address = address;
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.kill("SIGTERM");
    await ended;
  }
}

export function openBrowser() {
  return chromium.launch({
    executablePath: KITH_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    env: { ...process.env, TMPDIR: folder, HOME: folder },
  });
}

// A page that notes all that must not happen.
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // What the browser says by itself of an answer that is an error of the API.
    if (message.type() === "error" && !/status of 40[04]/.test(message.text()))
      faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:"))
      faults.push(`request: ${request.url()}`);
  });
  const open = async (hash) => {
    // Left first, so that no view is taken for the one before it.
    await page.goto("about:blank");
    await page.goto(address + hash);
    await page.waitForSelector("main:not([aria-busy]) h1");
  };
  return { page, faults, open, close: () => context.close() };
}

// The numbers in a column of a table.
export function numbersOf(page, cells) {
  return page
    .locator(cells)
    .evaluateAll((found) => found.map((cell) => Number(cell.textContent)));
}

// The picture of the first chart, as text.
export function firstChart(page) {
  return page
    .locator(".chart canvas")
    .first()
    .evaluate((canvas) => canvas.toDataURL());
}

export function cleanUp() {
  rmSync(folder, { recursive: true, force: true });
}
