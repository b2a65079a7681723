import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, detailOf, namesOf, useBrowser } from './browser.js';
import { startListen, type Listen } from './listen.js';

/** The request that the list says the keyboard is on. */
async function cursorOf(page: Page): Promise<string | null> {
  const id = await page.getByRole('grid').getAttribute('aria-activedescendant');
  return id && page.locator(`#${id} .name`).innerText();
}

async function listenWith(names: readonly string[]): Promise<Listen> {
  const listen = await startListen();
  for (const name of names) await listen.track(name);
  return listen;
}

const hasFocus = (page: Page, selector: string): Promise<boolean> =>
  page.locator(selector).evaluate((element) => element === document.activeElement);

describeInBrowser('the keyboard', () => {
  const { open } = useBrowser();

  it('walks the list, opens a request, and closes it', async () => {
    const page = await open(await listenWith(['A', 'B', 'C']));
    await expect.poll(() => namesOf(page)).toEqual(['C', 'B', 'A']);
    const walk = async (key: string): Promise<string | null> => {
      await page.keyboard.press(key);
      return cursorOf(page);
    };
    expect(await walk('j')).toBe('C');
    expect(await walk('ArrowDown')).toBe('B');
    expect(await walk('j')).toBe('A');
    expect(await walk('j')).toBe('A');
    expect(await walk('k')).toBe('B');
    expect(await walk('Home')).toBe('C');
    expect(await walk('End')).toBe('A');

    await page.keyboard.press('Enter');
    await detailOf(page).getByRole('heading', { name: 'track A' }).waitFor();
    await expect.poll(() => hasFocus(page, '#detail')).toBe(true);
    // An open request comes along.
    await page.keyboard.press('k');
    await detailOf(page).getByRole('heading', { name: 'track B' }).waitFor();
    await page.keyboard.press('Escape');
    await detailOf(page).waitFor({ state: 'detached' });
    expect(await hasFocus(page, '#requests')).toBe(true);
  });

  it('brings a far row into sight', async () => {
    const page = await open(await listenWith(Array.from({ length: 80 }, (_, i) => `Event ${i}`)));
    await expect.poll(() => namesOf(page)).toContain('Event 79');
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await expect.poll(() => cursorOf(page)).toBe('Event 0');
    const isInSight = page.locator('#request-1').evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    expect(await isInSight).toBe(true);
  });

  it('searches, goes into the list, and leaves the search', async () => {
    const page = await open(await listenWith(['Apple', 'Pear', 'Pineapple']));
    await expect.poll(() => namesOf(page)).toHaveLength(3);
    const search = page.getByRole('searchbox');
    await page.keyboard.press('/');
    await page.keyboard.type('apple');
    await page.keyboard.press('Enter');
    await expect.poll(() => cursorOf(page)).toBe('Pineapple');
    expect(await hasFocus(page, '#requests')).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => cursorOf(page)).toBe('Apple');

    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    expect(await hasFocus(page, '#requests')).toBe(true);
    expect(await search.inputValue()).toBe('apple');
    await page.keyboard.press('Escape');
    expect(await search.inputValue()).toBe('');
    await expect.poll(() => namesOf(page)).toHaveLength(3);
  });

  it('is in the first field of a dialog, stays inside, and comes back', async () => {
    const page = await open(await listenWith(['A']));
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Headers' }).waitFor();
    await expect.poll(() => hasFocus(page, '#detail')).toBe(true);
    for (const key of ['r', 'e']) {
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog');
      const url = dialog.getByRole('textbox', { name: 'URL' });
      await url.waitFor();
      await page.keyboard.type('http://a/');
      expect(await url.inputValue()).toMatch(/http:\/\/a\/$/);
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press('Tab');
        expect(await dialog.locator(':focus').count()).toBe(1);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await hasFocus(page, '#detail')).toBe(true);
    }
  });

  it('replays and edits the request that it is on, which need not be open', async () => {
    const page = await open(await listenWith(['A', 'B']));
    await expect.poll(() => namesOf(page)).toHaveLength(2);
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('e');
    const edit = page.getByRole('dialog', { name: 'Edit and resend request 1' });
    await edit.waitFor();
    await page.keyboard.press('Escape');
    await edit.waitFor({ state: 'detached' });
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    const replay = page.getByRole('dialog', { name: 'Replay request 2' });
    await replay.getByRole('textbox', { name: 'URL' }).waitFor();
    await page.keyboard.press('Escape');
    await replay.waitFor({ state: 'detached' });
    expect(await detailOf(page).count()).toBe(0);
    expect(await hasFocus(page, '#requests')).toBe(true);
  });

  it('selects requests to replay them', async () => {
    const page = await open(await listenWith(['A', 'B', 'C']));
    await expect.poll(() => namesOf(page)).toHaveLength(3);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    expect(await page.locator('#requests [aria-selected=true] .name').allInnerTexts()).toEqual([
      'C',
      'B',
    ]);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Replay 2 requests' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Selection' }).waitFor({ state: 'detached' });
  });

  it('shows its keys, pauses, and gives the focus back', async () => {
    const listen = await listenWith(['A']);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('replay the selected').waitFor();
    // Keys belong to the dialog as long as it is there.
    await page.keyboard.press('p');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await hasFocus(page, '#requests')).toBe(true);
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(1);
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Paused' }).waitFor();
  });

  it('reaches the requests at once, past the header', async () => {
    const page = await open(await listenWith(['A']));
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to the requests');
    await page.keyboard.press('Enter');
    expect(await hasFocus(page, '#requests')).toBe(true);
    // The browser draws a ring around it.
    const outline = await page
      .locator('#requests')
      .evaluate((e) => getComputedStyle(e).outlineStyle);
    expect(outline).toBe('solid');
  });
});
