// Makes the page: dist/index.html, dist/app.js and dist/app.css; of each also the same as gzip, and
// a hash for its ETag. And dist/report.html, in which the program replaces %CONTENT% by a report.
import { createHash } from "node:crypto";
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

// The licences of what the page is made of go where it goes.
const packages = ["uplot", "d3-force", "d3-dispatch", "d3-quadtree", "d3-timer"];
const licenses = packages.map(
  (name) => `${name}:\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}`,
);

mkdirSync("dist", { recursive: true });
const scripts = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  footer: { js: `/*\n${[...new Set(licenses)].join("\n\n")}\n*/` },
  outdir: "dist",
  logLevel: "warning",
};
await build({ ...scripts, entryPoints: { app: "src/main.ts" }, format: "esm" });
await build({ ...scripts, entryPoints: { report: "src/report_file.ts" }, format: "iife" });
await build({
  entryPoints: { app: "src/app.css" },
  bundle: true,
  minify: true,
  target: ["chrome110", "firefox115", "safari16"],
  outdir: "dist",
  logLevel: "warning",
});
writeFileSync("dist/index.html", readFileSync("index.html"));
writeFileSync("dist/report.html", reportPage());

// All in one file, whose policy knows its script and its styles by their hashes.
function reportPage() {
  const parts = {
    "%STYLE%": readFileSync("dist/app.css", "utf8").trim(),
    "%SCRIPT%": readFileSync("dist/report.js", "utf8").trim(),
  };
  const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
  parts["%STYLE_HASH%"] = hash(parts["%STYLE%"]);
  parts["%SCRIPT_HASH%"] = hash(parts["%SCRIPT%"]);
  if (/<\/(script|style)|<!--/i.test(parts["%SCRIPT%"] + parts["%STYLE%"])) {
    throw new Error("the script or the styles of the report would end their element");
  }
  return readFileSync("report.html", "utf8").replace(/%(STYLE|SCRIPT)(_HASH)?%/g, (name) => parts[name]);
}

let compressed = 0;
for (const name of ["index.html", "app.js", "app.css"]) {
  const plain = readFileSync(`dist/${name}`);
  writeFileSync(`dist/${name}.hash`, createHash("sha256").update(plain).digest("hex").slice(0, 16));
  // Without a time or the name of a system, so that equal sources give equal bytes.
  const bytes = gzipSync(plain, { level: 9 });
  bytes[9] = 255;
  writeFileSync(`dist/${name}.gz`, bytes);
  compressed += bytes.length;
}
const most = 150_000;
if (compressed > most) {
  console.error(`the page takes ${compressed} bytes as gzip; at most ${most} are allowed`);
  process.exit(1);
}
