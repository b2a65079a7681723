import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { events } from '../../helpers/process.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

/** Imports a file of ten events as often as it is called, with one state directory. */
function importer() {
  const folder = folderWith({ 'a.ndjson': events(10) });
  const states = join(folder, 'state');
  const common = ['import', join(folder, 'a.ndjson'), '--state-dir', states];
  const call = async (secret: string, ...args: string[]) => {
    const before = at.receiver.requests.length;
    const url = ['--url', at.receiver.url];
    const result = await inProcess([...common, ...(args.includes('--url') ? [] : url), ...args], {
      env: { EVFWD_SECRET: secret },
    });
    return { ...result, sent: at.receiver.requests.length - before };
  };
  return { folder, states, call };
}

describe('an import whose secret or header values are others than before', () => {
  it('goes on while it is not complete, and says so', async () => {
    const { call } = importer();
    expect(await call('hidden-old', '--limit', '4')).toMatchObject({ code: 0, sent: 4 });
    const rest = await call('hidden-new');
    expect([rest.code, rest.sent]).toEqual([0, 6]);
    expect(rest.stderr).toContain(
      'the shared secret or a header value has changed since the last run',
    );
    expect(rest.stderr).not.toContain('hidden');
  });

  it('says nothing where they are the same', async () => {
    const { call } = importer();
    await call('same', '--limit', '4', '-H', 'X-A: 1');
    const rest = await call('same', '-H', 'X-A: 1');
    expect([rest.code, rest.sent]).toEqual([0, 6]);
    expect(rest.stderr).not.toContain('has changed since the last run');
  });

  it('does not answer for them once it is complete', async () => {
    const { call } = importer();
    expect(await call('old', '-H', 'X-Tenant: one')).toMatchObject({ code: 0, sent: 10 });
    expect(await call('old', '-H', 'X-Tenant: one')).toMatchObject({ code: 0, sent: 0 });
    for (const [secret, header] of [
      ['new', 'X-Tenant: one'],
      ['old', 'X-Tenant: two'],
    ] as const) {
      const { code, sent, stderr } = await call(secret, '-H', header);
      expect([code, sent]).toEqual([2, 0]);
      expect(stderr).toContain('completed with another shared secret or other header values');
      expect(stderr).toContain('--fresh to send everything again');
    }
    expect(await call('new', '-H', 'X-Tenant: one', '--fresh')).toMatchObject({
      code: 0,
      sent: 10,
    });
    expect(await call('new', '-H', 'X-Tenant: one')).toMatchObject({ code: 0, sent: 0 });
  });

  it('sends the lines that were appended to its file', async () => {
    const { folder, call } = importer();
    await call('old');
    appendFileSync(join(folder, 'a.ndjson'), events(3, 10));
    const { code, sent, stderr } = await call('new');
    expect([code, sent]).toEqual([0, 3]);
    expect(stderr).toContain('has changed since the last run');
  });

  it('is another one with another query or write key, and keeps none of them', async () => {
    const { states, call } = importer();
    const urls = ['a', 'b'].map((tenant) => `${at.receiver.url}?tenant=hidden-${tenant}`);
    for (const url of urls)
      expect(await call('hidden-s', '--url', url)).toMatchObject({ sent: 10 });
    for (const url of urls) expect(await call('hidden-s', '--url', url)).toMatchObject({ sent: 0 });
    const names = readdirSync(states);
    expect(names.filter((name) => name.endsWith('.db'))).toHaveLength(2);
    for (const name of names)
      expect(readFileSync(join(states, name)).toString('latin1')).not.toContain('hidden-');
  });
});
