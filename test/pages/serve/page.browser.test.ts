import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { faint, nameless } from '../listen/accessibility.js';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { detailOf, openTab, outcomesOf, searchFor } from './page.js';
import { startServe, type Serve } from './serve.js';

/** A service with an outcome of each kind. */
async function serveWithOneOfEach(): Promise<Serve> {
  const serve = await startServe({ destinations: { crm: 200, broken: 500, partner: 400 } });
  await serve.track('Order Completed', { userId: 'ada' });
  await serve.track('Left Out', { integrations: { All: false } });
  await serve.post('/v1/track', '{"event":"Nobody"}');
  await serve.post('/v1/track', '{}', 'wrong-key');
  return serve;
}

const places: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['the events', () => Promise.resolve()],
  [
    'the dead letters, one selected',
    async (page) => {
      await openTab(page, 'Dead letters');
      await page.locator('.list.dead-letters [id^=outcome-] input').first().click();
    },
  ],
  ['an event', (page) => page.locator('#outcomes [id^=outcome-]').first().click()],
  ['a search result', (page) => searchFor(page, 'message-1')],
  [
    'a search without a result',
    async (page) => {
      await searchFor(page, 'nothing has this');
      await page.getByRole('heading', { name: /^No event has/ }).waitFor();
    },
  ],
  ['the keys', (page) => page.keyboard.press('?')],
  ['the menu', (page) => page.getByRole('button', { name: 'More actions' }).click()],
  [
    'the states',
    async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'States of destinations' }).click();
    },
  ],
  [
    'a deletion',
    async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete a user' }).click();
    },
  ],
  ['a last failure', (page) => page.locator('.state-button').first().click()],
  ['the question before turning off', (page) => page.getByRole('switch').first().click()],
];

describeInBrowser('the operations page, whatever it shows', () => {
  const { open } = useBrowser();

  it.each(places)(
    'has names for all that can be used, contrast for all that can be read: %s',
    async (_, go) => {
      const serve = await serveWithOneOfEach();
      const page = await open(serve);
      await expect.poll(async () => (await outcomesOf(page)).length).toBe(7);
      await go(page);
      expect(await nameless(page)).toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await faint(page), colorScheme).toEqual([]);
      }
    },
  );
});

describeInBrowser('the operations page', () => {
  const { open } = useBrowser();

  it('fits a page of 390 pixels: overview, lists and event are views of their own', async () => {
    const serve = await serveWithOneOfEach();
    const page = await open(serve, { viewport: { width: 390, height: 700 }, hasTouch: true });
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const overview = page.getByRole('region', { name: 'Destinations' });
    await overview.getByText('partner', { exact: true }).waitFor();
    expect(await page.locator('#outcomes').isVisible()).toBe(false);
    expect(await overflow()).toBe(0);
    await openTab(page, 'Events');
    await page.locator('#outcomes').waitFor();
    expect(await overview.isVisible()).toBe(false);
    expect(await overflow()).toBe(0);
    await page.getByRole('searchbox').fill('message-1');
    await page.locator('.delivery').first().click();
    await detailOf(page).waitFor();
    expect(await page.locator('#outcomes').isVisible()).toBe(false);
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await detailOf(page).waitFor({ state: 'detached' });
  });

  it('shows received text as text, whatever it holds', async () => {
    const serve = await startServe({ destinations: { crm: 400 } });
    const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    await serve.track(evil, { userId: `${evil}\u202e`, messageId: `${evil}-1` });
    await serve.post('/v1/track', JSON.stringify({ event: evil, messageId: evil }));
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    expect((await outcomesOf(page)).join()).toContain('U+202E');
    for (const tab of ['Events', 'Dead letters', 'Rejected']) {
      await openTab(page, tab);
      await page.locator('#outcomes [id^=outcome-]').first().click();
      await detailOf(page).getByRole('heading', { name: 'Body' }).waitFor();
      expect(await detailOf(page).innerText()).toContain('onerror=alert(1)');
    }
    await searchFor(page, evil);
    await page.locator('.search-summary').waitFor();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
  });

  it('asks for the token once, and keeps it in no other tab', async () => {
    const serve = await startServe({ token: 'let-me-in-please' });
    await serve.track('A');
    const page = await open(serve, {}, 'Token');
    const field = page.getByLabel('Token');
    await field.fill('a guess');
    await page.keyboard.press('Enter');
    await page.getByText('The token is not valid').waitFor();
    await field.fill('let-me-in-please');
    await page.keyboard.press('Enter');
    await expect.poll(() => outcomesOf(page)).toHaveLength(1);
    // The stream goes on with it, and so does a reload.
    await serve.track('B');
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    await page.reload();
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain('let-me');
    const other = await page.context().newPage();
    await other.goto(`${serve.url}/_evfwd/`);
    await other.getByLabel('Token').waitFor();
  });

  it('says that the connection is lost, and goes on with a service that was started again', async () => {
    const serve = await startServe();
    await serve.track('Before');
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(1);
    await serve.stop();
    await page.getByRole('alert').getByText('is lost').waitFor();
    // What was there can still be read.
    expect(await outcomesOf(page)).toHaveLength(1);
    await serve.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    await serve.post('/v1/track', '{"userId":"u1","event":"After","messageId":"after"}');
    await expect.poll(() => outcomesOf(page)).toEqual([expect.stringContaining('After')]);
  });
});
