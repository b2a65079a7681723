import { once } from 'node:events';
import { expect, it } from 'vitest';
import { start } from '../../helpers/cli.js';
import { describeInBrowser, namesOf, useBrowser } from './browser.js';
import { startListen } from './listen.js';

describeInBrowser('the connection', () => {
  const { open } = useBrowser();

  it('is said to be lost, and comes back with a receiver that was started again', async () => {
    const first = await startListen();
    await first.track('Of the first');
    const page = await open(first);
    await expect.poll(() => namesOf(page)).toEqual(['Of the first']);
    await first.stop();
    await page.getByRole('alert').getByText('is lost').waitFor();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    // What was there can still be read.
    expect(await namesOf(page)).toEqual(['Of the first']);

    const again = start(['listen', '--port', first.port, '--json']);
    await once(again.stdout, 'data');
    await fetch(`${first.url}/hook`, {
      method: 'POST',
      body: '{"type":"track","userId":"u1","event":"Of the second"}',
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => namesOf(page)).toEqual(['Of the second']);
    // It has the token of the new one: changes are let through.
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor();
    again.kill();
    await once(again, 'close');
  });

  it('follows a reset that was made elsewhere', async () => {
    const listen = await startListen();
    await listen.track('Signed Up');
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toEqual(['Signed Up']);
    await fetch(`${listen.url}/_evfwd/api/reset`, { method: 'POST' });
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor();
  });
});
