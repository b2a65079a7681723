import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { afterEachTest } from '../../helpers/after-each.js';
import {
  describeInBrowser,
  detailOf,
  namesOf,
  openRequest,
  rowsOf,
  unfoldFilters,
  useBrowser,
} from './browser.js';
import { startListen, type Listen } from './listen.js';

const closing = new Set<() => void>();

afterEachTest(() => {
  for (const close of closing) close();
  closing.clear();
});

/** An app on a free port; its URL. */
async function startApp(respond: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => respond(request, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.add(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/app`;
}

/** A header of Stripe, signed so many seconds ago. */
function stripe(body: string, ageSeconds = 0): Record<string, string> {
  const time = Math.floor(Date.now() / 1000) - ageSeconds;
  const signature = createHmac('sha256', 'shhh').update(`${time}.${body}`).digest('hex');
  return { 'stripe-signature': `t=${time},v1=${signature}` };
}

/** Receives by Stripe's scheme; any signature of ours is beside the point. */
function startStripe(args: readonly string[] = []): Promise<Listen> {
  return startListen(['--scheme', 'stripe', ...args]);
}

const body = (name: string): string =>
  `{"type":"track","userId":"u1","event":"${name}","messageId":"m-${name}"}`;

describeInBrowser('a request of another sender', () => {
  const { open } = useBrowser();

  it('shows scheme, time, age and why it is not valid, and is found by them', async () => {
    const listen = await startStripe();
    await listen.post(body('New'), stripe(body('New')));
    await listen.post(body('Old'), stripe(body('Old'), 600));
    const page = await open(listen);
    await expect.poll(() => rowsOf(page)).toHaveLength(2);
    expect((await rowsOf(page))[0]).toContain('invalid expired');
    await openRequest(page, 'Old');
    const text = (await detailOf(page).innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('invalid expired');
    expect(text).toContain('Scheme stripe');
    expect(text).toMatch(/Signed [\d:. -]+ 10 min \d+ s before it was received/);
    expect(text).toContain('Signature invalid.');
    await unfoldFilters(page);
    await page.getByLabel('Reason', { exact: true }).selectOption('expired');
    await expect.poll(() => namesOf(page)).toEqual(['Old']);
    await page.getByRole('searchbox').fill('scheme:stripe -reason:expired');
    await expect.poll(() => namesOf(page)).toEqual(['New']);
  });

  it('that came before is marked, and leads to the first', async () => {
    const listen = await startStripe(['--dedupe']);
    for (const name of ['One', 'Two', 'One']) await listen.post(body(name), stripe(body(name)));
    const page = await open(listen);
    await expect.poll(() => rowsOf(page)).toHaveLength(3);
    expect((await rowsOf(page)).map((row) => row.includes('duplicate'))).toEqual([
      true,
      false,
      false,
    ]);
    await unfoldFilters(page);
    await page.getByLabel('Duplicate', { exact: true }).selectOption('duplicate');
    await expect.poll(() => namesOf(page)).toEqual(['One']);
    await openRequest(page, 'One');
    await page.getByRole('button', { name: 'All requests with this id' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['One', 'One']);
    expect(await page.getByRole('searchbox').inputValue()).toBe('"m-One"');
  });
});

describeInBrowser('a forwarded request', () => {
  const { open } = useBrowser();

  it('shows what the app responded beside our own response', async () => {
    const url = await startApp((_, response) => {
      response.writeHead(422, { 'x-app': 'wide'.repeat(60) });
      response.end('{"error":"<b>unknown</b> plan"}');
    });
    const listen = await startStripe(['--forward', url]);
    await listen.post(body('A'), stripe(body('A')));
    const page = await open(listen, { viewport: { width: 400, height: 800 } });
    await openRequest(page, 'A');
    const app = page.getByRole('region', { name: 'Response of the app' });
    const text = (await app.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain(`App ${url}`);
    expect(text).toMatch(/Status 422 Duration [\d.]+ m?s/);
    expect(text).toContain('{"error":"<b>unknown</b> plan"}');
    expect(await page.getByRole('region', { name: 'Own response' }).innerText()).toContain(
      '{"success":true}',
    );
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBe(0);
    expect(await page.locator('.responses b').count()).toBe(0);
  });

  it('is listed by the status of the app, or by why there was none', async () => {
    const url = await startApp((_, response) => response.socket!.destroy());
    const listen = await startStripe(['--forward', url]);
    await listen.post(body('Lost'), stripe(body('Lost')));
    const page = await open(listen);
    await openRequest(page, 'Lost');
    const text = await page.getByRole('region', { name: 'Response', exact: true }).innerText();
    expect(text).toContain('connection closed before a response');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('Sent 502 in place of the app');
    const search = page.getByRole('searchbox');
    await search.fill('forwarded:reset status:502');
    await expect.poll(() => namesOf(page)).toEqual(['Lost']);
    await search.fill('forwarded:2xx');
    await page.getByText('forwarded:2xx hides 1 of 1 request').waitFor();
  });
});
