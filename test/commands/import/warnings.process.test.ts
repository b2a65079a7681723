import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { cli } from '../../helpers/cli.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const files = {
  'a.csv': 'kind,who,mail\nE,u1,a@b.c\nF,u2,d@e.f\n',
  'map.yaml':
    'type: { const: track }\nevent: kind\nuserId: who\nproperties: { mail: mail, n: total }\n',
};

/** The warnings of a command over the files, with these flags. */
async function warningsOf(command: string, ...flags: string[]): Promise<string[]> {
  const folder = folderWith(files);
  const target =
    command === 'import' ? ['--url', receiver.url, '--state-dir', join(folder, 'state')] : [];
  const { code, stderr } = await cli([
    ...[command, join(folder, 'a.csv'), '--map', join(folder, 'map.yaml'), ...target],
    ...flags,
  ]);
  expect(code).toBe(0);
  return stderr.split('\n').filter((line) => line.startsWith('warning: '));
}

const misspelled = ['--drop', 'properties.mial', '--set', 'context.app=shop'];

describe.each(['import', 'validate'])('%s', (command) => {
  it('warns of paths that no record has, which may be misspelled', async () => {
    expect(await warningsOf(command, ...misspelled)).toEqual([
      'warning: no record has total, which the map names; check its spelling',
      'warning: --drop properties.mial has changed nothing; check its path',
    ]);
  });
});

describe('import by several threads', () => {
  it('warns of the paths that none of its threads has found', async () => {
    const pad = 'x'.repeat(3_000);
    const line = (n: number): string =>
      `{"type":"track","event":"E","userId":"u","messageId":"m${n}","properties":{"pad":"${pad}"${n === 0 ? ',"a":1' : ''}}}\n`;
    const events = Array.from({ length: 3_200 }, (_, n) => line(n));
    const folder = folderWith({ 'a.ndjson': events.join('') });
    const { code, stderr } = await cli([
      ...['import', join(folder, 'a.ndjson'), '--url', receiver.url, '--threads', '2'],
      ...['--state-dir', join(folder, 'state'), '--drop', 'properties.a', '--drop', 'properties.b'],
    ]);
    expect(code).toBe(0);
    expect(stderr.match(/warning: .*/g)).toEqual([
      'warning: --drop properties.b has changed nothing; check its path',
    ]);
  });
});

describe('import --plan', () => {
  it('warns of the same paths before anything is sent', async () => {
    const folder = folderWith(files);
    const { stdout } = await cli([
      ...['import', join(folder, 'a.csv'), '--map', join(folder, 'map.yaml')],
      ...['--url', receiver.url, '--plan', ...misspelled],
    ]);
    expect(stdout).toContain('warning: --drop properties.mial has changed nothing');
    expect(receiver.requests).toEqual([]);
  });
});
