// Runs of kith dedup on the web page: groups, pairs, documents beside each other, and texts of
// strangers in all of them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, folder, hostile, makeDedupRuns, numbersOf, openBrowser, openPage, Server } from "./support.mjs";

let server;
let browser;

before(async () => {
  server = await Server.start(makeDedupRuns());
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  cleanUp();
});

async function withPage(check) {
  const shown = await openPage(browser, server.address);
  try {
    await check(shown.page, shown.open);
    assert.deepEqual(shown.faults, []);
  } finally {
    await shown.close();
  }
}

async function arrive(page, view) {
  await page.waitForSelector(`main:not([aria-busy]) .view-${view} h1`);
}

describe("runs of kith dedup", () => {
  test("from the start to a group, two documents and the report", () =>
    withPage(async (page, open) => {
      await open("");
      assert.match(await page.textContent(".tiles"), /340documents\s*11groups/);
      assert.deepEqual(await page.locator("#views a").allTextContents(), ["Groups", "Compare", "Report"]);
      await page.click("#views a:text('Groups')");
      await arrive(page, "groups");
      const sizes = () => numbersOf(page, ".groups tbody td:nth-child(2)");
      const largest = await sizes();
      assert.equal(largest.length, 11);
      assert.deepEqual(
        largest,
        [...largest].sort((a, b) => b - a),
      );
      await page.click(".sorter");
      await page.waitForSelector("[aria-sort=ascending]");
      assert.deepEqual(await sizes(), [...largest].reverse());
      await page.click(".groups a:text-is('Group 1')");
      await arrive(page, "group");
      assert.equal(await page.locator(".documents tbody tr").count(), largest[0]);
      assert.equal(await page.locator(".documents strong").count(), 1);
      assert.equal(await page.locator(".pairs tbody tr").count(), 25);
      await page.click("nav[aria-label='Pages of the list of pairs'] a:text('Next')");
      await page.waitForFunction(() => location.hash.includes("pairs=2"));
      await arrive(page, "group");

      await page.locator(".documents a:text('Texts')").first().click();
      await arrive(page, "overlap");
      assert.match(
        await page.textContent(".facts:not(.panel .facts)"),
        /Resemblance0\.\d\d, [\d,]+ shingles in both/,
      );
      const shared = page.locator(".texts mark");
      assert.ok((await shared.count()) > 0);
      assert.deepEqual(await page.locator(".texts thead th").allTextContents(), [
        "In",
        "First document",
        "Second document",
      ]);
      const kinds = new Set(await page.locator(".texts tbody th").allTextContents());
      assert.ok(kinds.has("both"));

      await page.click("#views a:text('Report')");
      await arrive(page, "report");
      assert.equal(await page.locator(".chart canvas").count(), 3);
      assert.match(await page.textContent(".view"), /Measured: \d+\.\d % of [\d,]+ pairs/);
      assert.match(await page.textContent("#skipped ~ *"), /1 record that is no page by its type/);
      assert.equal(await page.locator("#largest ~ * tbody tr").count(), 10);
    }));

  test("a document is found by a part of its name, and shows its pairs", () =>
    withPage(async (page, open) => {
      await open("");
      assert.equal(await page.getAttribute("#q", "placeholder"), "A part of a name");
      await page.fill("#q", "AverageGradientANOVA.__le__");
      await page.waitForSelector("[role=option]");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await arrive(page, "document");
      assert.match(await page.textContent(".facts"), /kept, of group 1/);
      assert.match(await page.textContent(".facts"), /sample\.warc\.gz, record 3/);
      assert.ok((await page.locator(".pairs tbody tr").count()) > 3);
    }));

  test("text that the other document has elsewhere leads there, also by the keyboard", () =>
    withPage(async (page, open) => {
      const passages = [
        { kind: "elsewhere_a", a: "moved words of some length", twin: 2 },
        { kind: "shared", a: `Common ${"text ".repeat(500)}end`, b: "common text" },
        { kind: "elsewhere_b", b: "moved words of some length", twin: 0 },
        { kind: "only_b", b: " " },
        { kind: "only_a", a: "old words" },
        { kind: "only_b", b: "new words" },
      ];
      await page.route("**/api/overlap*", async (route) => {
        const answer = await (await route.fetch()).json();
        await route.fulfill({ json: { ...answer, texts: { ...answer.texts, state: "found", passages } } });
      });
      await open("#/overlap?a=2&b=4");
      // Blanks alone are no row, and what stands in the place of each other is one.
      assert.equal(await page.locator(".texts tbody tr").count(), 4);
      assert.equal(await page.textContent(".passage-differ"), "they differold wordsnew words");
      // The middle of a long one comes when it is asked for.
      const common = page.locator(".texts mark").first();
      assert.match(await common.textContent(), /^Common (text )+t?e?x?2,030 more characters/);
      await common.locator("button").click();
      assert.equal(await common.textContent(), `Common ${"text ".repeat(500)}end`);
      await page.locator(".jump").first().focus();
      await page.keyboard.press("Enter");
      const row = await page.evaluate(() => document.activeElement.textContent);
      assert.equal(row, "elsewhereShow it theremoved words of some length");
      assert.equal(await page.evaluate(() => document.activeElement.rowIndex), 3);
    }));

  test("texts that the server is still looking for are asked for again", () =>
    withPage(async (page, open) => {
      let questions = 0;
      await page.route("**/api/overlap*", async (route) => {
        const answer = await (await route.fetch()).json();
        const reason = "The input is still being searched; ask again.";
        const texts = ++questions < 3 ? { state: "unfinished", reason } : answer.texts;
        await route.fulfill({ json: { ...answer, texts } });
      });
      await open("#/overlap?a=2&b=4");
      assert.match(await page.textContent(".note"), /still being searched/);
      await page.waitForSelector(".texts");
      assert.equal(questions, 3);
      assert.equal(await page.textContent("#status"), "The texts have been read.");
    }));

  test("texts of strangers stay texts", () =>
    withPage(async (page, open) => {
      for (const view of ["overlap?a=0&b=1", "group?number=1", "groups?", "report?", "search?q=h"]) {
        await open(`#/${view}&run=hostile-copies`);
        const others = "main :is(script, img, iframe, style, [onerror], [onmouseover], [onfocus])";
        assert.equal(await page.locator(others).count(), 0, view);
      }
      await open("#/overlap?a=0&b=1&run=hostile-copies");
      assert.match(await page.textContent(".texts"), /<script>alert\(1\)<\/script>/);
      assert.equal(
        await page
          .locator(".passage")
          .first()
          .evaluate((bdi) => getComputedStyle(bdi).unicodeBidi),
        "isolate",
      );
      // Of the names only those of the web become links out of the page.
      await open("#/search?q=javascript:&run=hostile-copies");
      await page.click("main .page-link");
      await arrive(page, "document");
      assert.equal(await page.locator("main a[href^='javascript']").count(), 0);
      assert.equal(hostile.urls.length, 8);
    }));

  test("errors and missing inputs are said in words", () =>
    withPage(async (page, open) => {
      await open("#/group?number=999");
      assert.match(await page.textContent(".error"), /no group 999/);
      await open("#/document?id=99999");
      assert.match(await page.textContent(".error"), /no document 99999/);
      await open("#/clusters");
      assert.match(await page.textContent(".error"), /no such view/);
      const lines = join(folder, "hostile.jsonl");
      renameSync(lines, `${lines}.away`);
      await open("#/overlap?a=0&b=1&run=hostile-copies");
      assert.match(await page.textContent(".note"), /hostile\.jsonl is not where it was/);
      assert.match(await page.textContent(".view"), /shingles in both/);
      renameSync(`${lines}.away`, lines);
    }));
});
