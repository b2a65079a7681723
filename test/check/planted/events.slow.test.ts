import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../helpers/hook.js';
import { against, check, type Bug, type PlantedEvent } from '../helpers/planted.js';

const types = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'];
const members =
  /^(version|type|userId|messageId|timestamp|context|event|name|category|properties|traits|groupId|Previous ID|User ID)$/;

/** An answer to the events that fit. */
const to = (fits: (event: PlantedEvent, body: Buffer) => boolean, answer: Answer): Bug => ({
  handle: (event, { body }) => (fits(event, body) ? answer : undefined),
});

const holds = (part: RegExp) => (_: PlantedEvent, body: Buffer) => part.test(body.toString());

/** Answers a repeat; the first is known only after a moment if `delayMs` is there. */
function repeats(answer: Answer, delayMs = 0): Bug {
  const seen = new Set<string>();
  return {
    handle: async ({ messageId }) => {
      if (messageId === undefined) return 204;
      if (seen.has(messageId)) return answer;
      seen.add(messageId);
      await wait(delayMs);
      return 204;
    },
  };
}

function refusesOlder(): Bug {
  let newest = 0;
  return {
    handle: ({ timestamp }) => {
      const time = Date.parse(timestamp);
      if (time < newest - 60_000) return 409;
      newest = Math.max(newest, time);
      return 204;
    },
  };
}

const depth = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depth))
    : 0;

const bugs: readonly (readonly [what: string, bug: Bug, against: readonly string[]])[] = [
  ...types
    .map((type): (typeof bugs)[number] => [
      `refuses ${type}`,
      to((event) => event.type === type, 400),
      // Most checks send events of this type.
      type === 'identify' ? ['fail accept.identify'] : [`fail accept.${type}`],
    ])
    .filter(([what]) => what !== 'refuses track'),
  [
    'requires a messageId',
    to((event) => event.messageId === undefined, 422),
    ['fail accept.delete'],
  ],
  ['requires a userId', to((event) => event.userId === undefined, 400), ['fail accept.alias']],
  [
    'answers 404 to types that it does not know',
    to((event) => !types.includes(event.type), 404),
    ['fail tolerate.unknown-event'],
  ],
  [
    'refuses members that it does not know',
    to((event) => Object.keys(event).some((name) => !members.test(name)), 422),
    ['fail tolerate.unknown-member'],
  ],
  ['fails at null', to(holds(/:null/), 500), ['warn tolerate.null']],
  [
    'fails at empty properties',
    to(({ properties }) => properties !== undefined && Object.keys(properties).length === 0, 500),
    ['warn tolerate.empty-object'],
  ],
  ['fails at emoji', to(holds(/[\u{1f000}-\u{1ffff}]/u), 500), ['warn tolerate.emoji']],
  ['fails at Arabic', to(holds(/[\u0600-\u06ff]/), 500), ['warn tolerate.rtl']],
  ['fails at long texts', to(holds(/"text":"[^"]{1000}/), 500), ['warn tolerate.long-string']],
  ['parses 64 levels', to((event) => depth(event) > 64, 400), ['warn tolerate.deep-100']],
  ['takes 16 KB', to((_, body) => body.length > 16_384, 413), ['warn tolerate.32KB']],
  ['takes 32,767 bytes', to((_, body) => body.length > 32_767, 413), ['warn tolerate.32KB']],
  ['takes 32,768 bytes', to((_, body) => body.length > 32_768, 413), []],
  ['answers 409 to a repeat', repeats(409), ['fail dup.again', 'warn dup.parallel']],
  ['answers 500 to a repeat', repeats(500), ['fail dup.again', 'warn dup.parallel']],
  ['answers 200 to a repeat', repeats(200), []],
  ['refuses an event that is older than the newest', refusesOlder(), ['warn order.old-after-new']],
  [
    'answers 500 to what is not JSON',
    { broken: 500 },
    ['warn refuse.bad-json', 'warn refuse.empty'],
  ],
  ['answers 200 to what is not JSON', { broken: 200 }, []],
];

describe.concurrent('a receiver with a bug of its events', () => {
  it.each(bugs)('%s', async (_, bug, expected) => {
    expect(against(await check(bug)).toSorted()).toEqual([...expected].toSorted());
  });

  it.each([
    ['once', true, []],
    ['at each repeat', false, ['fail dup.effect']],
  ] as const)('has its effect %s', async (_, isOnce, expected) => {
    const seen = new Set<string>();
    let count = 0;
    const bug: Bug = {
      handle: ({ messageId }) => {
        const id = messageId ?? '';
        if (!isOnce || !seen.has(id)) count++;
        seen.add(id);
        return 204;
      },
    };
    const report = await check(bug, { probe: () => Promise.resolve(count) });
    expect(against(report)).toEqual(expected);
  });
});
