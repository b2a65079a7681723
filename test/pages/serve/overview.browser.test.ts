import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { AttemptRow, EventAtDestination } from '../../../src/api/serve.js';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { destinationOf, detailOf, outcomesOf } from './page.js';
import { startServe } from './serve.js';

const tenNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** How many elements are wholly in sight. */
function inSight(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluateAll(
    (all) =>
      all.filter((one) => {
        const { top, bottom, height } = one.getBoundingClientRect();
        return height > 0 && top >= 0 && bottom <= innerHeight;
      }).length,
  );
}

const response = {
  headers: { 'content-type': 'application/json', 'x-request-id': '<b>7</b>' },
  body: '{"error":"missing field \\"plan\\"","html":"<img src=x onerror=alert(1)>"}',
};

describeInBrowser('the overview', () => {
  const { open } = useBrowser();

  it('leaves room for events below ten destinations and the charts', async () => {
    const serve = await startServe({
      destinations: Object.fromEntries(tenNames.map((name) => [name, 200])),
    });
    await serve.track('A');
    await serve.track('B');
    const page = await open(serve);
    await expect.poll(async () => (await outcomesOf(page)).length).toBeGreaterThan(10);
    expect(await inSight(page, '.destinations tbody tr')).toBe(10);
    expect(await inSight(page, '#outcomes [id^=outcome-]')).toBeGreaterThanOrEqual(6);
    await page.keyboard.press('o');
    await expect.poll(() => inSight(page, '.destinations tbody tr')).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Show overview' }).click();
    await expect.poll(() => inSight(page, '.destinations tbody tr')).toBe(10);
  });

  it('says that what it has of a source is since the start', async () => {
    const serve = await startServe({ destinations: { crm: 200 } });
    const sources = (await open(serve)).locator('table.sources');
    await expect.poll(() => sources.getByText('not since start').count()).toBe(1);
    const received = sources.getByRole('columnheader', { name: 'Received' });
    expect(await received.getAttribute('title')).toBe('Since the service started');
  });

  it('has a chart of what came, went, failed and waits, of all or of one destination', async () => {
    const serve = await startServe({ destinations: { crm: 200, broken: 500 } });
    for (const name of ['A', 'B', 'C']) await serve.track(name);
    const page = await open(serve);
    await expect.poll(async () => (await serve.overview()).destinations[1]!.retrying).toBe(3);
    await page.reload();
    const legend = page.locator('.plots .legend').first();
    await expect
      .poll(() => legend.innerText())
      .toMatch(/in\s+3\s+out\s+3\s+failed attempts\s+[3-9]/);
    const chart = page.locator('.plots');
    expect(await chart.innerText()).toMatch(/Backlog\s+queued or waiting\s+3/);
    expect(await chart.getAttribute('aria-label')).toMatch(/3 in, 3 out, .* 3 queued or waiting/);
    const [first, second] = await page
      .locator('.plots .plot')
      .evaluateAll((plots) => plots.map((plot) => plot.getBoundingClientRect()));
    expect(second!.left).toBeGreaterThan(first!.right);
    expect(second!.right - first!.left).toBeGreaterThan(1200);
    expect(await page.locator('.plots table caption').innerText()).toBe('Events over time');
    await destinationOf(page, 'crm').getByRole('button', { name: 'crm', exact: true }).click();
    await expect.poll(() => legend.innerText()).toMatch(/out\s+3\s+failed attempts\s+0/);
    await page.getByRole('button', { name: '24 h' }).click();
    await page.getByRole('heading', { name: 'crm per 5 min' }).waitFor();
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => legend.innerText()).toMatch(/\d\d:\d\d:\d\d/);
  });

  it('says first which destinations need attention, and which share of an other fails', async () => {
    const serve = await startServe({ destinations: { crm: 200, broken: 500 } });
    const page = await open(serve);
    const line = page.locator('.attention');
    await line.getByText('No destination has got an event yet').waitFor();
    for (const name of ['A', 'B', 'C']) await serve.track(name);
    await expect.poll(() => line.innerText()).toMatch(/1 destination needs attention\s*broken/);
    serve.endpoints.crm!.behaviour = 422;
    await serve.track('D');
    await destinationOf(page, 'crm').getByText('delivering, 25% failing').waitFor();
  });

  it('has an empty chart before the first event', async () => {
    const page = await open(await startServe());
    await page.getByText('Nothing in this span so far').waitFor();
    await expect.poll(() => page.locator('.plots canvas').count()).toBe(2);
  });

  it('goes on with the chart by small messages', async () => {
    const serve = await startServe();
    await serve.track('A');
    const page = await open(serve);
    const sizes: number[] = [];
    const queries: string[] = [];
    page.on('response', (answer) => {
      const { pathname, search } = new URL(answer.url());
      // The first one, which has the whole span, may still be on its way.
      if (!pathname.endsWith('/api/series') || !search.includes('from=')) return;
      queries.push(search);
      void answer.body().then((body) => sizes.push(body.length));
    });
    await expect.poll(() => sizes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(1);
    expect(queries[0]).toMatch(/from=\d+/);
    expect(sizes[0]).toBeLessThan(500);
  });

  it('opens a menu with the rare actions, which keys can use', async () => {
    const page = await open(await startServe());
    const menu = page.getByRole('button', { name: 'More actions' });
    await menu.focus();
    await page.keyboard.press('Enter');
    const items = page.getByRole('menuitem');
    await expect.poll(() => items.count()).toBe(4);
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Delete a user');
    await page.keyboard.press('Escape');
    await expect.poll(() => items.count()).toBe(0);
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('focuses the first action as soon as the menu is shown', async () => {
    const page = await open(await startServe());
    const focused = await page.getByRole('button', { name: 'More actions' }).evaluate((button) => {
      const menu = button.parentElement ?? document.body;
      return new Promise((resolve) => {
        new MutationObserver(() => {
          // Rendering is one task: what it does not do, the next key press can come before.
          queueMicrotask(() => {
            resolve(document.activeElement?.textContent);
          });
        }).observe(menu, { childList: true });
        (button as HTMLElement).click();
      });
    });
    expect(focused).toBe('States of destinations');
  });

  it('shows what the last failed response said, as text', async () => {
    const serve = await startServe({ destinations: { crm: 400 } });
    await serve.track('A');
    const page = await open(serve);
    await page.route('**/_evfwd/api/failures/crm', async (route) => {
      const row = (await (await route.fetch()).json()) as AttemptRow;
      await route.fulfill({ json: { ...row, response } });
    });
    await destinationOf(page, 'crm').getByRole('button', { name: 'failing · 400' }).click();
    const dialog = page.getByRole('dialog', { name: 'Last failure of crm' });
    await dialog.getByRole('heading', { name: 'Response' }).waitFor();
    expect(await dialog.innerText()).toMatch(/HTTP 400[^]*x-request-id[^]*missing field/);
    expect(await page.locator('img').count()).toBe(0);
  });

  it.each([
    ['JSON', response, /HTTP 400[^]*x-request-id\s+<b>7<\/b>[^]*missing field[^]*<img src=x/],
    ['cut text', { headers: {}, body: '{"cut":"of' }, /HTTP 400[^]*\{"cut":"of/],
    ['bytes', { headers: {}, bodyBase64: 'AAECAw==' }, /HTTP 400[^]*Binary, 4 bytes/],
    ['nothing', { headers: {}, body: '' }, /HTTP 400[^]*No body/],
  ])('shows the response of a failed attempt that is %s', async (_, said, text) => {
    const serve = await startServe({ destinations: { crm: 400 } });
    await serve.track('A');
    const page = await open(serve);
    await page.route('**/_evfwd/api/events/*', async (route) => {
      const row = (await (await route.fetch()).json()) as EventAtDestination;
      const endpoints = row.endpoints.map((attempt) => ({ ...attempt, response: said }));
      await route.fulfill({ json: { ...row, endpoints } });
    });
    await page.locator('#outcomes [id^=outcome-]').first().click();
    const shown = detailOf(page).getByRole('region', { name: 'Response', exact: true });
    await expect.poll(() => shown.innerText()).toMatch(text);
    expect(await detailOf(page).innerText()).toMatch(/Failed at [\d:.]+: .* \(1 attempt\)/);
    expect(await detailOf(page).innerText()).not.toContain('after 1 attempt');
    expect(await page.locator('img').count()).toBe(0);
  });
});
