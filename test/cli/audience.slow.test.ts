import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { summaryOf, watched } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';
import { believed, names, ndjson, sync } from './audience-lists.js';

let receiver: Receiver;
afterEach(() => receiver.close());

describe('evfwd audience, killed', () => {
  it('forgets nobody and sends no change under a second messageId', async () => {
    const random = seededRandom();
    const kills = 6;
    const lists = [names(1_500), names(1_500, 700), names(1_200, 200)];
    receiver = await startReceiver();
    const cwd = folderWith();
    const args = sync('m.ndjson', '--url', receiver.url, '--json');
    for (const list of lists) {
      writeFileSync(join(cwd, 'm.ndjson'), ndjson(list));
      for (let kill = 0; kill < kills; kill++) {
        const run = watched(start(args, { cwd }));
        const more = receiver.atLeast(receiver.requests.length + 1 + random() * 200);
        await Promise.race([more, run.ended]);
        await run.stop('SIGKILL');
      }
      const last = await cli(args, { cwd });
      expect([last.code, summaryOf(last).pending]).toEqual([0, 0]);
      expect(believed(receiver)).toEqual([...list].sort());
    }
    for (const changes of changesByUser().values()) {
      expect(new Set(changes.map(({ messageId }) => messageId)).size).toBe(changes.length);
      expect(changes.map(({ value }) => value)).toEqual(changes.map((_change, i) => i % 2 === 0));
    }
  }, 120_000);
});

interface Told {
  readonly messageId: string;
  readonly value: boolean;
}

/** The distinct messages that each user's changes came as, in order. */
function changesByUser(): Map<string, Told[]> {
  const all = new Map<string, Told[]>();
  for (const { userId, messageId, traits } of receiver.json()) {
    const changes = all.get(userId) ?? [];
    if (changes.at(-1)?.messageId !== messageId) {
      changes.push({ messageId, value: traits.high_value_users });
    }
    all.set(userId, changes);
  }
  return all;
}
