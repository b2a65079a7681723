import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;

afterEach(() => receiver.close());

const event = (id: string): string =>
  `{"type":"track","event":"E","userId":"u","messageId":"${id}","timestamp":"2026-01-01T00:00:00Z"}\n`;

async function zip(...names: string[]): Promise<Buffer> {
  const file = new ZipFile();
  for (const name of names) file.addBuffer(Buffer.from(event(name)), name);
  file.end();
  return buffer(file.outputStream);
}

function importing(cwd: string, ...args: string[]) {
  return inProcess(['import', ...args, '--url', receiver.url, '--json'], { cwd });
}

const ids = (): unknown[] => receiver.json().map(({ messageId }) => messageId);

describe('an import of an archive', () => {
  it('sends each entry once, and nothing again', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'a.zip': await zip('b.ndjson', 'a.ndjson') });
    expect(await importing(cwd, 'a.zip')).toMatchObject({ code: 0 });
    expect(await importing(cwd, 'a.zip')).toMatchObject({ code: 0 });
    expect(ids()).toEqual(['b.ndjson', 'a.ndjson']);
  });

  it.each([
    ['more', ['b.ndjson', 'a.ndjson', 'c.ndjson']],
    ['fewer', ['b.ndjson']],
    ['other', ['a.ndjson', 'b.ndjson']],
  ])('that has %s entries than before is refused', async (_, names) => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'a.zip': await zip('b.ndjson', 'a.ndjson') });
    await importing(cwd, 'a.zip');
    writeFileSync(join(cwd, 'a.zip'), await zip(...names));
    const { code, stderr } = await importing(cwd, 'a.zip');
    expect(code).toBe(2);
    expect(stderr).toContain('a.zip: has other entries than when this import began; restore it');
    expect(ids()).toHaveLength(2);
  });

  it.each(['--log', '--dead-letter'])('does not write %s into it', async (flag) => {
    receiver = await startReceiver();
    const content = await zip('a.ndjson');
    const cwd = folderWith({ 'a.zip': content });
    const { code, stderr } = await importing(cwd, 'a.zip', flag, 'a.zip');
    expect(code).toBe(2);
    expect(stderr).toContain('is one of the input files');
    expect(readFileSync(join(cwd, 'a.zip'))).toEqual(content);
  });

  it('says the entry of a rejected line', async () => {
    receiver = await startReceiver();
    const file = new ZipFile();
    file.addBuffer(Buffer.from('{}\n'), 'x/a.ndjson');
    file.end();
    const cwd = folderWith({ 'a.zip': await buffer(file.outputStream) });
    const { stdout, stderr } = await importing(cwd, 'a.zip');
    expect(stderr).toContain('a.zip!/x/a.ndjson:1: rejected');
    const { deadLetter } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { deadLetter: string };
    const [line = ''] = readFileSync(join(cwd, deadLetter), 'utf8').split('\n');
    expect(JSON.parse(line)).toMatchObject({ file: 'a.zip', entry: 'x/a.ndjson', line: 1 });
  });
});
