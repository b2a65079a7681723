import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { scanElements } from '../../../src/json/elements.js';
import { findMember, scanMembers } from '../../../src/json/members.js';
import { bodyOf, outcome, send, startCollecting, textOf, type Collecting } from './collecting.js';

interface Captured {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string;
}

interface Scenario {
  readonly scenario: string;
  readonly requests: readonly Captured[];
}

/** Requests of published clients, recorded by a server that responded as the scenario says. */
const folder = new URL('../../../fixtures/wire/', import.meta.url);

const scenarios = readdirSync(folder).flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Scenario[]).map(
    (scenario) => [`${file}, ${scenario.scenario}`, scenario.requests] as const,
  ),
);

describe.each(scenarios)('the requests of %s', (_title, requests) => {
  it('are accepted, and every event arrives as it was sent', async () => {
    for (const captured of requests) {
      // Sent at their original time: the clocks of the clients are right.
      const sentAt = Date.parse(
        (JSON.parse(captured.bodyText) as { sentAt: string }).sentAt.replace('+0000', 'Z'),
      );
      const api = await startCollecting({
        clock: { now: () => sentAt + 300, monotonic: () => 0, after: () => () => undefined },
      });
      expect(outcome(await replay(api, captured))).toBe('200 success');
      expect(api.rejected).toEqual([]);
      expect(api.accepted.map(textOf)).toEqual(eventsOf(captured.bodyText));
      expect(api.accepted.map(bodyOf)).toEqual(
        api.accepted.map(({ event }) => expect.objectContaining(forwarded(event.value))),
      );
    }
  });
});

it('keeps numbers that JavaScript cannot represent', async () => {
  const api = await startCollecting();
  for (const [, requests] of scenarios) await replay(api, requests[0]!);
  const text = api.accepted.map(textOf).join('\n');
  const numbers = ['9007199254740993', '18446744073709551615', '1e+21', '5e-324'];
  expect(numbers.filter((number) => !text.includes(number))).toEqual([]);
});

function replay(api: Collecting, { method, url, headers, bodyText }: Captured) {
  const isGzip = headers['content-encoding'] === 'gzip';
  const body = isGzip ? gzipSync(bodyText) : Buffer.from(bodyText);
  // The capture holds the texts of bodies, not their compressed bytes.
  const own = { ...headers, 'content-length': String(body.length) };
  return send(api, { method, path: url, headers: own, body });
}

/** The events of a body, each with the library that Go sends once for all of them. */
function eventsOf(bodyText: string): string[] {
  const bytes = Buffer.from(bodyText);
  const { members } = scanMembers(bytes);
  const shared = findMember(members, 'context');
  const library = shared && bytes.toString('utf8', shared.start, shared.end);
  return scanElements(bytes, findMember(members, 'batch')!.start).map((element) => {
    const text = kept(bytes.subarray(element.start, element.end));
    if (library === undefined) return text;
    const own = text.includes('"context":{');
    return own
      ? text.replace(/("context":\{.*?\})/, (context) =>
          context.replace(/\}$/, `,${library.slice(1)}`),
        )
      : text.replace(/\}$/, `,"context":${library}}`);
  });
}

/**
 * RudderStack sends the time of the call as its original one, and the send time in each event. Other
 * events are kept byte for byte.
 */
function kept(bytes: Buffer): string {
  const { members } = scanMembers(bytes);
  const hasTime = findMember(members, 'timestamp') !== undefined;
  if (hasTime && !findMember(members, 'sentAt')) return bytes.toString();
  const texts = members
    .filter(({ name }) => name !== 'sentAt')
    .map(({ nameStart, end }) => bytes.toString('utf8', nameStart, end));
  const original = findMember(members, 'originalTimestamp');
  if (original && !hasTime) {
    texts.push(`"timestamp":${bytes.toString('utf8', original.start, original.end)}`);
  }
  return `{${texts.join(',')}}`;
}

function forwarded(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = [
    'type',
    'messageId',
    'timestamp',
    'context',
    'traits',
    'properties',
    'event',
    'groupId',
  ];
  const pairs = names.filter((name) => name in value).map((name) => [name, value[name]]);
  const kept = Object.fromEntries(pairs) as Record<string, unknown>;
  const isAlias = value.type === 'alias';
  return isAlias ? { ...kept, 'User ID': value.userId, 'Previous ID': value.previousId } : kept;
}
