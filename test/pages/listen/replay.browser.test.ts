import { expect, it } from 'vitest';
import { describeInBrowser, namesOf, openRequest, useBrowser } from './browser.js';
import { startListen } from './listen.js';

const body = '{"type":"track","userId":"u1","event":"Exact","properties":{"id":9007199254740993}}';

describeInBrowser('replay', () => {
  const { open } = useBrowser();

  it('sends one request again, signed anew or as captured', async () => {
    const [listen, other] = [await startListen(), await startListen()];
    await listen.post(body, { 'x-signature': 'not a signature', 'x-team': 'growth' });
    const page = await open(listen);
    await openRequest(page, 'Exact');
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay request 1' });
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${other.url}/again`);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('1 of 1 sent: 1 succeeded (2xx), 0 failed').waitFor();
    await dialog.getByText('Response 200 to #1 Exact').waitFor();
    await dialog.getByRole('list', { name: 'Body as a tree' }).waitFor();
    await dialog.getByRole('radio', { name: 'As captured' }).check();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect.poll(async () => (await other.stats()).requests).toBe(2);

    const [again, captured] = await other.requests();
    expect([again!.path, again!.body, captured!.body]).toEqual(['/again', body, body]);
    const headers = captured!.headers as Record<string, string>;
    expect(headers['x-signature']).toBe('not a signature');
    expect(headers['x-team']).toBe('growth');
    expect((await other.stats()).bySignature).toMatchObject({ valid: 1, invalid: 1 });
  });

  it('sends many, in their order, and shows the result of each', async () => {
    const listen = await startListen();
    const other = await startListen(['--fault', 'status=500,first=1']);
    for (let i = 0; i < 25; i++) await listen.track(`Event ${i}`);
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toContain('Event 24');
    await page.getByLabel('Select all requests in the list').check();
    await page.getByRole('group', { name: 'Selection' }).getByText('25 selected').waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 25 requests' });
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${other.url}/hook`);
    await page.keyboard.press('Enter');
    await dialog.getByText('25 of 25 sent: 24 succeeded (2xx), 1 failed').waitFor();
    const rows = await dialog.getByRole('row').allInnerTexts();
    expect(rows[1]).toMatch(/1 Event 0\s+500\s/);
    expect(rows[25]).toMatch(/25 Event 24\s+200\s/);
    const names = (await other.requests()).map((request) => /Event \d+/.exec(request.body!)![0]);
    expect(names).toEqual(Array.from({ length: 25 }, (_, i) => `Event ${i}`));
  });

  it('says what is wrong: a URL that is none, a port where nobody listens', async () => {
    const [listen, gone] = [await startListen(), await startListen()];
    await gone.stop();
    await listen.track('Signed Up');
    const page = await open(listen);
    await openRequest(page, 'Signed Up');
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'URL' }).fill('ftp://example.com/hook');
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect(await dialog.getByRole('alert').innerText()).toMatch(/http/);
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${gone.url}/hook`);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('connection refused').waitFor();
  });

  it('sends an edited request, and shows the result', async () => {
    const [listen, other] = [await startListen(), await startListen()];
    await listen.post(body, { 'x-team': 'growth' });
    const page = await open(listen);
    await openRequest(page, 'Exact');
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit and resend request 1' });
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${other.url}/edited`);
    expect(await dialog.getByRole('textbox', { name: 'Body' }).inputValue()).toBe(body);
    await dialog.getByRole('textbox', { name: 'Body' }).fill('{"a": 1.0}\n');
    const headers = dialog.getByRole('textbox', { name: 'Headers' });
    await headers.fill(`${await headers.inputValue()}\nno header`);
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect(await dialog.getByRole('alert').innerText()).toMatch(/Name: value/);
    await headers.fill('Content-Type: application/json\nX-Team: edited');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('1 of 1 sent: 1 succeeded (2xx), 0 failed').waitFor();
    const [sent] = await other.requests();
    expect(sent).toMatchObject({ path: '/edited', body: '{"a": 1.0}\n' });
    expect(sent!.headers).toMatchObject({ 'x-team': 'edited' });
    expect((await other.stats()).bySignature.valid).toBe(1);
  });

  it('formats JSON in the editor, says where it is none, and sends it then only when told again', async () => {
    const [listen, other] = [await startListen(), await startListen()];
    await listen.post(body);
    const page = await open(listen);
    await openRequest(page, 'Exact');
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${other.url}/edited`);
    await dialog.getByText('with EVFWD_SECRET, as x-signature').waitFor();
    const text = dialog.getByRole('textbox', { name: 'Body' });
    await dialog.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => text.inputValue()).toContain('\n    "id": 9007199254740993\n');
    await text.fill('{\n  "a": tru\n}');
    await dialog.getByText('not JSON: line 2, column 8', { exact: true }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Format' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('alert').getByText('Press Send again').waitFor();
    expect((await other.stats()).requests).toBe(0);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('1 of 1 sent').waitFor();
    expect((await other.requests())[0]!.body).toBe('{\n  "a": tru\n}');
  });

  it('compares two requests, by member and by line', async () => {
    const listen = await startListen();
    await listen.track('A', ',"properties":{"n":1.0}');
    await listen.post('{"type":"track","userId":"u1","event":"A","properties":{"n":1}}', {
      'x-team': '<b>new</b>',
    });
    const page = await open(listen);
    await expect.poll(() => namesOf(page)).toHaveLength(2);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Compare 2 requests' });
    const members = dialog.getByLabel('Members that differ');
    await members.waitFor();
    expect((await members.innerText()).split(/\s+/)).toEqual([
      'properties.n',
      '−',
      '1.0',
      '+',
      '1',
    ]);
    expect(await dialog.getByLabel('Headers that differ').innerText()).toContain('<b>new</b>');
    await dialog.getByRole('button', { name: 'Lines' }).click();
    expect(await dialog.getByLabel('Lines that differ').getByRole('listitem').count()).toBe(2);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare' }).click();
    await dialog.waitFor();
  });

  it('needs a secret to sign again', async () => {
    const listen = await startListen([], false);
    await listen.track('Signed Up');
    const page = await open(listen);
    await openRequest(page, 'Signed Up');
    await page.getByRole('button', { name: 'Replay' }).click();
    expect(await page.getByRole('radio', { name: 'Sign again' }).isDisabled()).toBe(true);
    expect(await page.getByRole('radio', { name: 'As captured' }).isChecked()).toBe(true);
  });
});
