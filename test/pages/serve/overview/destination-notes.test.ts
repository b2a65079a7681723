import { expect, it } from 'vitest';
import type { DestinationState } from '../../../../src/api/serve.js';
import { notesOf } from '../../../../pages/serve/overview/destination-notes.js';
import { at, noon } from '../outcomes/samples.js';
import { destination, endpoint } from './overview.js';

const failing = endpoint({ health: 'failing', lastStatus: 500 });
const down = endpoint({ health: 'down', lastError: 'refused' });
const lastFailure = { at: at(-5000), url: 'u', attempt: 1, durationMs: 3 };
const refused = { ...lastFailure, status: null, error: 'refused' };
const paused = endpoint({ health: 'up', pausedUntil: at(60_000) });

it.each<[change: Partial<DestinationState>, notes: (string | RegExp)[]]>([
  [{}, []],
  [{ enabled: false }, ['switched manually']],
  [{ enabled: false, configuredEnabled: false }, ['off in the configuration']],
  [{ configuredEnabled: false }, ['switched manually']],
  [{ configured: false, enabled: false }, ['no longer in the configuration']],
  [
    { endpoints: [failing], lastFailure: { ...lastFailure, status: 500, error: null } },
    ['HTTP 500 5 s ago'],
  ],
  [
    { endpoints: [down], lastFailure: refused, retrying: 2, nextRetryAt: at(4000) },
    ['connection refused 5 s ago', 'next in 4 s'],
  ],
  [{ endpoints: [down], retrying: 2, nextRetryAt: at(-1) }, ['waits until it recovers']],
  [
    {
      endpoints: [endpoint({ health: 'up' })],
      lastFailure: refused,
      retrying: 2,
      nextRetryAt: at(-1),
    },
    ['connection refused 5 s ago', 'next attempt now'],
  ],
  [
    { endpoints: [endpoint({ health: 'up' }), down], lastFailure: refused },
    ['1 of 2 endpoints down'],
  ],
  [{ enabled: false, refusal: 'expired' }, ['certificate cannot be used, see the log']],
  [
    { endpoints: [endpoint({ certificateEndsAt: at(9 * 86_400_000) })] },
    ['client certificate ends in 9 d'],
  ],
  [{ endpoints: [endpoint({ certificateEndsAt: at(15 * 86_400_000) })] }, []],
  [{ endpoints: [endpoint({ certificateEndsAt: at(-1) })] }, ['client certificate has expired']],
  [{ endpoints: [paused] }, [/^paused until [\d:]+$/]],
  [{ endpoints: [paused, down] }, [/^1 of 2 endpoints paused until/, /./]],
  [{ queued: 3, queuedSince: at(-300_000) }, ['queued for 5 min']],
  [{ queued: 3, queuedSince: at(-300) }, []],
  [{ deadLettersDropped: 1 }, ['1 dead letter dropped']],
])('a destination with %j has its notes', (change, notes) => {
  const texts = notesOf(destination(change), noon).map(({ text }) => text);
  expect(texts).toEqual(
    notes.map((note): unknown => (typeof note === 'string' ? note : expect.stringMatching(note))),
  );
});
