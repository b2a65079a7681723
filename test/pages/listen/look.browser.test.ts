import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, detailOf, namesOf, openRequest, useBrowser } from './browser.js';
import { startListen } from './listen.js';

const backgroundOf = (page: Page): Promise<string> =>
  page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);

const light = 'rgb(255, 255, 255)';
const dark = 'rgb(12, 13, 15)';

describeInBrowser('the look', () => {
  const { open } = useBrowser();

  it('is light or dark as the system is, until it is told otherwise, which it remembers', async () => {
    const listen = await startListen();
    const page = await open(listen, { colorScheme: 'dark' });
    expect(await backgroundOf(page)).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await backgroundOf(page)).toBe(light);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await backgroundOf(page)).toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await backgroundOf(page)).toBe(dark);
  });

  it('draws charts of the listed requests: responses, verdicts, response time', async () => {
    const listen = await startListen(['--fault', 'status=503,type=page']);
    await listen.track('A');
    await listen.post('{"type":"page","userId":"u1","name":"B"}', { 'x-signature': 'no' });
    const page = await open(listen);
    await page.getByRole('img', { name: 'Requests per second: 1 2xx, 1 not 2xx' }).waitFor();
    await page.getByRole('button', { name: 'Signature' }).click();
    await page.getByRole('img', { name: /1 valid, 0 unchecked, 0 missing, 1 invalid/ }).waitFor();
    await page.getByRole('img', { name: /Response time: p50 [\d.]+ ms, p95 / }).waitFor();
    await page.getByRole('searchbox').fill('name:=A');
    await page.getByRole('img', { name: /1 valid, .* 0 invalid/ }).waitFor();
    // There is something on the canvas.
    const colors = await page
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });
    expect(colors).toBeGreaterThan(3);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Timeline and latency' }).click();
    expect(await page.locator('canvas').count()).toBe(0);
  });

  it('fits a page of 400 pixels: the list and the request are two views', async () => {
    const listen = await startListen();
    for (const name of ['A rather long name of an event that does not fit', 'B']) {
      await listen.track(name, `,"properties":{"${'wide'.repeat(40)}":"${'wide'.repeat(40)}"}`);
    }
    const page = await open(listen, { viewport: { width: 400, height: 700 }, hasTouch: true });
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(() => namesOf(page)).toHaveLength(2);
    expect(await overflow()).toBe(0);
    const isWithin = await page
      .locator('#request-1')
      .evaluate((row) =>
        [...row.querySelectorAll('.cell')].every(
          (cell) => cell.getBoundingClientRect().right <= 400,
        ),
      );
    expect(isWithin).toBe(true);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Type', { exact: true }).selectOption('track');
    expect(await overflow()).toBe(0);

    await openRequest(page, 'B');
    expect(await page.locator('#requests').isVisible()).toBe(false);
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await detailOf(page).waitFor({ state: 'detached' });
    expect(await page.locator('#requests').isVisible()).toBe(true);

    for (const name of ['Faults', 'Clear']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      expect(await overflow()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
