import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program } from '../../helpers/cli.js';
import { describeInBrowser, detailOf, openRequest, useBrowser } from './browser.js';
import { startListen } from './listen.js';

const exact =
  '{"type":"track","userId":"u1","event":"Exact","properties":{"id":9007199254740993,"x":1e400,"z":-0,"one":1.0,"deep":{"a":{"b":{"c":[1,2]}}}}}';

describeInBrowser('a request', () => {
  const { open } = useBrowser();

  it('shows its body as a tree of exactly the received characters, and as raw text', async () => {
    const listen = await startListen();
    await listen.post(exact);
    const page = await open(listen);
    await openRequest(page, 'Exact');
    const tree = page.getByRole('list', { name: 'Body as a tree' });
    const text = await tree.innerText();
    for (const part of ['"id": 9007199254740993', '"x": 1e400', '"z": -0', '"one": 1.0']) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
    }
    await page.getByRole('button', { name: 'Raw' }).click();
    expect(await page.getByLabel('Raw body').innerText()).toBe(exact);
  });

  it('folds and unfolds', async () => {
    const listen = await startListen();
    await listen.post(exact);
    const page = await open(listen);
    await openRequest(page, 'Exact');
    const tree = page.getByRole('list', { name: 'Body as a tree' });
    const deep = tree.getByRole('button', { name: '"b": { 1 member }' });
    expect(await deep.getAttribute('aria-expanded')).toBe('false');
    await deep.click();
    await tree.getByText('"c"').waitFor();
    await tree.getByRole('button', { name: '"properties"' }).click();
    expect(await tree.innerText()).not.toContain('9007199254740993');
  });

  it('lists the events of an array of webhook bodies', async () => {
    const listen = await startListen(['--dedupe']);
    const event = (name: string, user: string) =>
      `{"type":"track","event":"${name}","userId":"${user}","messageId":"m-${name}"}`;
    await listen.post(event('One', 'u1'));
    await listen.post(`[${event('Two', 'u2')},1,${event('One', 'u1')},{"type":"page"}]`);
    const page = await open(listen);
    await page.getByText('2 track, 1 page of 2 users').waitFor();
    await openRequest(page, '2 track, 1 page');
    const events = page.getByRole('region', { name: 'Events of the batch' });
    expect((await events.innerText()).split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
      ['Event', 'User', 'Message'],
      ['[0]', 'track', 'Two', 'u2', 'm-Two'],
      ['[2]', 'track', 'One', 'duplicate', 'u1', 'm-One'],
      ['[3]', 'page'],
    ]);
    const tree = page.getByRole('list', { name: 'Body as a tree' });
    expect(await tree.innerText()).toContain('"Two"');
    expect(await page.getByText('with 3 events').count()).toBe(1);
  });

  it('says why its signature is not valid', async () => {
    const listen = await startListen();
    const body = '{"type":"track","userId":"u1","event":"Newline"}';
    const signature = await listen.post(body).then(async () => (await listen.requests())[0]!);
    const { 'x-signature': given } = signature.headers as Record<string, string>;
    await listen.post(`${body}\n`, { 'x-signature': given! });
    const page = await open(listen);
    await openRequest(page, 'invalid');
    const note = detailOf(page).getByText('is missing its trailing newline');
    await note.waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    // The extra newline is visible.
    expect(await page.getByLabel('Raw body').locator('.mark').innerText()).toBe('\\n');
  });

  it('shows headers as received, and a body that is not text', async () => {
    const listen = await startListen([], false);
    await fetch(`${listen.url}/upload?part=1`, {
      method: 'PUT',
      body: new Uint8Array([0, 255, 254]),
      headers: { 'X-Team': 'growth' },
    });
    const page = await open(listen);
    await openRequest(page, '/upload');
    const detail = detailOf(page);
    expect(await detail.innerText()).toMatch(/x-team\s+growth/i);
    expect(await detail.innerText()).toContain('PUT /upload?part=1');
    expect(await page.getByLabel('Body in hexadecimal').innerText()).toMatch(
      /^000000 {2}00 ff fe +\.\.\.$/,
    );
    await page.getByRole('button', { name: 'Base64', exact: true }).click();
    expect(await page.getByLabel('Raw body').innerText()).toBe('AP/+');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the body' }).click();
    const file = await (await downloading).createReadStream();
    expect(Buffer.concat((await file.toArray()) as Buffer[])).toEqual(Buffer.from([0, 255, 254]));
  });

  it('shows a form and parts as what they are, XML as received, and runs nothing in them', async () => {
    const listen = await startListen();
    const script = '<script>alert(1)</script>';
    const post = (body: string, type: string) =>
      listen.post(body, { 'content-type': type }, `/${type.replaceAll('/', '-')}`);
    await post(`a=${encodeURIComponent(script)}&b=two+words`, 'application/x-www-form-urlencoded');
    await post(`<a><b>x</b>${script}</a>`, 'application/xml');
    await post(script, 'text/html');
    const parts = `--X\r\nContent-Disposition: form-data; name="f"; filename="a.html"\r\nContent-Type: text/html\r\n\r\n${script}\r\n--X--\r\n`;
    await listen.post(parts, { 'content-type': 'multipart/form-data; boundary=X' }, '/parts');
    await post('\n\u0002u1', 'application/x-protobuf');
    const zeros = '--X\r\nContent-Disposition: form-data; name="z"\r\n\r\n\0\0\r\n--X--\r\n';
    await listen.post(zeros, { 'content-type': 'multipart/form-data; boundary=X' }, '/zeros');
    const page = await open(listen);
    const body = page.getByRole('region', { name: 'Body', exact: true });
    const shown = async (path: string): Promise<string> => {
      await openRequest(page, path);
      return (await body.innerText()).replaceAll(/\s+/g, ' ');
    };
    expect(await shown('/application-x-www')).toContain(`a ${script} b two words`);
    expect(await shown('/application-xml')).toContain(`XML <a><b>x</b>${script}</a>`);
    expect(await shown('/text-html')).toContain(script);
    expect(await shown('/parts')).toContain(`f a.html text/html, 25 B ${script}`);
    expect(await shown('/application-x-protobuf')).toContain('000000 0a 02 75 31 ..u1');
    expect(await shown('/zeros')).toContain('z 2 B 000000 00 00');
    expect(await page.locator('body script').count()).toBe(0);
  });

  it('shows what was responded', async () => {
    const listen = await startListen(['--fault', 'status=503,delay=5ms']);
    await listen.track('Down');
    const page = await open(listen);
    await openRequest(page, 'Down');
    const text = await page.getByRole('region', { name: 'Response', exact: true }).innerText();
    for (const part of [
      '503',
      'status=503,delay=5ms',
      '5.00 ms',
      'Content-Type',
      'injected fault',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('is copied as evfwd send only where that works', async () => {
    const listen = await startListen();
    await listen.post('{"type":"track","userId":"u1"}', {}, '/nameless');
    const page = await open(listen);
    await openRequest(page, '/nameless');
    expect(await page.getByRole('button', { name: 'Copy as curl' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Copy as evfwd send' }).count()).toBe(0);
  });

  it('has a neutral signature where there is no secret', async () => {
    const listen = await startListen([], false);
    await listen.track('Plain');
    const page = await open(listen);
    await openRequest(page, 'Plain');
    await detailOf(page).getByText('Signature unchecked.').waitFor();
    expect(await page.locator('.callout.bad, .verdict.missing').count()).toBe(0);
  });

  it('is copied as commands that send the same again', async () => {
    const listen = await startListen();
    await listen.post(exact);
    const page = await open(listen, { permissions: ['clipboard-read', 'clipboard-write'] });
    await openRequest(page, 'Exact');
    const run = promisify(execFile);
    for (const name of ['Copy as curl', 'Copy as evfwd send']) {
      await page.getByRole('button', { name }).click();
      await page.getByText(name.replace('Copy', 'Copied')).waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      const own = command.replace(/^evfwd /, `"${process.execPath}" "${program}" `);
      await run('bash', ['-c', own], { env: { ...process.env, EVFWD_SECRET: 'shhh' } });
    }
    const bodies = (await listen.requests()).map(({ body }) => body);
    expect(bodies[1]).toBe(exact);
    expect(bodies).toHaveLength(3);
    expect(bodies[2]).toContain('"id":9007199254740993,"x":1e400,"z":-0,"one":1.0');
    expect((await listen.stats()).bySignature.valid).toBe(3);
  });

  it('is in the address: reload shows it again, Back closes it', async () => {
    const listen = await startListen();
    await listen.track('One');
    await listen.track('Two');
    const page = await open(listen);
    await openRequest(page, 'One');
    expect(new URL(page.url()).hash).toBe('#1');
    await page.reload();
    await detailOf(page).getByRole('heading', { name: 'track One' }).waitFor();
    await page.goto(`${listen.url}/_evfwd/`);
    await openRequest(page, 'Two');
    await page.goBack();
    await detailOf(page).waitFor({ state: 'detached' });
  });

  it('narrows the list to its user', async () => {
    const listen = await startListen();
    await listen.track('Ones');
    await listen.post('{"type":"track","userId":"ada","event":"Adas"}');
    const page = await open(listen);
    await openRequest(page, 'Adas');
    await page.getByRole('button', { name: 'All requests of this user' }).click();
    expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('ada');
    await page.locator('#request-1').waitFor({ state: 'detached' });
  });
});
