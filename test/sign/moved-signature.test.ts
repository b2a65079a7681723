import { describe, expect, it } from 'vitest';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import { preset, secret, signedBy, verdictOf } from './schemes/signing.js';

const bodyOnly = [...presets.values()].filter(({ content }) => content === '{body}');
const own: Scheme = { ...preset('github'), name: 'acme', header: 'X-Acme' };
const key = Buffer.from(secret);

/** What a sender has signed by a scheme with a time, which anyone who recorded it can send as a body. */
const signedTexts: [scheme: string, text: string][] = [
  ['stripe', '1700000000.{"type":"track"}'],
  ['slack', 'v0:1700000000:{"type":"track"}'],
  ['convoy-advanced', '1700000000,{"type":"track"}'],
  ['twitch', 'e76c6bd4-55c9-4987-8304-da1588d8988b2023-11-14T22:13:20.123Z{"type":"track"}'],
  ['twitch in lower case', 'order:1/22023-11-14t22:13:20z{"type":"track"}'],
  ['standard-webhooks', 'msg_1.1700000000.{"type":"track"}'],
];

describe.each(signedTexts)('the signed text of %s, as a body', (_, text) => {
  const body = Buffer.from(text);

  it.each([...bodyOnly, own])('is refused by $name if auto chose it', (scheme) => {
    const { headers } = signedBy(scheme, [key], { body });
    const verdict = verdictOf(headers, { secrets: [key], own: [own], body });
    expect(verdict).toMatchObject({
      valid: false,
      scheme: scheme.name,
      reason: 'scheme_mismatch',
      hint: expect.stringContaining(`name the scheme ${scheme.name}`) as string,
    });
  });

  it('is accepted by a scheme that was named', () => {
    const { headers } = signedBy(own, [key], { body });
    expect(verdictOf(headers, { scheme: own, secrets: [key], body }).valid).toBe(true);
  });

  it('is a mismatch if the signature does not fit', () => {
    const { headers } = signedBy(preset('github'), ['other'], { body });
    expect(verdictOf(headers, { body }).reason).toBe('mismatch');
  });
});

/** What a sender has signed by a scheme whose key is the same, cut into id, time and body. */
const cutTexts: [
  scheme: string,
  by: string,
  text: string,
  cut: [id: string, time: string, rest: string],
][] = [
  [
    'github',
    'github',
    '{"at":"2026-09-01T12:00:00Z","a":1}',
    ['{"at":"', '2026-09-01T12:00:00Z', '","a":1}'],
  ],
  [
    'github, text',
    'github',
    'paid on 2026-09-01T12:00:00Z',
    ['paid on ', '2026-09-01T12:00:00Z', ''],
  ],
  [
    'stripe',
    'github',
    '1700000000.{"at":"2026-09-01T12:00:00Z"}',
    ['1700000000.{"at":"', '2026-09-01T12:00:00Z', '"}'],
  ],
  [
    'slack',
    'github',
    'v0:1700000000:at=2026-09-01T12:00:00Z&x=1',
    ['v0:1700000000:at=', '2026-09-01T12:00:00Z', '&x=1'],
  ],
];

describe.each(cutTexts)('the signed text of %s, cut as one of twitch', (_, by, text, cut) => {
  const [id, time, rest] = cut;
  const { headers: signed } = signedBy(preset(by), [key], { body: Buffer.from(text) });
  const signature = signed[1]!;
  const headers = [
    ...['Twitch-Eventsub-Message-Signature', signature],
    ...['Twitch-Eventsub-Message-Id', id, 'Twitch-Eventsub-Message-Timestamp', time],
  ];
  const body = Buffer.from(rest);

  it('is refused if auto chose it', () => {
    expect(text).toBe(cut.join(''));
    expect(verdictOf(headers, { secrets: [key], body })).toMatchObject({
      valid: false,
      scheme: 'twitch',
      reason: 'scheme_mismatch',
      hint: expect.stringContaining('name the scheme twitch') as string,
    });
  });

  it('has the signature of twitch: naming the scheme accepts it', () => {
    expect(verdictOf(headers, { scheme: preset('twitch'), secrets: [key], body }).valid).toBe(true);
  });
});

it.each(['m-1', 'order:1/2', 'e76c6bd4-55c9-4987-8304-da1588d8988b', '1700000000', 'a.b'])(
  'auto accepts the id %j of twitch',
  (id) => {
    const { headers } = signedBy(preset('twitch'), [key], { id });
    expect(verdictOf(headers, { secrets: [key] })).toMatchObject({ valid: true, id });
  },
);

describe('auto accepts the body', () => {
  it.each([
    '',
    '{"id":"m-1","timestamp":"2023-11-14T22:13:20Z"}',
    '[1700000000,"2023-11-14T22:13:20Z"]',
    '"m2023-11-14T22:13:20Z"',
    '1700000000',
    '2023-11-14T22:13:20Z',
    'an order 2023-11-14T22:13:20Z',
    '<order><at>2023-11-14T22:13:20Z</at></order>',
    'v0=1&at=2023-11-14T22%3A13%3A20Z',
  ])('%j', (text) => {
    const body = Buffer.from(text);
    const { headers } = signedBy(preset('github'), [secret], { body });
    expect(verdictOf(headers, { body })).toEqual({ valid: true, scheme: 'github' });
  });
});
