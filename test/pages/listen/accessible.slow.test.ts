import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { faint, nameless } from './accessibility.js';
import { describeInBrowser, namesOf, openRequest, useBrowser } from './browser.js';
import { startListen, type Listen } from './listen.js';

async function listenWithOneOfEach(): Promise<Listen> {
  const listen = await startListen([
    '--fault',
    'status=503,type=page',
    '--fault',
    'delay=1ms,type=group',
  ]);
  await listen.track('Good');
  await listen.post('{"type":"page","userId":"u1","name":"Bad"}', { 'x-signature': 'no' });
  await listen.post('{"type":"group","userId":"u1","groupId":"g","traits":{"n":1,"ok":true}}');
  await fetch(`${listen.url}/unsigned`, { method: 'POST', body: '{"type":"track"}' });
  return listen;
}

const places: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['the list', () => Promise.resolve()],
  ['a request', (page) => openRequest(page, 'Bad')],
  ['a search without a result', (page) => page.getByRole('searchbox').fill('nothing')],
  ['a selection', (page) => page.keyboard.press('j').then(() => page.keyboard.press('x'))],
  ['the faults', (page) => page.keyboard.press('f')],
  [
    'a replay',
    async (page) => {
      await openRequest(page, 'Bad');
      await page.keyboard.press('r');
      await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:1/');
      await page.keyboard.press('Enter');
      await page.getByText('1 of 1 sent').waitFor();
    },
  ],
  ['the question before clearing', (page) => page.getByRole('button', { name: 'Clear' }).click()],
  ['the keys', (page) => page.keyboard.press('?')],
];

describeInBrowser('the page, whatever it shows', () => {
  const { open } = useBrowser();

  it.each(places)(
    'has names for all that can be used, contrast for all that can be read: %s',
    async (_, go) => {
      const page = await open(await listenWithOneOfEach());
      await expect.poll(() => namesOf(page)).toHaveLength(4);
      await go(page);
      expect(await nameless(page)).toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await faint(page), colorScheme).toEqual([]);
      }
      const ids = await page.evaluate(() =>
        [...document.querySelectorAll('[id]')].map(({ id }) => id),
      );
      expect(ids).toEqual([...new Set(ids)]);
    },
  );
});

describeInBrowser('a screen reader', () => {
  const { open } = useBrowser();

  it('meets a grid that says how long it is, with a word for every verdict', async () => {
    const page = await open(await listenWithOneOfEach());
    await expect.poll(() => namesOf(page)).toHaveLength(4);
    const grid = page.getByRole('grid', { name: 'Requests' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('5');
    expect(await grid.getByRole('columnheader').allInnerTexts()).toEqual([
      '',
      'Time',
      'Type',
      'Event',
      'Path',
      'User',
      'Signature',
      'Size',
      'Status',
      'Fault',
      'Duration',
    ]);
    // Behind `invalid` stands the reason.
    for (const verdict of [/^valid$/, /^invalid \w/, /^missing$/]) {
      expect(await grid.getByRole('gridcell', { name: verdict }).count()).toBeGreaterThan(0);
    }
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('evfwd listen');
  });

  it('is told of arrivals together, not one by one', async () => {
    const listen = await startListen();
    const page = await open(listen);
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const region = page.locator('[aria-live=polite].sr-only');
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const live = document.querySelector('[aria-live=polite].sr-only')!;
      new MutationObserver(() => said.push(live.textContent)).observe(live, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    for (let i = 0; i < 20; i++) await listen.track(`Event ${i}`);
    await page.clock.runFor(1000);
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('21');
    expect(await region.innerText()).toBe('');
    await page.clock.runFor(10_000);
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { said: string[] }).said))
      .toEqual(['20 new requests']);
  });
});
