import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { captureFile } from '../../replay/captures.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(() => ({ status: 200 }));
});
afterEach(() => receiver.close());

/** Replays a file of three requests as often as it is called, with one state directory. */
function replayer() {
  const body = (n: number) => ({ body: `{"messageId":"m${n}"}` });
  const folder = folderWith({ got: captureFile(body(0), body(1), body(2)) });
  const states = join(folder, 'state');
  const call = async (secret: string, ...args: string[]) => {
    const before = receiver.requests.length;
    const url = args.includes('--url') ? [] : ['--url', receiver.url];
    const common = ['replay', join(folder, 'got'), '--state-dir', states];
    const result = await inProcess([...common, ...url, ...args], {
      env: { EVFWD_SECRET: secret },
    });
    return { ...result, sent: receiver.requests.length - before };
  };
  return { states, call };
}

describe('a replay whose secret or header values are others than before', () => {
  it('does not answer for them once it is complete', async () => {
    const { call } = replayer();
    expect(await call('old', '-H', 'X-Tenant: one')).toMatchObject({ code: 0, sent: 3 });
    expect(await call('old', '-H', 'X-Tenant: one')).toMatchObject({ code: 0, sent: 0 });
    for (const args of [
      ['new', '-H', 'X-Tenant: one'],
      ['old', '-H', 'X-Tenant: two'],
      ['old'],
    ] as const) {
      const [secret, ...header] = args;
      const { code, sent, stderr } = await call(secret, ...header);
      expect([code, sent]).toEqual([2, 0]);
      expect(stderr).toContain('completed with another shared secret or other header values');
    }
    const fresh = await call('new', '-H', 'X-Tenant: one', '--fresh');
    expect([fresh.code, fresh.sent]).toEqual([0, 3]);
  });

  it('goes on while it is not complete, and says so', async () => {
    const { call } = replayer();
    expect(await call('hidden-old', '--limit', '1')).toMatchObject({ code: 0, sent: 1 });
    const rest = await call('hidden-new');
    expect([rest.code, rest.sent]).toEqual([0, 2]);
    expect(rest.stderr).toContain(
      'the shared secret or a header value has changed since the last run',
    );
    expect(rest.stderr).not.toContain('hidden');
  });

  it('asks for no secret where none is used: the recorded signatures go along', async () => {
    const { call } = replayer();
    expect(await call('old', '--keep-signature')).toMatchObject({ code: 0, sent: 3 });
    expect(await call('new', '--keep-signature')).toMatchObject({ code: 0, sent: 0 });
  });

  it('is another one with another query, and keeps none of it', async () => {
    const { states, call } = replayer();
    const urls = ['a', 'b'].map((tenant) => `${receiver.url}?tenant=hidden-${tenant}`);
    for (const url of urls) expect(await call('hidden-s', '--url', url)).toMatchObject({ sent: 3 });
    for (const url of urls) expect(await call('hidden-s', '--url', url)).toMatchObject({ sent: 0 });
    const names = readdirSync(states);
    expect(names.filter((name) => name.endsWith('.db'))).toHaveLength(2);
    for (const name of names)
      expect(readFileSync(join(states, name)).toString('latin1')).not.toContain('hidden-');
  });
});
