// Takes the pictures of the inspector page for the docs, of the built program and its own fixtures:
//   npm run build && node scripts/listen-pictures.js [path of a Chromium]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const program = fileURLToPath(new URL('../bin/evfwd.js', import.meta.url));
const images = fileURLToPath(new URL('../docs/images/', import.meta.url));
const env = { ...process.env, EVFWD_SECRET: 'shhh' };

const { child, url } = await listen('4400', [
  ['--fault', 'status=503,rate=10%'],
  ['--fault', 'delay=40ms,rate=15%'],
  ['--seed', '7'],
]);
await deliver(url);
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
await Promise.all(
  ['light', 'dark'].map(async (colorScheme) => {
    const page = await open(colorScheme, { width: 1280, height: 800 });
    await page.screenshot({ path: `${images}inspector-${colorScheme}.png` });
    await page.getByRole('searchbox').fill('signature:invalid');
    await page.locator('#requests [id^=request-]').first().click();
    await page.getByRole('heading', { name: 'Headers' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.mouse.move(640, 600);
    await settled(page);
    await page.screenshot({ path: `${images}inspector-request-${colorScheme}.png` });
  }),
);
await pictureOfCompare();
await pictureOfReplay();
const phone = await open('light', { width: 400, height: 720 });
await phone.screenshot({ path: `${images}inspector-phone.png` });
await phone.getByRole('button', { name: /Faults/ }).click();
await phone.screenshot({ path: `${images}inspector-faults.png` });
await browser.close();
child.kill();

async function listen(port, flags) {
  const started = spawn(
    process.execPath,
    [program, 'listen', '--port', port, '--json', ...flags.flat()],
    { env },
  );
  const [line] = await once(createInterface(started.stdout), 'line');
  return { child: started, url: JSON.parse(line).url.replace(/\/$/, '') };
}

/** A part of the history, at a pace that makes a timeline; some of it unsigned, some signed wrongly. */
async function deliver(target) {
  const history = await run(['fixtures', 'history'], env);
  const lines = history.trim().split('\n');
  const hook = `${target}/hooks/crm`;
  const send = (part, rate, secret, folder) =>
    run(
      [
        'import',
        '-',
        '--url',
        hook,
        '--rate',
        `${rate}/s`,
        '--retry-window',
        '0s',
        '--quiet',
        '--fresh',
        '--state-dir',
        `/tmp/evfwd-pictures/${folder}`,
      ],
      { ...process.env, ...(secret && { EVFWD_SECRET: secret }) },
      `${part.join('\n')}\n`,
    );
  await send(lines.slice(0, 260), 20, 'shhh', 'a');
  await send(lines.slice(260, 700), 44, 'shhh', 'b');
  await Promise.all([
    send(lines.slice(700, 796), 16, 'shhh', 'c'),
    send(lines.slice(796, 806), 1.5, 'an old secret', 'd'),
    send(lines.slice(806, 812), 1, undefined, 'e'),
  ]);
  const body = lines.find((line) => line.includes('"Order Completed"'));
  await fetch(hook, {
    method: 'POST',
    body: `${body}\n`,
    headers: { 'content-type': 'application/json', 'x-signature': await signed(body) },
  });
  await send(lines.slice(812, 816), 8, 'shhh', 'f');
}

async function signed(body) {
  return (await run(['sign', '-'], env, body)).trim();
}

async function run(args, environment, input = '') {
  const started = spawn(process.execPath, [program, ...args], { env: environment });
  started.stdin.end(input);
  started.stderr.resume();
  let output = '';
  started.stdout.on('data', (chunk) => (output += chunk));
  await once(started, 'close');
  return output;
}

/** Two orders that differ in some members. */
async function pictureOfCompare() {
  const page = await open('light', { width: 1280, height: 800 }, '?q=Order Completed');
  for (const index of [0, 1]) {
    await page.locator('#requests [id^=request-] input').nth(index).check({ force: true });
  }
  await page.getByRole('button', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog', { name: /^Compare/ });
  await dialog.getByRole('heading', { name: 'Headers' }).waitFor();
  await dialog.screenshot({ path: `${images}inspector-compare.png` });
  await page.close();
}

/** A request replayed to an endpoint that says what it misses. */
async function pictureOfReplay() {
  const endpoint = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json', 'x-request-id': 'req_81f3' });
    response.end('{"error":"missing field \\"plan\\"","field":"properties.plan"}');
  });
  await once(endpoint.listen(3000, '127.0.0.1'), 'listening');
  const page = await open('light', { width: 1280, height: 800 }, '?q=Order Completed');
  await page.locator('#requests [id^=request-]').first().click();
  await page.getByRole('button', { name: 'Replay' }).click();
  const dialog = page.getByRole('dialog', { name: /^Replay/ });
  await dialog.getByLabel('URL').fill('http://127.0.0.1:3000/hook');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByText('x-request-id').waitFor();
  await dialog.screenshot({ path: `${images}inspector-replay.png` });
  await page.close();
  endpoint.closeAllConnections();
  endpoint.close();
}

async function open(colorScheme, viewport, query = '') {
  const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 1.5 });
  await page.goto(`${url}/_evfwd/${query}`);
  await page.locator('#requests [id^=request-]').first().waitFor();
  await settled(page);
  return page;
}

/** The pictures follow the list after half a second. */
function settled(page) {
  return page.waitForTimeout(1500);
}
