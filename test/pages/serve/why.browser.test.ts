import { expect, it } from 'vitest';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { destinationOf, detailOf, openTab, outcomesOf, searchFor } from './page.js';
import { startServe, writeKey } from './serve.js';

describeInBrowser('why an event did not arrive', () => {
  const { open } = useBrowser();

  it('is answered by its messageId: delivered, failed or waiting, per destination', async () => {
    const serve = await startServe({ destinations: { crm: 200, partner: 422, slow: 503 } });
    await serve.track('Noise', { userId: 'someone' });
    const id = await serve.track('Order Completed', { userId: 'ada' });
    const page = await open(serve);
    await expect.poll(() => destinationOf(page, 'slow').innerText()).toMatch(/next in/);
    await searchFor(page, `"${id}"`);
    const summary = page.locator('.search-summary');
    await summary.getByText('received at').waitFor();
    const deliveries = summary.getByRole('listitem');
    await expect.poll(() => deliveries.count()).toBe(3);
    const said = async (name: string): Promise<string> =>
      (await deliveries.filter({ hasText: name }).innerText()).replaceAll(/\s+/g, ' ');
    expect(await said('crm')).toMatch(/^delivered crm Delivered at .*, on the first attempt\.$/);
    expect(await said('partner')).toMatch(
      /^dead letter partner Failed at .* (?:answered|HTTP) 422/,
    );
    expect(await said('slow')).toMatch(
      /^waiting slow Not delivered yet: next attempt in \d+ s, last response 503/,
    );

    await deliveries.filter({ hasText: 'partner' }).getByRole('button').click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Last attempts' }).waitFor();
    await detail.getByRole('heading', { name: 'Body' }).waitFor();
    expect(await detail.innerText()).toContain(id);
    expect(await page.content()).not.toContain('secret=hidden');
  });

  it('is answered by its user, with the outcomes of all their events', async () => {
    const serve = await startServe({ destinations: { crm: 200, partner: 400 } });
    await serve.track('A', { userId: 'ada' });
    await serve.track('B', { userId: 'bob' });
    await serve.track('C', { userId: 'ada' });
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(6);
    await searchFor(page, 'ada');
    await expect.poll(() => outcomesOf(page)).toHaveLength(4);
    const sum = page.locator('.sum');
    await expect.poll(() => sum.innerText()).toMatch(/^2 events: ?2 delivered ?2 dead letters$/);
    await sum.getByRole('button', { name: '2 dead letters' }).click();
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
  });

  it('is that it was rejected, and why', async () => {
    const serve = await startServe();
    await serve.track('Good');
    await serve.post(
      '/v1/batch',
      '{"batch":[{"type":"track","messageId":"bad-1","userId":"ada"}]}',
    );
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    await searchFor(page, 'bad-1');
    await page.locator('.search-summary').getByText('Rejected, not forwarded').waitFor();
    await page.locator('.delivery').click();
    const detail = detailOf(page);
    await detail.getByRole('heading', { name: 'Body' }).waitFor();
    expect(await detail.innerText()).toMatch(/rejected[^]*missing[^]*"messageId": "bad-1"/);
  });

  it('is that its integrations turn the destination off, also one that is off by hand', async () => {
    const serve = await startServe({ destinations: { crm: 200, partner: 200 } });
    const page = await open(serve);
    await destinationOf(page, 'partner').getByRole('switch').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await destinationOf(page, 'partner').getByText('off', { exact: true }).waitFor();
    const id = await serve.track('X', { integrations: { Webhooks: false } });
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    await searchFor(page, id);
    const deliveries = page.locator('.search-summary').getByRole('listitem');
    await expect.poll(() => deliveries.count()).toBe(2);
    expect((await deliveries.allInnerTexts()).join(' ')).toMatch(/integrations[^]*(off|disabled)/);
  });

  it('is, when nothing has it, what else may have become of it', async () => {
    const serve = await startServe();
    await serve.track('A');
    await serve.post('/v1/track', '{"userId":"u1","event":"X"}', 'wrong-key');
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(1);
    await searchFor(page, 'nowhere-to-be-found');
    const list = page.getByRole('region', { name: 'Events' });
    await list.getByRole('heading', { name: 'No event has “nowhere-to-be-found”' }).waitFor();
    const text = await list.innerText();
    expect(text).toMatch(
      /whole request was refused\. 1 request was refused.*\(invalid_write_key\)/,
    );
    expect(text).toMatch(
      /never reached this service: no source sent this messageId[^]*Last seen since the service started: web/,
    );
    expect(await page.content()).not.toMatch(new RegExp(`${writeKey}|wrong-key`));
  });

  it('is that it waits for its first attempt, and for what', async () => {
    const serve = await startServe({ destinations: { crm: 'hang' } });
    for (let i = 0; i < 40; i++) await serve.track('A');
    const id = await serve.track('Last');
    const page = await open(serve, {}, 'Destinations');
    await searchFor(page, id);
    const summary = page.locator('.search-summary');
    await summary.getByText(/Not attempted yet: .*(queue|down)/).waitFor();
    await summary.getByText('queued', { exact: true }).waitFor();
    expect(await summary.getByText('queued', { exact: true }).count()).toBe(1);
  });

  it('is the same after a restart, and that one had come before', async () => {
    const serve = await startServe({ destinations: { crm: 200 } });
    await serve.track('A', { messageId: 'twice', userId: 'ada' });
    await expect.poll(() => serve.endpoints.crm!.receiver.requests.length).toBe(1);
    await serve.track('A', { messageId: 'twice', userId: 'ada' });
    await serve.stop();
    await serve.restart();
    const page = await open(serve);
    await serve.track('B');
    await searchFor(page, 'twice');
    const deliveries = page.locator('.search-summary').getByRole('listitem');
    await expect.poll(() => deliveries.count()).toBe(2);
    const said = (await deliveries.allInnerTexts()).join(' ').replaceAll(/\s+/g, ' ');
    expect(said).toMatch(/duplicate Duplicate, not forwarded: .*same messageId within a day/);
    expect(said).toMatch(/delivered crm Delivered at .*, on the first attempt\./);
  });

  it('is said in the lists of what failed, on a narrow page, too', async () => {
    const serve = await startServe({ destinations: { crm: 404 } });
    await serve.track('A');
    await serve.post('/v1/track', '{"userId":"u1"}');
    const page = await open(serve);
    await page.setViewportSize({ width: 390, height: 844 });
    const reason = () => page.locator('.cell.reason:visible').innerText();
    await openTab(page, 'Dead letters');
    await expect.poll(reason).toMatch(/^HTTP 404 Not Found/);
    await openTab(page, 'Rejected');
    await expect.poll(reason).toContain('track needs');
  });
});
