import { request } from 'node:http';
import { expect, it } from 'vitest';
import {
  describeInBrowser,
  detailOf,
  namesOf,
  openRequest,
  unfoldFilters,
  useBrowser,
} from './browser.js';
import { startListen } from './listen.js';

const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';
const json = JSON.stringify(script);

describeInBrowser('received data', () => {
  const { open } = useBrowser();

  it('is only ever text, in every field and every view', async () => {
    const [listen, other] = [await startListen(), await startListen()];
    const body = `{"type":"track","userId":${json},"event":${json},"messageId":${json},${json}:[${json}]}`;
    await listen.post(
      body,
      { 'x-team': script, 'x-signature': script },
      `/${encodeURI(script)}?${json}`,
    );
    await rawRequest(listen.port, `/<b>path</b>`, script);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toContain(script);
    await unfoldFilters(page);
    await page.getByLabel('Type', { exact: true }).selectOption('track');
    await page.getByRole('searchbox').fill(script);
    await openRequest(page, script);
    const detail = detailOf(page);
    expect((await detail.innerText()).split(script).length).toBeGreaterThan(6);
    await page.getByRole('button', { name: 'All requests of this user' }).click();
    await page.getByRole('button', { name: 'Raw' }).click();
    expect(await page.getByLabel('Raw body').innerText()).toBe(body);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill(`${other.url}/hook`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText(script).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show all' }).click();
    await openRequest(page, '<b>path</b>');

    // The page's own script is in its head; dialogs and foreign requests fail every test.
    expect(await page.locator('body script, body img, body b b, [onerror]').count()).toBe(0);
  });

  it('shows what could not be seen, and what would turn the writing round', async () => {
    const listen = await startListen();
    await listen.track('photo\u202egnp.exe', ',"messageId":"a\\u0000\\u001b[31mb"');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['photoU+202Egnp.exe']);
    await openRequest(page, 'photo');
    expect(await detailOf(page).innerText()).toContain('aU+0000U+001B[31mb');
    // In the body it is an escape, and stays one.
    expect(await page.getByRole('list', { name: 'Body as a tree' }).innerText()).toContain(
      'a\\u0000\\u001b[31mb',
    );
  });

  it('may be big: it begins with its beginning, and is whole when asked for', async () => {
    const listen = await startListen();
    const text = 'x'.repeat(900_000);
    await listen.track('Big', `,"properties":{"text":"${text}"}`);
    await listen.post(
      `{"type":"track","userId":"u1","event":"Wide","properties":{"list":[${'0,'.repeat(4000)}0]}}`,
    );
    const page = await open(listen);
    await openRequest(page, 'Big');
    await page.getByRole('button', { name: '… show all 900,002 characters' }).waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    expect((await page.getByLabel('Raw body').innerText()).length).toBe(50_000);
    await page.getByRole('button', { name: /Show all 900,\d+ characters/ }).click();
    expect(await page.getByLabel('Raw body').textContent()).toContain(text);
    await openRequest(page, 'Wide');
    await page.getByRole('button', { name: '4,001 items' }).click();
    await page.getByRole('button', { name: 'Show 200 more of 4,001 items' }).waitFor();
  });

  it('may nest deeper than a stack is high', async () => {
    const listen = await startListen();
    await listen.post('['.repeat(300_000) + ']'.repeat(300_000));
    const page = await open(listen);
    await openRequest(page, '/hook');
    const tree = page.getByRole('list', { name: 'Body as a tree' });
    await tree.getByText('1 item').waitFor();
    expect(await tree.getByText('1 item').count()).toBe(1);
  });
});

/** A path as no client of good manners sends it. */
function rawRequest(port: string, path: string, value: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(
      { port, path, method: 'POST', headers: { 'x-raw': value } },
      (answer) => {
        answer.resume().on('end', () => resolve());
      },
    );
    sending.on('error', reject).end('<p>');
  });
}
