import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { captureFile } from '../../replay/captures.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const bodies = () => receiver.requests.map(({ body }) => body.toString());

async function replay(captures: readonly { body: string }[], ...flags: string[]) {
  const folder = folderWith({ got: captureFile(...captures), secret: 's3cret', key: 'k' });
  const paths = flags.map((flag) => flag.replace(/^@/, `${folder}/`));
  const result = await inProcess([
    ...['replay', join(folder, 'got'), '--url', receiver.url, '--state-dir', join(folder, 'state')],
    ...['--concurrency', '1', ...paths],
  ]);
  return { ...result, folder };
}

const signed = ['--secret-file', '@secret'];

describe('replay --where', () => {
  it('sends the requests whose JSON body fits', async () => {
    const captures = ['{"type":"a","n":9}', '{"type":"b"}', 'type=a', '{"type":"a","n":10.0}'];
    const { code } = await replay(
      captures.map((body) => ({ body })),
      ...['--where', 'type=a', '--where', 'n>=10'],
    );
    expect(code).toBe(0);
    expect(bodies()).toEqual(['{"type":"a","n":10.0}']);
  });

  it('finds no members in a body that is no JSON object', async () => {
    await replay([{ body: 'type=a' }, { body: '{"type":"a"}' }], '--where', '!type');
    expect(bodies()).toEqual(['type=a']);
  });
});

describe('replay --set, --drop, --hash, --rename', () => {
  it('change the body byte for byte, and sign it anew', async () => {
    const body = ' {"email": "a@b.c", "n":1.50,"ip":"1.1.1.1","a":{"b":1}}\n';
    const steps = ['--hash', 'email', '--hash-key-file', '@key', '--drop', 'ip', '--set', 'a.b:=2'];
    const { code, stderr } = await replay([{ body }], ...signed, ...steps);
    expect([code, stderr]).toMatchObject([0, expect.not.stringContaining('rejected')]);
    const hash = createHmac('sha256', 'k').update('a@b.c').digest('hex');
    const sent = ` {"email": "${hash}", "n":1.50,"a":{"b":2}}\n`;
    expect(bodies()).toEqual([sent]);
    expect(receiver.requests[0]!.headers['x-signature']).toBe(
      createHmac('sha1', 's3cret').update(sent).digest('hex'),
    );
  });

  it('reject a body that they cannot change, and keep the recorded one for the retry command', async () => {
    const { code, stderr, folder } = await replay(
      [{ body: 'a=1' }, { body: '' }, { body: '{"ip":1}' }],
      ...signed,
      ...['--drop', 'ip'],
    );
    expect(code).toBe(3);
    expect(stderr).toContain('got:1 POST /hook: rejected: the body is not a JSON object');
    expect(stderr).toMatch(/evfwd replay .*dead-letter\.ndjson .*--drop ip/);
    expect(bodies()).toEqual(['', '{}']);
    const letters = readdirSync(join(folder, 'state')).filter((name) =>
      name.includes('dead-letter'),
    );
    expect(letters).toHaveLength(1);
    expect(readFileSync(join(folder, 'state', letters[0]!), 'utf8')).toContain('"body":"a=1"');
  });

  it('need a secret, or the wish to send the recorded signature', async () => {
    const { code, stderr } = await replay([{ body: '{"ip":1}' }], '--drop', 'ip');
    expect([code, stderr]).toMatchObject([2, expect.stringMatching(/--secret-file.*--keep-sig/)]);
    const kept = await replay([{ body: '{"ip":1}' }], '--drop', 'ip', '--keep-signature');
    expect([kept.code, bodies()]).toEqual([0, ['{}']]);
  });

  it('make another replay of the same file', async () => {
    const first = await replay([{ body: '{"a":1,"b":2}' }], ...signed, '--drop', 'a');
    const again = (...flags: string[]) =>
      inProcess([
        ...['replay', join(first.folder, 'got'), '--url', receiver.url],
        ...['--state-dir', join(first.folder, 'state')],
        ...['--secret-file', join(first.folder, 'secret'), ...flags],
      ]);
    await again('--drop', 'a');
    await again('--drop', 'b');
    expect(bodies()).toEqual(['{"b":2}', '{"a":1}']);
  });

  it('say which of them has changed nothing', async () => {
    const { stderr } = await replay(
      [{ body: '{"ip":1}' }],
      ...[...signed, '--drop', 'ip', '--drop', 'i_p'],
    );
    expect(stderr).toContain('warning: --drop i_p has changed nothing; check its path');
    expect(stderr.match(/warning: --drop/g)).toHaveLength(1);
  });
});
