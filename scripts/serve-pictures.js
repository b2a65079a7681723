// Takes the pictures of the operations page of `serve` for the docs, of the built program, its own
// fixtures and endpoints that take, refuse, hang and are not there:
//   npm run build && node scripts/serve-pictures.js [path of a Chromium]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const program = fileURLToPath(new URL('../bin/evfwd.js', import.meta.url));
const images = process.argv[3] ?? fileURLToPath(new URL('../docs/images/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'evfwd-pictures-'));

const endpoints = [
  await endpoint((response) => response.writeHead(200).end()),
  await endpoint((response) => json(response, 500, { error: 'database is read-only' })),
  await endpoint((response, body) =>
    body.includes('"Product Added"')
      ? json(response, 422, { error: 'missing field "plan"', field: 'properties.plan' })
      : response.writeHead(204).end(),
  ),
  await endpoint((response) => response.writeHead(429, { 'retry-after': '900' }).end()),
  await endpoint((response) => json(response, 410, { error: 'this hook was removed' })),
  await endpoint(() => undefined),
];
const [crm, warehouse, partner, mailer, legacy, slow] = endpoints.map(({ url }) => url);
writeFileSync(
  join(folder, 'evfwd.config.yaml'),
  `sources:
  web: { writeKey: web-key, destinations: [crm, warehouse, partner, mailer, slow, email] }
  mobile: { writeKey: mobile-key, destinations: [crm, partner, billing] }
  backend: { writeKey: backend-key, destinations: [billing, search, legacy, audit] }
destinations:
  crm: { type: Webhooks, allowPrivateNetworks: true, sharedSecret: a, endpoints: [{ url: '${crm}/crm' }] }
  billing: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${crm}/invoices' }] }
  search: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${crm}/index' }] }
  partner: { type: Webhooks, name: Partner, allowPrivateNetworks: true, endpoints: [{ url: '${partner}/hook' }] }
  warehouse: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${warehouse}/v2/events' }] }
  mailer: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${mailer}/send' }] }
  legacy: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${legacy}/old' }] }
  slow: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${slow}/slow' }] }
  audit: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: 'http://127.0.0.1:9/audit' }] }
  email: { type: Webhooks, enabled: false, endpoints: [{ url: 'https://mail.example.com/hook' }] }
  archive: { type: Webhooks, endpoints: [{ url: 'https://archive.example.com/hook' }] }
`,
);
const service = spawn(process.execPath, [program, 'serve', '--json', '--port', '4500'], {
  cwd: folder,
});
service.stderr.resume();
const [line] = await once(createInterface(service.stdout), 'line');
const url = JSON.parse(line).url.replace(/\/$/, '');
const events = await history();
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

await send(events.slice(0, 300), 60);
const pages = await Promise.all(['light', 'dark'].map((scheme) => open(scheme, 1280, 800)));
await send(events.slice(300, 600), 12);
await Promise.all(
  pages.map(async (page, index) => {
    const scheme = ['light', 'dark'][index];
    await picture(page, `service-${scheme}`);
    const deadLetters = await (
      await fetch(`${url}/_evfwd/api/dead-letters?destination=partner`)
    ).json();
    await page.getByRole('searchbox').fill(deadLetters.rows[0].messageId);
    await page.locator('.delivery').first().waitFor();
    await page.locator('.delivery', { hasText: 'partner' }).click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await page.mouse.move(640, 500);
    await picture(page, `service-event-${scheme}`);
  }),
);
const phone = await open('light', 400, 800);
await picture(phone, 'service-phone');

await browser.close();
service.kill();
await once(service, 'close');
for (const { server } of endpoints) {
  server.closeAllConnections();
  server.close();
}
rmSync(folder, { recursive: true });

async function endpoint(answer) {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function history() {
  const child = spawn(process.execPath, [program, 'fixtures', 'history']);
  return (await text(child.stdout)).trim().split('\n');
}

function json(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** So many a second; of some the time is missing its zone, and some come with a wrong key. */
async function send(lines, perSecond) {
  for (const [index, event] of lines.entries()) {
    const source = ['web', 'web', 'mobile', 'backend'][index % 4];
    await post(event, `${source}-key`);
    if (index % 40 === 7) await post('{"type":"track","event":"Order Completed"}', `${source}-key`);
    if (index % 60 === 9) await post(event, 'an-old-key');
    await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond));
  }
}

function post(event, writeKey) {
  return fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}` },
    body: `{"batch":[${event}]}`,
  });
}

async function open(colorScheme, width, height) {
  const page = await browser.newPage({ colorScheme, viewport: { width, height } });
  await page.goto(`${url}/_evfwd/`);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

async function picture(page, name) {
  await page.waitForTimeout(1200);
  await page.screenshot({ path: `${images}${name}.png` });
}
