import { expect, it } from 'vitest';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { destinationOf, openTab, outcomesOf } from './page.js';
import { startServe } from './serve.js';

describeInBrowser('operating the service', () => {
  const { open } = useBrowser();

  it('tells a newcomer exactly how to point a client at it, and lists what comes', async () => {
    const serve = await startServe();
    const page = await open(serve);
    await page.getByRole('heading', { name: 'Waiting for the first event' }).waitFor();
    const [curl, evfwd] = await page.locator('.command pre').allInnerTexts();
    expect(curl).toContain(`curl ${serve.url}/v1/track`);
    expect(curl).toContain(`-u '<write key of web>:'`);
    expect(evfwd).toContain(`--endpoint ${serve.url}`);
    await serve.track('Signed Up');
    await expect
      .poll(() => outcomesOf(page))
      .toEqual([expect.stringMatching(/^track Signed Up u1 web → crm delivered 200 in .* ms$/)]);
    const sources = page.getByRole('region', { name: 'Sources' });
    await expect.poll(() => sources.innerText()).toMatch(/web[^]*→ crm[^]*1\s+0/);
  });

  it('tells who takes requests where they are sent, and how to sign one', async () => {
    const serve = await startServe({ raw: true, only: 'raw' });
    const page = await open(serve);
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor();
    await page.getByText(`posts to ${serve.url}/in/hooks,`).waitFor();
    const [evfwd] = await page.locator('.command pre').allInnerTexts();
    expect(evfwd).toContain(`--url ${serve.url}/in/hooks \\`);
    expect(evfwd).toContain(`--scheme github --secret-file '<file with the secret of hooks>'`);
    await page.getByRole('button', { name: 'Replay kept events to crm' }).click();
    await page.getByRole('textbox', { name: 'Conditions' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Event names' }).count()).toBe(0);
  });

  it('shows which destination refuses, which cannot be reached, and what waits there', async () => {
    const destinations = { crm: 200, broken: 500, away: 'refused' } as const;
    const serve = await startServe({ destinations });
    await serve.track('A');
    const page = await open(serve);
    await expect.poll(() => destinationOf(page, 'broken').innerText()).toMatch(/^failing · 500/);
    await expect
      .poll(() => destinationOf(page, 'away').innerText())
      .toMatch(/^down[^]*connection refused/);
    await expect.poll(() => destinationOf(page, 'crm').innerText()).toMatch(/^delivering/);
    await destinationOf(page, 'broken').getByRole('button', { name: '1', exact: true }).click();
    await expect
      .poll(() => outcomesOf(page))
      .toEqual([
        expect.stringMatching(/web → broken waiting next attempt in \d+ s, last response 500$/),
      ]);
  });

  it('turns a destination off only after it has asked, and on at once', async () => {
    const serve = await startServe();
    const page = await open(serve);
    const isOn = async () => (await serve.overview()).destinations[0]!.enabled;
    const toggle = destinationOf(page, 'crm').getByRole('switch');
    await toggle.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await isOn()).toBe(true);
    await toggle.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await expect.poll(isOn).toBe(false);
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
    await toggle.click();
    await expect.poll(isOn).toBe(true);
  });

  it('sends a test event, and shows what the endpoint made of it', async () => {
    const serve = await startServe({ destinations: { crm: 200, partner: 404 } });
    const page = await open(serve);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Send a test event to crm' }).click();
    await dialog.getByText('Delivered.').waitFor();
    expect(serve.endpoints.crm!.receiver.requests).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test event to partner' }).click();
    await dialog.getByText('Not delivered.').waitFor();
    await dialog.getByRole('cell', { name: '404' }).waitFor();
    await dialog.getByRole('region', { name: 'Response', exact: true }).waitFor();
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  });

  it('redelivers one dead letter, those selected, and all that are filtered', async () => {
    const serve = await startServe({ destinations: { crm: 400, partner: 400 } });
    const crm = serve.endpoints.crm!;
    const partner = serve.endpoints.partner!;
    for (const name of ['A', 'B', 'C', 'D']) await serve.track(name);
    const page = await open(serve);
    await openTab(page, 'Dead letters');
    await expect.poll(() => outcomesOf(page)).toHaveLength(8);
    crm.behaviour = partner.behaviour = 200;
    const [dialog, bar] = [
      page.getByRole('dialog'),
      page.getByRole('group', { name: 'Selection' }),
    ];
    const confirm = async (count: number): Promise<void> => {
      await dialog.getByRole('button', { name: 'Redeliver' }).click();
      await dialog.getByText(`${count} event${count === 1 ? '' : 's'} in flight.`).waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
    };

    await page.locator('#outcomes [id^=outcome-]').first().click();
    await page.locator('#detail').getByRole('button', { name: 'Redeliver' }).click();
    await confirm(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => outcomesOf(page)).toHaveLength(7);

    const boxes = page.locator('#outcomes [id^=outcome-] input');
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ['Shift'] });
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Redeliver' }).click();
    await confirm(3);
    await expect.poll(() => outcomesOf(page)).toHaveLength(4);

    await page.getByLabel('Destination', { exact: true }).selectOption('crm');
    await expect
      .poll(async () => (await outcomesOf(page)).every((row) => row.includes('crm')))
      .toBe(true);
    const rest = (await outcomesOf(page)).length;
    const counted = page.getByRole('navigation').getByRole('button', { name: 'Dead letters' });
    expect(await counted.innerText()).toMatch(new RegExp(`\\s${rest}$`));
    const all = rest === 1 ? '1 event' : `all ${rest} events`;
    await page.getByRole('button', { name: `Redeliver ${all}` }).click();
    await page.getByRole('dialog', { name: `Redeliver ${all}` }).waitFor();
    await confirm(rest);
    await page.getByText('No events match the filters.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).first().click();
    await expect.poll(() => outcomesOf(page)).toHaveLength(4 - rest);
    expect(crm.receiver.requests.length).toBe(8);
  });

  it('sends the deletion of a user, and shows where it went', async () => {
    const serve = await startServe({ raw: true });
    const page = await open(serve);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete a user' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('checkbox').count()).toBe(1);
    await dialog.getByLabel('User id').fill('ada');
    await dialog.getByRole('button', { name: 'Send deletion' }).click();
    await dialog.getByText('web → crm').last().waitFor();
    await dialog.getByRole('button', { name: 'Show deletions' }).click();
    await expect
      .poll(() => outcomesOf(page))
      .toEqual([expect.stringMatching(/^delete .*ada web → crm delivered/)]);
    expect(serve.endpoints.crm!.receiver.json()[0]).toMatchObject({
      type: 'delete',
      userId: 'ada',
    });
  });

  it('pauses, and loses nothing meanwhile', async () => {
    const serve = await startServe();
    await serve.track('Before');
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(1);
    await page.keyboard.press('p');
    await serve.track('During');
    await page.getByRole('button', { name: 'Paused, 1 wait' }).click();
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
  });

  it('is done with keys alone', async () => {
    const serve = await startServe({ destinations: { crm: 400 } });
    for (const name of ['A', 'B']) await serve.track(name);
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    await page.keyboard.press('3');
    await page.locator('.list.dead-letters [id^=outcome-]').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Event', exact: true }).waitFor();
    expect(await page.locator('#detail h2').innerText()).toMatch(/track\s+A/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Redeliver 1 event' }).waitFor();
  });
});
