// kith report: files that a browser opens without a server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { axe, cleanUp, firstChart, makeReport, makeRuns, openBrowser, openPage } from "./support.mjs";

let browser;
const reports = new Map(); // addresses by the names of runs

before(async () => {
  for (const run of makeRuns()) reports.set(run.split("/").at(-1), makeReport(run));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  cleanUp();
});

async function withReport(name, options, check) {
  const address = reports.get(name);
  const shown = await openPage(browser, address, options);
  try {
    await shown.open("");
    await check(shown.page);
    // Neither a fault nor a request but the one for the file itself.
    assert.deepEqual(shown.faults, []);
  } finally {
    await shown.close();
  }
}

describe("the report of a run as a file", () => {
  test("has the counts, the charts and the skipped records of a run of kith cluster", () =>
    withReport("sample", {}, async (page) => {
      assert.equal(await page.title(), "Report of sample – kith");
      assert.equal(await page.textContent("h1"), "Report of sample");
      assert.match(await page.textContent("#counts ~ *"), /340, 7\.87 MB/);
      assert.equal(await page.locator(".chart canvas").count(), 3);
      assert.match(await page.textContent(".stages tfoot"), /278 h/);
      assert.match(await page.textContent("#skipped ~ *"), /1 record that is no page by its type/);
    }));

  test("has those of a run of kith dedup", () =>
    withReport("copies", {}, async (page) => {
      assert.equal(await page.textContent("h1"), "Report of copies");
      assert.equal(await page.locator(".chart canvas").count(), 3);
      assert.match(await page.textContent("#counts ~ *"), /340/);
      assert.match(await page.textContent(".view"), /Measured: \d+\.\d % of [\d,]+ pairs/);
      assert.equal(await page.locator("#largest ~ * tbody tr").count(), 10);
    }));

  test("draws its charts, and anew when the colors change", () =>
    withReport("copies", { colorScheme: "light" }, async (page) => {
      const light = await firstChart(page);
      assert.ok(light.length > 5000);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForFunction(
        (before) => document.querySelector(".chart canvas").toDataURL() !== before,
        light,
      );
    }));

  test("keeps texts of strangers texts", async () => {
    for (const name of ["hostile", "hostile-copies"]) {
      await withReport(name, {}, async (page) => {
        assert.match(await page.textContent("#skipped ~ *"), /damaged record/);
        const others = "main :is(script, img, iframe, style, [onerror], [onmouseover], [onfocus])";
        assert.equal(await page.locator(others).count(), 0);
        assert.equal(await page.locator("script").count(), 2);
      });
    }
  });

  test("refuses scripts that are not its own", async () => {
    const { page, open, close } = await openPage(browser, reports.get("sample"));
    try {
      await open("");
      const refused = await page.evaluate(
        () =>
          new Promise((resolve) => {
            document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
            document.body.append(
              Object.assign(document.createElement("script"), { text: "window.done = 1" }),
            );
          }),
      );
      assert.equal(refused, "script-src-elem");
      assert.equal(await page.evaluate(() => window.done), undefined);
    } finally {
      await close();
    }
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing, ${colorScheme}`, async () => {
      for (const name of reports.keys()) {
        await withReport(name, { colorScheme, reducedMotion: "reduce" }, async (page) => {
          await page.locator("summary").evaluateAll((all) => all.forEach((summary) => summary.click()));
          await page.evaluate(axe);
          const { violations, passes } = await page.evaluate(() => axe.run());
          assert.ok(passes.length > 10, name);
          assert.deepEqual(
            violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`)),
            [],
            name,
          );
        });
      }
    });
  }

  test("fits a screen of 360 pixels", async () => {
    for (const name of reports.keys()) {
      await withReport(name, { viewport: { width: 360, height: 700 } }, async (page) => {
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, name);
      });
    }
  });
});
