import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, namesOf, rowsOf, unfoldFilters, useBrowser } from './browser.js';
import { startListen } from './listen.js';

describeInBrowser('the live list', () => {
  const { open } = useBrowser();

  it('tells a newcomer exactly what to run', async () => {
    const listen = await startListen([], false);
    const page = await open(listen);
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor();
    const commands = await page.locator('.command pre').allInnerTexts();
    expect(commands[0]).toContain(`curl ${listen.url}/hook`);
    expect(commands[1]).toContain(`--url ${listen.url}/hook`);
  });

  it('shows requests as they arrive, the newest on top', async () => {
    const listen = await startListen(['--fault', 'status=503,type=page']);
    const page = await open(listen);
    await listen.track('Signed Up');
    await expect.poll(() => namesOf(page)).toEqual(['Signed Up']);
    await listen.post('{"type":"page","userId":"u2","name":"Pricing"}', { 'x-signature': 'no' });
    await expect.poll(() => namesOf(page)).toEqual(['Pricing', 'Signed Up']);
    const [newest, oldest] = await rowsOf(page);
    expect(newest).toMatch(
      / page Pricing u2 invalid not_hex \d+ B 503 status=503,type=page [\d.]+ ms$/,
    );
    expect(oldest).toMatch(/ track Signed Up u1 valid \d+ B 200 [\d.]+ ms$/);
  });

  it('shows what came before it was opened', async () => {
    const listen = await startListen();
    for (const name of ['A', 'B', 'C']) await listen.track(name);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['C', 'B', 'A']);
    await page.getByRole('button', { name: 'Newest on top' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['A', 'B', 'C']);
  });

  it('searches and filters', async () => {
    const listen = await startListen(['--fault', 'status=500,type=group']);
    await listen.track('Order Completed');
    await listen.track('Order Refunded', ',"messageId":"special-1"');
    await listen.post('{"type":"page","userId":"ada","name":"Pricing"}', { 'x-signature': 'no' });
    await listen.post('{"type":"group","userId":"ada","groupId":"acme"}');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toHaveLength(4);

    const search = page.getByRole('searchbox');
    await search.fill('order');
    await expect.poll(() => namesOf(page)).toEqual(['Order Refunded', 'Order Completed']);
    await search.fill('SPECIAL-1');
    await expect.poll(() => namesOf(page)).toEqual(['Order Refunded']);
    await search.fill('nothing has this');
    await page.getByText('No requests match').waitFor();
    await page.getByRole('button', { name: 'Show all requests' }).click();

    await unfoldFilters(page);
    await page.getByLabel('Type', { exact: true }).selectOption('page');
    await expect.poll(() => namesOf(page)).toEqual(['Pricing']);
    await page.getByLabel('Type', { exact: true }).selectOption('');
    await page.getByLabel('Signature', { exact: true }).selectOption('valid');
    await expect.poll(() => namesOf(page)).toEqual(['acme', 'Order Refunded', 'Order Completed']);
    await page.getByLabel('Response', { exact: true }).selectOption('5xx');
    await expect.poll(() => namesOf(page)).toEqual(['acme']);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('User', { exact: true }).fill('ada');
    await expect.poll(() => namesOf(page)).toEqual(['acme', 'Pricing']);
    // What comes is filtered, too.
    await listen.track('Someone Else');
    await listen.post('{"type":"alias","userId":"ada","previousId":"b"}');
    await expect.poll(() => namesOf(page)).toHaveLength(3);
  });

  it('searches bodies and headers, also of what arrives later', async () => {
    const listen = await startListen();
    await listen.track('A', ',"properties":{"plan":"pro"}');
    await listen.track('B');
    await listen.post('{"type":"track","userId":"u1","event":"C"}', { 'x-team': 'Needle' });
    const page = await open(listen);
    const search = page.getByRole('searchbox');
    await search.fill('"plan":"pro"');
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    await listen.track('D', ',"properties":{"plan":"pro"}');
    await listen.track('E');
    await expect.poll(() => namesOf(page)).toEqual(['D', 'A']);
    await search.fill('x-team:needle');
    await expect.poll(() => namesOf(page)).toEqual([]);
    await search.fill('"x-team: needle"');
    await expect.poll(() => namesOf(page)).toEqual(['C']);
    await search.fill('-needle -event":"B');
    await expect.poll(() => namesOf(page)).toEqual(['E', 'D', 'A']);
  });

  it('combines filters, excludes, remembers them in the URL, and says what each hides', async () => {
    const listen = await startListen(['--fault', 'status=503,path=/down']);
    await listen.track('A');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    const titles = () => page.getByRole('columnheader').allInnerTexts();
    expect(await titles()).not.toContain('Fault');
    expect(await titles()).not.toContain('Path');
    await listen.post('{"type":"track","userId":"u1","event":"B"}', {}, '/down');
    await listen.post('{"type":"page","userId":"u1","name":"C"}', {}, '/health?x=1');
    await expect.poll(titles).toEqual(expect.arrayContaining(['Path', 'Fault']));

    await page.getByRole('searchbox').fill('-status:5xx -path:/health');
    await expect.poll(() => namesOf(page)).toEqual(['A']);
    await unfoldFilters(page);
    await page.getByLabel('Type', { exact: true }).selectOption('not track');
    await page.getByText('-type:track hides 2 of 3 requests').waitFor();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('q'))
      .toBe('-status:5xx -path:/health -type:track');
    await page.reload();
    await page.getByText('-status:5xx hides 1 of 3 requests').waitFor();
    await page.getByRole('button', { name: 'Remove -path:/health' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['C']);
    await unfoldFilters(page);
    await page.getByLabel('Path', { exact: true }).selectOption('/down');
    await page.getByRole('button', { name: 'Show all requests' }).click();
    await expect.poll(() => namesOf(page)).toHaveLength(3);
  });

  it('folds the filters behind a button, and shows those in use, each to be removed', async () => {
    const listen = await startListen();
    await listen.track('A');
    await listen.post('{"type":"page","userId":"u1","name":"B"}');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toHaveLength(2);
    expect(await page.getByLabel('Type', { exact: true }).isVisible()).toBe(false);
    await unfoldFilters(page);
    await page.getByLabel('Type', { exact: true }).selectOption('track');
    await unfoldFilters(page);
    expect(await page.getByLabel('Type', { exact: true }).isVisible()).toBe(false);
    await page.getByRole('searchbox').fill('type:track -status:5xx "u1"');
    const chips = page.getByRole('list', { name: 'Filters in use' }).getByRole('listitem');
    await expect.poll(() => chips.allInnerTexts()).toEqual(['type:track', '-status:5xx']);
    expect(await namesOf(page)).toEqual(['A']);
    await page.getByRole('button', { name: 'Remove the filter type:track' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['B', 'A']);
    expect(await page.getByRole('searchbox').inputValue()).toBe('-status:5xx "u1"');
  });

  it('has a column of users where they differ and there is room for it', async () => {
    const listen = await startListen();
    await listen.track('A');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toHaveLength(1);
    const user = page.getByRole('columnheader', { name: 'User' });
    expect(await user.count()).toBe(0);
    await listen.post('{"type":"page","userId":"u2","name":"B"}');
    await expect.poll(() => user.isVisible()).toBe(true);
    await page.setViewportSize({ width: 700, height: 800 });
    await expect.poll(() => user.isVisible()).toBe(false);
  });

  it('pauses, and loses nothing meanwhile', async () => {
    const listen = await startListen();
    await listen.track('Before');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['Before']);
    await page.getByRole('button', { name: 'Pause' }).click();
    await listen.track('During 1');
    await listen.track('During 2');
    await page.getByRole('button', { name: 'Paused, 2 wait' }).waitFor();
    expect(await namesOf(page)).toEqual(['Before']);
    await page.getByRole('button', { name: 'Paused, 2 wait' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['During 2', 'During 1', 'Before']);
  });

  it('keeps what is being read in its place while more arrives', async () => {
    const listen = await startListen();
    for (let i = 0; i < 60; i++) await listen.track(`Event ${i}`);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toContain('Event 59');
    const list = page.getByRole('grid', { name: 'Requests' });
    await list.evaluate((element) => (element.scrollTop = 720));
    const topOf = (name: string) =>
      page
        .getByText(name, { exact: true })
        .evaluate((element) => element.getBoundingClientRect().y);
    const before = await topOf('Event 35');
    for (let i = 60; i < 75; i++) await listen.track(`Event ${i}`);
    await page.getByRole('button', { name: '15 new requests' }).waitFor();
    expect(await topOf('Event 35')).toBe(before);
    await page.getByRole('button', { name: '15 new requests' }).click();
    await expect.poll(() => namesOf(page)).toContain('Event 74');
  });

  it('clears only after it has asked, and for the receiver as well', async () => {
    const listen = await startListen();
    await listen.track('Signed Up');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['Signed Up']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await listen.stats()).requests).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor();
    expect((await listen.stats()).requests).toBe(0);
    await listen.track('Afterwards');
    await expect.poll(() => namesOf(page)).toEqual(['Afterwards']);
  });

  it('exports capture lines', async () => {
    const listen = await startListen();
    await listen.track('One');
    await listen.track('Two');
    const page = await open(listen);
    const text = await exported(page, 'All requests, as NDJSON');
    const lines = text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'request',
      'request',
    ]);
    expect(lines[1]).toContain('Two');
  });

  it('exports a page of the listed requests, or of the selected ones', async () => {
    const listen = await startListen();
    for (const name of ['One', 'Two', 'Three']) await listen.track(name);
    await listen.post('{"type":"page","userId":"u1","name":"Four"}');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toHaveLength(4);
    await page.getByRole('searchbox').fill('type:track');
    await expect.poll(() => namesOf(page)).toHaveLength(3);
    const listed = await exported(page, '3 listed requests, as a page');
    expect(['One', 'Two', 'Three', 'Four'].filter((name) => listed.includes(name))).toEqual([
      'One',
      'Two',
      'Three',
    ]);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const selected = await exported(page, '1 selected request, as a page');
    expect(selected).toContain('Three');
    expect(selected).not.toContain('One');
  });
});

/** The text of the file that an item of the menu Export downloads. */
async function exported(page: Page, item: string): Promise<string> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  const file = await (await downloading).createReadStream();
  return (await file.toArray()).join('');
}
