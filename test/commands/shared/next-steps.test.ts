import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(() => ({ status: 400 }));
});
afterEach(async () => {
  await receiver.close();
});

const event = '{"type":"track","userId":"u1","event":"E"}\n';
const withoutBody = '{"request":{"method":"POST","url":"http://h/a","headers":[],"bodySize":9}}';
const whole =
  '{"request":{"method":"POST","url":"http://h/a","headers":[],"postData":{"text":"{}"}}}';
const har = (...entries: string[]): string => `{"log":{"entries":[${entries.join()}]}}`;

const correct = 'correct what was rejected there, then retry them with:\n';
const exportAgain =
  '1 HAR entry lacks what is to be sent and cannot be retried from there; export the file again\n';

it.each([
  ['import', 'e.ndjson', event, ['; retry them with:\n'], ['correct', 'HAR']],
  ['import', 'e.ndjson', '{"type":"track"}\n', [`; ${correct}`], ['HAR']],
  ['import', 'e.ndjson', `${event}no JSON\n`, [`; ${correct}`], ['HAR']],
  ['replay', 'e.ndjson', '{"type":"request"}\n', [`; ${correct}`], ['HAR']],
  ['replay', 'e.har', har(withoutBody), [exportAgain], ['correct', 'retry them']],
  ['replay', 'e.har', har('5'), [exportAgain], ['correct', 'retry them']],
  ['replay', 'e.har', har(withoutBody, whole), ['; retry them with:\n', exportAgain], ['correct']],
])('%s of %s with %j says how to go on', async (command, name, content, said, unsaid) => {
  const folder = folderWith({ [name]: content });
  const args = [command, join(folder, name), '--url', receiver.url];
  const { code, stderr } = await inProcess([...args, '--state-dir', join(folder, 'state')]);
  expect(code).toBe(3);
  for (const text of said) expect(stderr).toContain(text);
  for (const text of unsaid) expect(stderr).not.toContain(`${text} `);
});
