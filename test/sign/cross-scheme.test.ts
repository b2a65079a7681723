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
  ['standard-webhooks, with a long id', `${'m'.repeat(2000)}.1700000000.{"type":"track"}`],
  ['twilio', 'https://example.com/hook?bodySHA256=00'],
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

/** Own schemes, and what they have signed. */
const ownTexts: [content: string, format: 'seconds' | 'ms' | 'iso', text: string][] = [
  ['{timestamp}:{body}', 'seconds', '1700000000:{"type":"track"}'],
  ['{timestamp}{body}', 'ms', '1700000000123{"type":"track"}'],
  ['acme-v1{body}', 'seconds', 'acme-v1{"type":"track"}'],
  ['{method} {url}\n{body}', 'seconds', 'POST https://example.com/hook\n{"type":"track"}'],
  ['{id}/{timestamp}/{body}', 'iso', 'm-1/2023-11-14T22:13:20.123Z/{"type":"track"}'],
  ['{body}.{timestamp}', 'seconds', 'type=track.1700000000'],
  ['{body}{id}', 'seconds', '{"type":"track"}m-1'],
  ['é{body}', 'seconds', 'é{"type":"track"}'],
];

describe.each(ownTexts)('the signed text of an own scheme with %j', (content, format, text) => {
  const timed: Scheme = {
    ...own,
    name: 'timed',
    header: 'X-Timed',
    content,
    timestamp: { header: 'X-Time', format },
    id: { header: 'X-Id' },
  };
  const body = Buffer.from(text);

  it('is refused as the body of another, if auto chose it', () => {
    for (const scheme of bodyOnly) {
      const { headers } = signedBy(scheme, [key], { body });
      const verdict = verdictOf(headers, { secrets: [key], own: [timed], body });
      expect(verdict).toMatchObject({ valid: false, reason: 'scheme_mismatch' });
    }
  });

  it('is accepted where the configuration has no such scheme', () => {
    const { headers } = signedBy(preset('github'), [key], { body });
    const isKnown = /^\d{10,}[.,]|T22:/.test(text);
    expect(verdictOf(headers, { secrets: [key], body }).valid).toBe(!isKnown);
  });

  it('leaves bodies of JSON alone', () => {
    for (const json of ['{"type":"track","at":1700000000}', '[1]', '"m-1"', '']) {
      const { headers } = signedBy(preset('github'), [key], { body: Buffer.from(json) });
      const judged = { secrets: [key], own: [timed], body: Buffer.from(json) };
      expect(verdictOf(headers, judged).valid).toBe(true);
    }
  });
});

describe('a time', () => {
  const ms: Scheme = {
    ...own,
    content: '{timestamp}.{body}',
    timestamp: { header: 'X-Time', format: 'ms' },
    toleranceMs: 60_000,
  };

  it.each(['stripe', 'convoy-advanced'])(
    'in milliseconds, of an own scheme, is no time of %s in the far future',
    (name) => {
      const scheme = preset(name);
      const content = scheme.content.replace('{timestamp}', '1700000000123');
      const { headers } = signedBy({ ...scheme, content }, [key]);
      const [header = '', value = ''] = headers;
      const moved = [header, value.replace(/t=\d+/, 't=1700000000123')];
      expect(verdictOf(moved, { secrets: [key], own: [ms] })).toMatchObject({
        valid: false,
        scheme: name,
        reason: 'scheme_mismatch',
      });
      expect(verdictOf(moved, { secrets: [key], scheme }).valid).toBe(true);
    },
  );

  it.each([
    ['99999999999', true],
    ['100000000000', false],
  ])('of %s seconds is one that a clock may say: %s', (time, valid) => {
    const scheme = preset('stripe');
    const content = scheme.content.replace('{timestamp}', time);
    const { headers } = signedBy({ ...scheme, content }, [key]);
    const moved = headers.map((text) => text.replace(/t=\d+/, `t=${time}`));
    expect(verdictOf(moved, { secrets: [key] }).valid).toBe(valid);
  });

  it('behind another one is not that of a signature', () => {
    const body = Buffer.from('1700000000.{"type":"track"}');
    const { headers } = signedBy(preset('stripe'), [key], { body });
    expect(verdictOf(headers, { secrets: [key], body }).reason).toBe('scheme_mismatch');
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
