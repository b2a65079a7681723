// Takes the pictures of the pages of `check --html` and `report --html` for the docs, of real runs:
//   npm run build && node scripts/html-pictures.js [path of a Chromium]
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../', import.meta.url));
const program = join(root, 'bin/evfwd.js');
const folder = mkdtempSync(join(tmpdir(), 'evfwd-pictures-'));
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const browser = await chromium.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  await checkPage();
  await picture('check.html', 'docs/images/check-light.png', 'light', 1090);
  await reportPage();
  for (const scheme of ['light', 'dark'])
    await picture('report.html', `docs/report-${scheme}.png`, scheme);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Of a handler with the most common bug. */
async function checkPage() {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '3000' };
  const handler = spawn(process.execPath, ['examples/receivers/express/stripe-wrong.js'], {
    cwd: root,
    env,
  });
  try {
    await reachable('http://localhost:3000/');
    const args = ['http://localhost:3000/hook', '--scheme', 'stripe', '--html', 'check.html'];
    await run(['check', ...args], { EVFWD_SECRET: secret });
  } finally {
    handler.kill();
  }
}

/** Of an import to an endpoint that responds to one event in 12 with an error. */
async function reportPage() {
  const errors = {
    5: [400, '{"error":"missing field \\"plan\\"","request":"req_8f2a"}'],
    17: [503, 'upstream unavailable'],
    29: [422, '{"errors":[{"path":"traits.email","message":"is no address"}]}'],
  };
  let count = 0;
  const endpoint = createServer((request, response) => {
    request.resume().on('end', () => {
      const [status, body] = errors[count++ % 36] ?? [200, ''];
      response.statusCode = status;
      setTimeout(() => response.end(body), count % 7);
    });
  }).listen(3000);
  await once(endpoint, 'listening');
  await run(['fixtures', 'history'], {}, 'history.ndjson');
  const args = ['history.ndjson', '--url', 'http://localhost:3000/hook', '--rate', '100/s'];
  await run(['import', ...args, '--log', 'attempts.ndjson', '--retry-window', '1m']);
  await run(['report', 'attempts.ndjson', '--html', 'report.html']);
  endpoint.close();
}

/** Exit codes other than 0 say what was found. @param output the file for standard output */
async function run(args, env = {}, output = 'output') {
  const command = `exec "$0" "$@" > '${output}'`;
  const words = ['-c', command, process.execPath, program, ...args];
  const options = { cwd: folder, env: { ...process.env, ...env } };
  await promisify(execFile)('sh', words, options).catch(({ code, stderr }) => {
    if (code > 3 || code === 2) throw new Error(`evfwd ${args[0]}: ${stderr}`);
  });
}

async function reachable(url) {
  while (!(await fetch(url).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 100));
}

/** @param height of the picture; default: the whole page */
async function picture(file, path, colorScheme, height) {
  const page = await browser.newPage({ viewport: { width: 1080, height: 1090 }, colorScheme });
  await page.goto(pathToFileURL(join(folder, file)).href);
  await page.screenshot({ path: join(root, path), fullPage: height === undefined });
  await page.close();
}
