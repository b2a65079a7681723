import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver } from '../../helpers/receiver.js';

const event =
  '{"type":"track","event":"E","userId":"u","messageId":"m","properties":{"n":1.50},"context":{"ip":"1.1.1.1"}}';

async function sending(...flags: string[]) {
  const receiver = await startReceiver();
  const folder = folderWith({ 'event.json': event, key: 'k' });
  const data = ['--data', `@${join(folder, 'event.json')}`];
  const paths = flags.map((flag) => flag.replace(/^@/, `${folder}/`));
  const result = await inProcess(['send', ...data, '--url', receiver.url, ...paths]);
  await receiver.close();
  return { ...result, body: receiver.requests[0]?.body.toString() };
}

describe('send', () => {
  it('changes an event by steps before it is sent, and keeps the bytes of all else', async () => {
    const { code, body } = await sending(
      ...['--drop', 'context.ip', '--hash', 'userId', '--hash-key-file', '@key'],
      ...['--rename', 'event=event', '--set', 'event=F'],
    );
    const hash = createHmac('sha256', 'k').update('u').digest('hex');
    expect(code).toBe(0);
    expect(body).toContain(`"userId":"${hash}"`);
    expect(body).toContain('"context":{},"event":"F","properties":{"n":1.50}');
    expect(body).toContain('"event":"F"');
  });

  it('validates what the steps have made', async () => {
    const { code, stderr, body } = await sending('--drop', 'userId');
    expect([code, body]).toEqual([2, undefined]);
    expect(stderr).toContain('--user-id or --anonymous-id');
  });

  it.each([
    [['--set', 'event.name=x'], '--set event.name: event is not an object in this event'],
    [['--hash', 'userId'], '--hash-key-file'],
  ])('refuses %j', async (flags, said) => {
    const { code, stderr, body } = await sending(...flags);
    expect([code, body]).toEqual([2, undefined]);
    expect(stderr).toContain(said);
  });

  it('changes no body that is sent as it is', async () => {
    const raw = ['send', '--raw', join(folderWith({ body: event }), 'body')];
    const { code, stderr } = await inProcess([...raw, '--drop', 'n', '--url', 'http://h/']);
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('leave --drop out')]);
  });
});
