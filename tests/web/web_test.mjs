// The web page of kith serve in Chromium: that one can walk through a run, that strangers' texts do
// no harm, that it is accessible, and that it fits a narrow screen.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import http from "node:http";
import { axe, cleanUp, firstChart, hostile, makeRuns, numbersOf, openBrowser, openPage, Server } from "./support.mjs";

let runs;
let server;
let browser;
let shown; // the page of a test

before(async () => {
  runs = makeRuns();
  server = await Server.start(runs);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  cleanUp();
});

function address(view, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

const about = "https://www.sqlite.org/about.html";
const faq = "https://www.sqlite.org/faq.html";

// Every view of the sample, and those with texts of strangers.
function allViews() {
  const views = [
    ["start", address("")],
    ["search", address("search", { q: "sqlite" })],
    ["empty search", address("search")],
    ["page", address("page", { url: about })],
    ["topics", address("topics")],
    ["topic", address("topic", { path: "1" })],
    ["clusters", address("clusters")],
    ["cluster", address("cluster", { number: 1 })],
    ["compare", address("compare", { a: about, b: faq })],
    ["compare form", address("compare")],
    ["report", address("report")],
    ["report of the paper", address("report", { run: "paper" })],
    ["unknown page", address("page", { url: "http://unknown.example/" })],
  ];
  views.push(...dedupViews("copies"), ...dedupViews("hostile-copies"));
  const run = "hostile";
  views.push(["hostile start", address("", { run })]);
  views.push(["hostile search", address("search", { run, q: "h.example" })]);
  views.push(["hostile words", address("search", { run, q: "<script>alert" })]);
  views.push(["hostile clusters", address("clusters", { run })]);
  views.push(["hostile cluster", address("cluster", { run, number: 1 })]);
  views.push(["hostile report", address("report", { run })]);
  views.push(["hostile run", address("", { run: "<script>alert(1)</script>" })]);
  views.push(["hostile view", "#/<img src=x onerror=alert(1)>"]);
  hostile.urls.forEach((url, i) => views.push([`hostile page ${i + 1}`, address("page", { run, url })]));
  views.push(["hostile compare", address("compare", { run, a: hostile.urls[0], b: hostile.urls[2] })]);
  return views;
}

function dedupViews(run) {
  const view = (name, parameters = {}) => [`${name} of ${run}`, address(name, { run, ...parameters })];
  return [
    view(""),
    view("search", { q: "p" }),
    view("groups"),
    view("group", { number: 1 }),
    view("document", { id: 2 }),
    view("overlap"),
    // Of the sample with long passages of both, and with such that stand elsewhere.
    view("overlap", run === "copies" ? { a: 45, b: 72 } : { a: 0, b: 1 }),
    view("report"),
    view("clusters"),
  ];
}

async function withPage(options, check) {
  shown = await openPage(browser, server.address, options);
  try {
    await check(shown.page, shown.open);
    assert.deepEqual(shown.faults, []);
  } finally {
    await shown.close();
  }
}

async function arrive(page, view) {
  await page.waitForFunction((name) => location.hash.startsWith(`#/${name}`), view);
  await page.waitForSelector(`main:not([aria-busy]) .view-${view} h1`);
}

describe("links out of the page", () => {
  test("lead to an archive that replays pages", async () => {
    const prefix = "https://replay.example/all/";
    const replaying = await Server.start(runs, "--replay", prefix);
    const other = await openPage(browser, replaying.address);
    try {
      await other.open(address("page", { url: faq }));
      const href = await other.page.getAttribute(".view p > a.url", "href");
      const captured = await other.page.textContent(".view dl, .view table");
      const [, time, url] = /^https:\/\/replay\.example\/all\/(\d{14})\/(.*)$/.exec(href);
      assert.equal(url, faq);
      assert.equal(captured.replace(/\D/g, "").includes(time), true);
      assert.match(await other.page.textContent(".view p > a.url"), /^https:\/\/www.sqlite.org/);
      assert.deepEqual(other.faults, []);
    } finally {
      await other.close();
      await replaying.stop();
    }
  });
});

describe("walking", () => {
  test("from a search to a page, a related page, its cluster, its topic and the report", () =>
    withPage({}, async (page, open) => {
      await open("");
      assert.equal(await page.title(), "sample – kith");
      await page.fill("#q", "SQLite Frequently");
      await page.waitForSelector("[role=option]");
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.getAttribute("#q", "aria-activedescendant"), "suggestion-0");
      await page.keyboard.press("Enter");
      await arrive(page, "page");
      assert.match(await page.textContent("h1"), /SQLite Frequently Asked Questions/);
      assert.equal(await page.getAttribute(".view p > a.url", "href"), faq);
      assert.equal(await page.getAttribute(".view p > a.url", "rel"), "noopener noreferrer nofollow");

      const related = page.locator(".related-rows > li").first();
      assert.match(await related.textContent(), /Shared words: \S/);
      const name = (await related.locator(".page-link").textContent()).trim();
      await related.locator(".page-link").click();
      await page.waitForFunction(
        (before) => !document.querySelector("h1").textContent.includes(before),
        "Frequently",
      );
      assert.equal((await page.textContent("h1")).trim(), name);
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1");

      await page.goBack();
      await page.waitForFunction(() => document.querySelector("h1").textContent.includes("Frequently"));
      await page.click(".breadcrumbs li:last-child a");
      await arrive(page, "topic");
      assert.match(await page.textContent("h1"), /^Topic: \w/);
      assert.ok((await page.locator(".view .page-item").count()) > 1);

      await open(address("page", { url: about }));
      await page.click(".facts a[href^='#/cluster']");
      await arrive(page, "cluster");
      const size = Number(await page.textContent(".facts dd"));
      assert.ok(size > 2);
      assert.equal(await page.locator(".members > li").count(), size);
      assert.equal(await page.locator(".picture .node").count(), size);
      assert.ok((await page.locator(".picture .link").count()) >= size - 1);

      await page.click("#views a:text('Report')");
      await arrive(page, "report");
      assert.match(await page.textContent(".stages"), /MH-signature generation\s*26 h/);
    }));

  test("the suggestions follow the pattern of a combobox", () =>
    withPage({}, async (page, open) => {
      await open("");
      const input = page.locator("#q");
      assert.equal(await input.getAttribute("aria-expanded"), "false");
      await input.fill("cmake");
      await page.waitForSelector("[role=option]");
      assert.equal(await input.getAttribute("aria-expanded"), "true");
      const options = await page.locator("[role=option]").count();
      await page.keyboard.press("ArrowUp");
      assert.equal(await input.getAttribute("aria-activedescendant"), `suggestion-${options - 1}`);
      assert.equal(await page.locator("[role=option][aria-selected=true]").count(), 1);
      await page.keyboard.press("ArrowDown");
      assert.equal(await input.getAttribute("aria-activedescendant"), null);
      await page.keyboard.press("Escape");
      assert.equal(await input.getAttribute("aria-expanded"), "false");
      assert.equal(await input.inputValue(), "cmake");
      await page.keyboard.press("Enter");
      await arrive(page, "search");
      assert.match(await page.textContent("h1"), /^\d+ results for cmake$/);
      await page.click("#results-host ~ .rows a");
      await page.waitForFunction(() => document.querySelector("h1").textContent.includes("cmake.org/"));
      assert.ok((await page.locator("#results-url ~ .rows > li").count()) === 50);
    }));

  test("the tree of topics opens by mouse and keys", () =>
    withPage({}, async (page, open) => {
      await open(address("topics"));
      const first = page.locator(".tree > li").first();
      const size = async (row) =>
        Number((await row.locator(":scope > .branch .number").textContent()).replace(/\D/g, ""));
      await first.locator(".toggle").first().click();
      await first.locator(".tree > li").first().waitFor();
      assert.equal(await first.locator(".toggle").first().getAttribute("aria-expanded"), "true");
      let sum = 0;
      for (const child of await first.locator(":scope > .tree > li").all()) sum += await size(child);
      assert.equal(sum, await size(first));
      await page.keyboard.press("ArrowLeft");
      assert.equal(await first.locator(".tree").first().isVisible(), false);
      await page.keyboard.press("ArrowRight");
      assert.equal(await first.locator(".tree").first().isVisible(), true);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      await first.locator(".tree .tree > li").first().waitFor();
    }));

  test("the switch leaves related pages of other sites only", () =>
    withPage({}, async (page, open) => {
      await open(address("page", { url: about }));
      const hosts = () =>
        page
          .locator(".related-rows .page-link")
          .evaluateAll((links) =>
            links.map((link) => new URL(new URLSearchParams(link.hash.split("?")[1]).get("url")).host),
          );
      assert.ok((await hosts()).includes("www.sqlite.org"));
      await page.check("#other-sites");
      await page.waitForFunction(() => /related page/.test(document.getElementById("status").textContent));
      assert.ok((await hosts()).length > 0);
      assert.ok(!(await hosts()).includes("www.sqlite.org"));
    }));

  test("a page that is asked for by another spelling says so", () =>
    withPage({}, async (page, open) => {
      await open(address("page", { url: "http://www.sqlite.org/about.html/" }));
      assert.match(
        await page.textContent(".note"),
        /has no http:\/\/www\.sqlite\.org\/about\.html\/ but this URL/,
      );
    }));

  test("clusters are sorted by size, and paged", () =>
    withPage({}, async (page, open) => {
      await open(address("clusters"));
      const sizes = () => numbersOf(page, ".clusters tbody tr td:nth-child(2)");
      const largest = await sizes();
      assert.equal(largest.length, 50);
      assert.deepEqual(
        largest,
        [...largest].sort((a, b) => b - a),
      );
      await page.click(".pager a:text('Next')");
      await page.waitForFunction(() => document.querySelector(".pager").textContent.includes("51 to 100"));
      assert.ok((await sizes())[0] <= largest.at(-1));
      await page.click(".sorter");
      await page.waitForFunction(() => document.querySelector("[aria-sort=ascending]") !== null);
      const smallest = await sizes();
      assert.deepEqual(
        smallest,
        [...smallest].sort((a, b) => a - b),
      );
      assert.equal(smallest[0], 2);
    }));

  test("two pages are compared, from the list of related pages or by their URLs", () =>
    withPage({}, async (page, open) => {
      await open(address("page", { url: about }));
      const similarity = (await page.locator(".related-rows .number").first().textContent())
        .replace("similarity", "")
        .trim();
      await page.locator(".related-rows a:text('Compare')").first().click();
      await arrive(page, "compare");
      assert.ok((await page.textContent(".facts dd")).startsWith(similarity));
      assert.match(await page.textContent(".list"), /min-wise signature, 128 lanes/);
      await page.fill("#url-b", "sqlite.org/faq.html");
      await page.click(".compare-form button");
      await page.waitForFunction(() => document.querySelector(".columns").textContent.includes("Frequently"));
      assert.ok((await page.locator(".butterfly tbody tr").count()) > 10);
    }));

  test("the report has counts, times beside the paper's, charts and skipped records", () =>
    withPage({}, async (page, open) => {
      await open(address("report"));
      assert.match(await page.textContent("#counts ~ *"), /340, 7\.87 MB/);
      assert.equal(await page.locator(".chart canvas").count(), 3);
      assert.match(
        await page.textContent(".view"),
        /Measured: \d+\.\d % of [\d,]+ pairs at or above the threshold/,
      );
      assert.match(await page.textContent("#skipped ~ *"), /1 record that is no page by its type/);
      assert.match(await page.textContent(".stages tfoot"), /278 h/);
      await open(address("report", { run: "paper" }));
      assert.match(await page.textContent(".stages"), /filter[\d.]+ ms.*filtering\s*83 h/s);
      assert.match(await page.textContent(".stages tfoot"), /278 h/);
      await open(address("report", { run: "hostile" }));
      assert.match(
        await page.textContent("#skipped ~ *"),
        /no absolute http\(s\) URL: javascript:alert\(1\)/,
      );
    }));

  test("another run is chosen, and stays", () =>
    withPage({}, async (page, open) => {
      await open(address("clusters"));
      await page.selectOption("#run", "paper");
      await page.waitForFunction(() => location.hash === "#/clusters?run=paper");
      await page.waitForSelector("main:not([aria-busy]) h1");
      await page.locator(".clusters tbody a").first().click();
      await arrive(page, "cluster");
      assert.match(page.url(), /run=paper/);
      await page.selectOption("#run", "sample");
      await page.waitForFunction(() => document.querySelector("h1").textContent === "Run sample");
    }));

  test("errors are shown with the message of the API", () =>
    withPage({}, async (page, open) => {
      await open(address("page", { url: "http://unknown.example/" }));
      assert.equal(await page.textContent("h1"), "Not found");
      assert.match(await page.textContent(".error"), /does not know http:\/\/unknown\.example\//);
      await open(address("cluster", { number: 99999 }));
      assert.match(await page.textContent(".error"), /number/);
      await open(address("no-view"));
      assert.match(await page.textContent(".error"), /no such view/);
      await open(address("", { run: "none" }));
      assert.match(await page.textContent(".error"), /no run none/);
      await page.click(".brand");
    }));

  test("a view that is gone back to is where it was left", () =>
    withPage({}, async (page, open) => {
      await open(address("clusters"));
      await page.evaluate(() => window.scrollTo(0, 500));
      await page.waitForFunction(() => history.state?.y === 500);
      await page.locator(".clusters tbody a").nth(20).click();
      await arrive(page, "cluster");
      assert.equal(await page.evaluate(() => window.scrollY), 0);
      // The slow answer of a busy server leaves time for events of the view before.
      await page.route("**/api/clusters*", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await route.continue();
      });
      await page.evaluate(() => {
        const scroll = () => window.dispatchEvent(new Event("scroll"));
        window.addEventListener("hashchange", scroll, { once: true });
      });
      await page.goBack();
      await arrive(page, "clusters");
      await page.waitForFunction(() => window.scrollY === 500);
    }));

  test("the first stop of the keyboard skips the head", () =>
    withPage({}, async (page, open) => {
      await open(address("topics"));
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate(() => document.activeElement.id), "main");
      assert.equal(await page.textContent("h1"), "Topics");
    }));
});

describe("texts of strangers", () => {
  test("stay texts: no dialog, no script, no image, no request to another host", () =>
    withPage({}, async (page, open) => {
      for (const [name, hash] of allViews()) {
        await open(hash);
        const found = await page.evaluate(() => ({
          scripts: [...document.scripts].map((script) => script.src),
          others: document.querySelectorAll(
            "img, iframe, object, embed, style, base, [onerror], [onmouseover], [onfocus]",
          ).length,
          links: [...document.links]
            .map((link) => link.protocol)
            .filter((protocol) => !/^https?:$/.test(protocol)),
        }));
        assert.deepEqual(found, { scripts: [`${server.address}assets/app.js`], others: 0, links: [] }, name);
        assert.deepEqual(shown.faults, [], name);
      }
    }));

  test("are shown as they are, each by itself, and cut", () =>
    withPage({}, async (page, open) => {
      const title = async (i) => {
        await open(address("page", { run: "hostile", url: hostile.urls[i] }));
        return page.locator("h1 bdi");
      };
      assert.ok((await (await title(0)).textContent()).startsWith("<script>alert(1)</script>"));
      assert.equal(await (await title(2)).evaluate((bdi) => getComputedStyle(bdi).unicodeBidi), "isolate");
      assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(await page.title()));
      assert.ok((await (await title(3)).textContent()).length <= 301);
      assert.ok((await page.locator(".page-link", { hasText: "closes" }).count()) > 0);
    }));

  // A run holds no other URLs, and cuts titles; the page does not rely on it.
  test("do no harm either when the server says them as they were", () =>
    withPage({}, async (page, open) => {
      const title = `<script>alert(1)</script>${"y".repeat(10_000)}`;
      const urls = [
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        " javascript:alert(1)",
        "http://[",
        `https://h.example/"><script>alert(1)</script>`,
      ];
      const related = urls.map((url) => ({ url, title, similarity: 2, topic: "", words: [title] }));
      await page.route("**/api/related*", (route) => route.fulfill({ json: { related } }));
      for (const url of urls) {
        const answer = {
          lookup: { asked: url, found: url, exact: false },
          page: {
            url,
            title,
            fetched: true,
            inlinks: 0,
            similar_pages: 0,
            topics: [{ path: "1", label: [title] }],
            cluster: { number: 1, size: 2, label: [title] },
            terms: 1,
            bag: [{ term: title, word: title, weight: 100 }],
          },
        };
        await page.route("**/api/page*", (route) => route.fulfill({ json: answer }));
        await open(address("page", { url }));
        const heading = page.locator("h1 bdi");
        assert.equal((await heading.textContent()).length, 301);
        assert.equal((await heading.getAttribute("title")).length, 301);
        const out = await page
          .locator("main a:not([href^='#/'])")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
        assert.deepEqual(
          out,
          url.startsWith("https:") ? ["https://h.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"] : [],
        );
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1200);
        assert.ok((await page.content()).length < 100_000);
      }
    }));

  test("suggestions are texts, too", () =>
    withPage({}, async (page, open) => {
      await open(address("", { run: "hostile" }));
      for (const text of ["script", "h.example/", "gnirts", "\u202e", "<script>"]) {
        await page.fill("#q", text);
        await page.waitForTimeout(400);
        assert.equal(await page.locator("#suggestions script, #suggestions img").count(), 0);
      }
      await page.fill("#q", "h.example/");
      await page.waitForSelector("[role=option]");
    }));
});

describe("accessibility", () => {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing in any view, ${colorScheme}`, () =>
      withPage({ colorScheme, reducedMotion: "reduce" }, async (page, open) => {
        for (const [name, hash] of allViews()) {
          await open(hash);
          if (name === "topics") {
            await page.locator(".toggle").first().click();
            await page.locator(".tree .tree > li").first().waitFor();
          }
          if (name === "start") {
            await page.fill("#q", "cmake");
            await page.waitForSelector("[role=option]");
            await page.keyboard.press("ArrowDown");
          }
          if (name.includes("report"))
            await page.locator("summary").evaluateAll((all) => all.forEach((summary) => summary.click()));
          await page.evaluate(axe);
          const { violations, passes } = await page.evaluate(() => axe.run());
          assert.ok(passes.length > 10, name);
          const found = violations.flatMap(({ id, nodes }) =>
            nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`),
          );
          assert.deepEqual(found, [], name);
        }
      }));
  }

  test("the scheme of colors and the wish for less motion are followed, also while a view is open", () =>
    withPage({ colorScheme: "light", reducedMotion: "no-preference" }, async (page, open) => {
      const style = (selector, name) =>
        page.evaluate(([of, key]) => getComputedStyle(document.querySelector(of))[key], [selector, name]);
      await open(address("cluster", { number: 1 }));
      assert.equal(await style("body", "backgroundColor"), "rgb(255, 255, 255)");
      assert.notEqual(await style(".link", "transitionDuration"), "0s");
      await page.emulateMedia({ reducedMotion: "reduce" });
      assert.equal(await style(".link", "transitionDuration"), "0s");
      await open(address("report"));
      const light = await firstChart(page);
      await page.emulateMedia({ colorScheme: "dark" });
      assert.equal(await style("body", "backgroundColor"), "rgb(20, 23, 27)");
      await page.waitForFunction(
        (before) => document.querySelector(".chart canvas").toDataURL() !== before,
        light,
      );
      assert.equal(await page.locator(".chart canvas").count(), 3);
    }));

  test("axe would find a fault", () =>
    withPage({}, async (page, open) => {
      await open("");
      await page.evaluate(() => {
        document.querySelector("main").append(document.createElement("img"));
        document.querySelector("h1").style.color = "silver";
      });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      assert.deepEqual(violations.map(({ id }) => id).sort(), ["color-contrast", "image-alt"]);
    }));

  test("every view has one heading of the first level, and landmarks", () =>
    withPage({}, async (page, open) => {
      for (const [name, hash] of allViews()) {
        await open(hash);
        for (const landmark of ["h1", "main", "header", "footer", "nav[aria-label=Views]", "[role=search]"]) {
          assert.equal(await page.locator(landmark).count(), 1, `${name}: ${landmark}`);
        }
      }
    }));
});

describe("narrow screens", () => {
  for (const width of [360, 768]) {
    test(`nothing is wider than ${width} pixels`, () =>
      withPage({ viewport: { width, height: 700 } }, async (page, open) => {
        for (const [name, hash] of allViews()) {
          await open(hash);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, name);
        }
      }));
  }
});

describe("files of the page", () => {
  function get(path, headers = {}, method = "GET") {
    return new Promise((resolve, reject) => {
      const request = http.request(new URL(path, server.address), { method, headers }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
        );
      });
      request.on("error", reject);
      request.end();
    });
  }
  const files = { "/": "text/html", "/assets/app.js": "text/javascript", "/assets/app.css": "text/css" };

  test("come with a strict policy, compressed for those who take it", async () => {
    let total = 0;
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; ");
    for (const [path, type] of Object.entries(files)) {
      const plain = await get(path);
      assert.equal(plain.status, 200);
      assert.ok(plain.headers["content-type"].startsWith(type));
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(plain.headers["content-security-policy"], policy);
      assert.equal(plain.headers["x-content-type-options"], "nosniff");
      assert.equal(plain.headers["referrer-policy"], "no-referrer");
      const small = await get(path, { "Accept-Encoding": "br;q=1.0, GZIP ;q=0.5" });
      assert.equal(small.headers["content-encoding"], "gzip");
      assert.deepEqual(gunzipSync(small.body), plain.body);
      assert.notEqual(small.headers.etag, plain.headers.etag);
      total += small.body.length;
      const head = await get(path, { "Accept-Encoding": "*" }, "HEAD");
      assert.equal(head.body.length, 0);
      assert.equal(Number(head.headers["content-length"]), small.body.length);
      for (const refusal of ["", "identity", "gzip;q=0", "br, gzip;q=0.000, *", "x-gzip"]) {
        assert.equal(
          (await get(path, { "Accept-Encoding": refusal })).headers["content-encoding"],
          undefined,
          refusal,
        );
      }
    }
    assert.ok(total < 150_000, `${total} bytes`);
  });

  test("are kept by browsers as long as they are the same", async () => {
    for (const path of Object.keys(files)) {
      const encodings = { "Accept-Encoding": "gzip" };
      const { etag } = (await get(path, encodings)).headers;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await get(path, { ...encodings, "If-None-Match": known });
        assert.equal(again.status, 304, known);
        assert.equal(again.headers.etag, etag);
        assert.equal(again.body.length, 0);
      }
      assert.equal((await get(path, { ...encodings, "If-None-Match": '"other"' })).status, 200);
      assert.equal((await get(path, { "If-None-Match": etag })).status, 200);
    }
  });

  test("are all there is: other paths are none of the file system", async () => {
    for (const path of [
      "/assets/",
      "/assets/other.js",
      "/index.html",
      "/assets/../../../etc/passwd",
      "/assets/%2e%2e/app.js",
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
    assert.equal((await get("/", {}, "POST")).status, 405);
  });
});
