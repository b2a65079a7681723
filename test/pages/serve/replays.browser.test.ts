import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { destinationOf } from './page.js';
import { startServe, type Serve } from './serve.js';

async function replaysOf(serve: Serve) {
  const response = await fetch(`${serve.url}/_evfwd/api/replays`);
  return ((await response.json()) as { replays: Record<string, unknown>[] }).replays;
}

async function openList(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Replays of kept events' }).click();
}

describeInBrowser('replays of kept events', () => {
  const { open } = useBrowser();

  it('are counted first, by the keyboard alone, then started, and listed', async () => {
    const serve = await startServe();
    const crm = serve.endpoints.crm!.receiver;
    for (const name of ['Signed Up', 'Paid', 'Signed Out']) await serve.track(name);
    await crm.atLeast(3);
    const page = await open(serve);
    await destinationOf(page, 'crm').getByText('delivering').waitFor();
    const button = page.getByRole('button', { name: 'Replay kept events to crm' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
    expect(await focused()).toBe('destination');
    const start = dialog.getByRole('button', { name: 'Start replay' });
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Event names' }).fill('Signed *');
    await dialog.getByRole('textbox', { name: 'Rate' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('2 events').waitFor();
    expect(crm.requests).toHaveLength(3);
    await dialog.getByRole('textbox', { name: 'Users' }).fill('nobody');
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('Nothing to send.').waitFor();
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Users' }).fill('');
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await start.click();
    await page.getByRole('dialog', { name: 'Replays of kept events' }).waitFor();
    await crm.atLeast(5);
    await dialog.getByText('2 sent').waitFor();
    await dialog.getByText('finished').waitFor();
    expect(await replaysOf(serve)).toMatchObject([{ sent: 2, total: 2, state: 'finished' }]);
    await page.keyboard.press('Escape');
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('show their progress, and are stopped after a confirmation', async () => {
    const serve = await startServe();
    for (let i = 0; i < 30; i++) await serve.track(`E${i}`);
    await serve.endpoints.crm!.receiver.atLeast(30);
    const page = await open(serve);
    await openList(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('None so far.').waitFor();
    await dialog.getByRole('button', { name: 'New replay' }).click();
    await dialog.getByRole('textbox', { name: 'Rate' }).fill('1/s');
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('30 events').waitFor();
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await dialog.getByText(/^\d+ of 30 sent, \d+%$/).waitFor();
    await dialog.getByRole('progressbar', { name: 'Replay to crm' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 replay running').waitFor();
    await page.getByRole('button', { name: 'Replay kept events to crm' }).click();
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('1 other replay to it is still running').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const stop = dialog.getByRole('button', { name: 'Stop the replay to crm' });
    await stop.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await replaysOf(serve)).toMatchObject([{ state: 'running' }]);
    await stop.click();
    await dialog.getByRole('button', { name: 'Stop replay' }).click();
    await dialog.getByText('stopped').waitFor();
    expect(await replaysOf(serve)).toMatchObject([{ state: 'stopped', total: 30 }]);
    await page.keyboard.press('Escape');
    await page.getByText('1 replay running').waitFor({ state: 'hidden' });
  });

  it('show at a field what is wrong with it, and fit on a narrow page', async () => {
    const serve = await startServe();
    await serve.track('A');
    const page = await open(serve, { viewport: { width: 400, height: 800 } });
    const offences: string[] = [];
    page.on('pageerror', (error) => offences.push(error.message));
    await page.getByRole('button', { name: 'Replay kept events to crm' }).click();
    const dialog = page.getByRole('dialog');
    const rate = dialog.getByRole('textbox', { name: 'Rate' });
    await rate.fill('fast');
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByRole('alert').getByText('rate must be like 500/s').waitFor();
    expect(await rate.getAttribute('aria-invalid')).toBe('true');
    expect(await rate.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    expect(offences).toEqual([]);
  });

  it('fill a destination that takes only requests; its test is a request', async () => {
    const serve = await startServe({ raw: true, only: 'raw' });
    await serve.post('/in/hooks/a', '{"a":1}');
    await serve.endpoints.crm!.receiver.atLeast(1);
    const page = await open(serve);
    await page.getByRole('combobox', { name: 'Outcome' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Type' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Replay kept events to crm' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('1 event would be sent to crm.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send a test request to crm' }).click();
    await dialog.getByText('Delivered.').waitFor();
    const { headers, body } = serve.endpoints.crm!.receiver.requests.at(-1)!;
    expect(JSON.parse(body.toString())).toMatchObject({ type: 'evfwd.test' });
    expect(headers['x-hub-signature-256']).toMatch(/^sha256=/);
  });
});
