// Compares kith's URL parser with the `URL` of Node on real and on hostile hrefs.
//   node node_url_twin.mjs RESOLVE_URLS PAIRS.tsv...   lines "base TAB href"
//   node node_url_twin.mjs --answers PAIRS.tsv         only prints what Node says
// Exit status 0 when every line agrees; prints the share and the first lines that do not.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [program, ...files] = process.argv.slice(2);
const shown = 20;

// kith keeps http and https, and drops user-info and fragment.
function canonical(base, href) {
  if (!URL.canParse(base) || !URL.canParse(href, base)) return '-';
  const url = new URL(href, base);
  if (!/^https?:$/.test(url.protocol) || !/^https?:$/.test(new URL(base).protocol)) return '-';
  url.username = '';
  url.password = '';
  url.hash = '';
  // The standard percent-encodes '^' in paths since 2024; older versions of Node do not.
  const path = url.pathname.replaceAll('^', '%5E');
  // An empty query keeps its '?' in href, but not in search.
  const query = url.search || (url.href.endsWith('?') ? '?' : '');
  return url.origin + path + query;
}

function readPairs(file) {
  const lines = readFileSync(file).toString().split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    return { line, expected: canonical(line.slice(0, tab), line.slice(tab + 1)) };
  });
}

// How many of the pairs get the same answer from kith.
function compare(file, pairs) {
  const input = pairs.map(({ line }) => `${line}\n`).join('');
  const run = spawnSync(program, { input, maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`${program} failed on ${file}`);
  const answers = run.stdout.toString().split('\n');
  const differing = pairs.map((pair, i) => ({ ...pair, answer: answers[i] }))
    .filter(({ answer, expected }) => answer !== expected);
  for (const { line, answer, expected } of differing.slice(0, shown)) {
    console.log(`${file}: ${line}\n  kith ${answer}\n  node ${expected}`);
  }
  return pairs.length - differing.length;
}

if (program === '--answers') {
  for (const { expected } of readPairs(files[0])) console.log(expected);
} else {
  let total = 0;
  let equal = 0;
  for (const file of files) {
    const pairs = readPairs(file);
    total += pairs.length;
    equal += compare(file, pairs);
  }
  console.log(`${equal} of ${total} equal (${((100 * equal) / total).toFixed(4)} %)`);
  process.exitCode = total > 0 && equal === total ? 0 : 1;
}
