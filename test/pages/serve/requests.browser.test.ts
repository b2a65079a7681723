import { expect, it } from 'vitest';
import { describeInBrowser, useBrowser } from '../listen/browser.js';
import { outcomesOf, searchFor } from './page.js';
import { startServe } from './serve.js';

describeInBrowser('requests of any sender', () => {
  const { open } = useBrowser();

  it('are listed by method and path, and shown with verdict, body, headers and response', async () => {
    const serve = await startServe({ destinations: { app: 404 }, raw: true });
    await fetch(`${serve.url}/in/hooks/orders?shop=1`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-kind': 'order' },
      body: '{"order":{"name":"Blue Chair"}}',
    });
    await serve.track('Noise');
    const page = await open(serve);
    await expect.poll(() => outcomesOf(page)).toHaveLength(2);
    await searchFor(page, 'blue chair');
    await expect.poll(() => outcomesOf(page)).toHaveLength(1);
    expect((await outcomesOf(page))[0]).toMatch(
      /^PUT \/in\/hooks\/orders .* dead letter HTTP 404 Not Found \(1 attempt\)$/,
    );
    await page.locator('#outcomes [id^=outcome-]').first().click();
    const detail = page.getByRole('region', { name: 'Request', exact: true });
    await detail.getByRole('heading', { name: 'Headers' }).waitFor();
    const text = await detail.innerText();
    expect(text).toContain('PUT /in/hooks/orders?shop=1');
    expect(text).toContain('missing');
    expect(text).toContain('x-kind');
    expect(text).toContain('Blue Chair');
    expect(text).toContain('404');
    await detail.getByRole('button', { name: 'Redeliver' }).waitFor();
    const sources = await page.locator('.sources').innerText();
    expect(sources).toContain('/in/hooks/*');
  });
});
