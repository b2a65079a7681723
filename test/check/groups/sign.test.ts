import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/check/check.js';
import type { SigningSettings } from '../../../src/sign/request-signer.js';
import { presets } from '../../../src/sign/schemes/index.js';
import type { Scheme } from '../../../src/sign/schemes/scheme.js';
import { signingBy } from '../../helpers/signing.js';
import { startEndpoint, type Answer, type Endpoint, type Hook } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';
import {
  hmac,
  rightEndpoint,
  secret,
  verifierOf,
  verifiers,
  type Verify,
} from '../helpers/right-endpoints.js';
import { eventChecks, signatureChecks } from '../helpers/sender-checks.js';

type Found = Record<string, CheckResult['outcome']>;

/** Why a check does not apply is not what these tests are about. */
function withoutInapplicable(found: Found): Found {
  return Object.fromEntries(Object.entries(found).filter(([, one]) => one !== 'notApplicable'));
}

async function foundFor(endpoint: Endpoint, scheme = 'x-signature'): Promise<Found> {
  const [signing] = signingBy(scheme, secret);
  return withoutInapplicable(
    await foundBy(eventChecks, await startEndpoint(endpoint), { signing }),
  );
}

describe('a right receiver', () => {
  it.each(Object.keys(verifiers))('passes all checks of %s', async (scheme) => {
    const found = await foundFor(rightEndpoint(verifiers[scheme]!), scheme);
    expect(found).toEqual({});
  });

  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  const signings: [string, SigningSettings][] = [
    ...[...presets.keys()].map((name): [string, SigningSettings] => [
      name,
      signingBy(name, secret)[0],
    ]),
    ['ed25519', signingBy('standard-webhooks', asymmetric(key))[0]],
    ['an own scheme', { scheme: ownScheme({}), secrets: ['topsecret'] }],
    [
      'an own scheme of one hour',
      { scheme: ownScheme({ toleranceMs: 7_200_000 }), secrets: ['x'] },
    ],
    ['an own scheme of one minute', { scheme: ownScheme({ toleranceMs: 60_000 }), secrets: ['x'] }],
  ];

  it.each(signings)('passes all checks of signatures of %s', async (_, signing) => {
    const url = await startEndpoint(rightEndpoint(verifierOf(signing)));
    const found = await foundBy(signatureChecks, `${url}?a=1`, { signing });
    // The senders of these do not look at times ahead.
    const isFutureTaken = signing.scheme.timestamp && !signing.scheme.judgesFuture;
    expect(withoutInapplicable(found)).toEqual(isFutureTaken ? { 'time.future': 'noted' } : {});
  });

  it('is judged by each check that applies to its scheme', async () => {
    const [signing] = signingBy('x-signature', secret);
    const url = await startEndpoint(rightEndpoint(verifierOf(signing)));
    expect(await foundBy(eventChecks, url, { signing })).toEqual({
      'sign.rotation': 'notApplicable',
      'time.old': 'notApplicable',
      'time.future': 'notApplicable',
      'time.unsigned': 'notApplicable',
      'time.skew': 'notApplicable',
      'batch.first-only': 'notApplicable',
    });
  });
});

describe('a receiver with a fault in how it verifies', () => {
  const xSignature = verifiers['x-signature']!;
  const signatureOf = ({ header }: Hook) => header('x-signature');
  const right = ({ body }: Hook) => hmac('sha1', secret, body);

  const faults: [string, string, Verify, string[]][] = [
    [
      'verifies nothing',
      'x-signature',
      () => true,
      [
        ...['missing', 'wrong-key', 'tampered', 'swapped', 'empty', 'cut', 'flipped'],
        ...['other-digest', 'content-type', 'empty-body', 'method'],
      ],
    ],
    [
      'verifies a signature only if there is one',
      'x-signature',
      (hook) => hook.incoming.headers['x-signature'] === undefined || xSignature(hook),
      ['missing', 'empty-body'],
    ],
    [
      'takes an empty signature for none',
      'x-signature',
      (hook) => signatureOf(hook) === '' || xSignature(hook),
      ['missing', 'empty', 'empty-body'],
    ],
    [
      'compares the beginning alone',
      'x-signature',
      (hook) => signatureOf(hook) !== '' && right(hook).startsWith(signatureOf(hook)),
      ['cut'],
    ],
    [
      'compares eight characters',
      'github',
      ({ header, body }) =>
        header('x-hub-signature-256').slice(0, 15) ===
        `sha256=${hmac('sha256', secret, body)}`.slice(0, 15),
      ['cut', 'flipped'],
    ],
    [
      'compares the last eight characters alone, at full length',
      'x-signature',
      (hook) =>
        signatureOf(hook).length === 40 && signatureOf(hook).slice(-8) === right(hook).slice(-8),
      ['flipped'],
    ],
    [
      'compares all but the characters in the middle',
      'x-signature',
      (hook) =>
        signatureOf(hook).length === 40 &&
        signatureOf(hook).slice(0, 15) === right(hook).slice(0, 15) &&
        signatureOf(hook).slice(-15) === right(hook).slice(-15),
      ['flipped'],
    ],
    [
      'compares the length alone',
      'x-signature',
      (hook) => signatureOf(hook).length === 40,
      ['wrong-key', 'tampered', 'swapped', 'flipped', 'content-type', 'method'],
    ],
    [
      'compares Base64 in any case',
      'shopify',
      ({ header, body }) => {
        const expected = Buffer.from(hmac('sha256', secret, body), 'hex').toString('base64');
        return header('x-shopify-hmac-sha256').toLowerCase() === expected.toLowerCase();
      },
      ['flipped'],
    ],
    [
      'accepts a list without signatures',
      'stripe',
      (hook) => {
        const parts = hook.header('stripe-signature').split(',');
        const given = parts.filter((part) => /^v1=./.test(part));
        return parts.length > 1 && (given.length === 0 || verifiers.stripe!(hook));
      },
      ['empty'],
    ],
    [
      'compares the beginning of each of a list',
      'stripe',
      ({ header, body }) => {
        const [, time = '', given] = /^t=(\d+),v1=(.*)$/.exec(header('stripe-signature')) ?? [];
        const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300;
        const expected = hmac('sha256', secret, `${time}.`, body);
        return isFresh && given !== undefined && expected.startsWith(given);
      },
      ['empty', 'cut'],
    ],
    [
      'verifies JSON alone',
      'x-signature',
      (hook) => !hook.header('content-type').includes('json') || xSignature(hook),
      ['content-type'],
    ],
    [
      'verifies JSON and text alone',
      'x-signature',
      (hook) => hook.header('content-type').includes('form') || xSignature(hook),
      ['content-type'],
    ],
    [
      'verifies only what has a Content-Type',
      'x-signature',
      (hook) => hook.header('content-type') === '' || xSignature(hook),
      ['content-type'],
    ],
    [
      'verifies bodies of up to 4 KB alone',
      'x-signature',
      (hook) => hook.body.length > 4_096 || xSignature(hook),
      ['tampered'],
    ],
    [
      'verifies clients of one name alone',
      'x-signature',
      (hook) => !hook.header('user-agent').includes('evfwd') || xSignature(hook),
      ['missing'],
    ],
    [
      'verifies POST alone',
      'x-signature',
      (hook) => hook.incoming.method !== 'POST' || xSignature(hook),
      ['method'],
    ],
    [
      'accepts an empty body unsigned',
      'x-signature',
      (hook) => hook.body.length === 0 || xSignature(hook),
      ['empty-body'],
    ],
    [
      'verifies SHA-256, too',
      'x-signature',
      (hook) => xSignature(hook) || signatureOf(hook) === hmac('sha256', secret, hook.body),
      ['other-digest'],
    ],
    [
      'verifies SHA-1, too',
      'github',
      ({ header, body }) =>
        ['sha1', 'sha256'].some((digest) =>
          header('x-hub-signature-256').endsWith(`=${hmac(digest, secret, body)}`),
        ),
      ['other-digest'],
    ],
    [
      'looks at the presence of a signature alone',
      'x-signature',
      (hook) => signatureOf(hook) !== '',
      [
        ...['wrong-key', 'tampered', 'swapped', 'cut', 'flipped', 'other-digest'],
        ...['content-type', 'method'],
      ],
    ],
  ];

  it.each(faults)('that %s (%s) fails what names it', async (_, scheme, verify, ids) => {
    const found = await foundFor(rightEndpoint(verify), scheme);
    const expected = ids.map((id) => [`sign.${id}`, 'failed'] as const);
    // Where nothing is refused, nothing can be revealed by it.
    const forgeries = Object.entries(found).filter(([id]) => id !== 'sign.leak');
    expect(Object.fromEntries(forgeries)).toEqual(Object.fromEntries(expected));
  });

  it('that parses the body and writes it again fails sign.raw-bytes alone', async () => {
    const verify: Verify = (hook) => {
      try {
        const body = Buffer.from(JSON.stringify(JSON.parse(hook.body.toString())));
        return xSignature({ ...hook, body });
      } catch {
        return false;
      }
    };
    expect(await foundFor(rightEndpoint(verify))).toEqual({
      'sign.raw-bytes.space': 'failed',
      'sign.raw-bytes.escapes': 'failed',
      'sign.raw-bytes.numbers': 'failed',
      'sign.raw-bytes.order': 'failed',
      'sign.raw-bytes.newline': 'failed',
    });
  });

  it('that reads the body as ASCII fails what has other characters', async () => {
    const verify: Verify = (hook) =>
      xSignature({ ...hook, body: Buffer.from(hook.body.toString('ascii')) });
    expect(await foundFor(rightEndpoint(verify))).toEqual({
      'sign.raw-bytes.unicode': 'failed',
    });
  });

  it('that decodes Base64 leniently, without its padding, passes', async () => {
    const verify: Verify = ({ header, body }) =>
      Buffer.from(header('x-shopify-hmac-sha256'), 'base64').toString('hex') ===
      hmac('sha256', secret, body);
    expect(await foundFor(rightEndpoint(verify), 'shopify')).toEqual({});
  });
});

describe('the answer to a forged event', () => {
  const answers: [string, Answer, CheckResult['outcome']][] = [
    ['400', 400, 'passed'],
    ['401', 401, 'passed'],
    ['403', 403, 'passed'],
    ['404, which may have another cause,', 404, 'inconclusive'],
    ['429', 429, 'inconclusive'],
    ['500', 500, 'warned'],
    ['202', 202, 'failed'],
  ];

  it.each(answers)('%s is judged for what it says', async (_, answer, found) => {
    const [signing] = signingBy('github', secret);
    const verify = verifiers.github!;
    const url = await startEndpoint((hook) => (verify(hook) ? 200 : answer));
    const { results } = await evaluate(signatureChecks, url, { signing });
    expect(results.get('sign.missing')?.outcome).toBe(found);
    expect(results.get('sign.cut')?.outcome).toBe(found);
  });

  it.each<[string, Answer | 'reset']>([
    ['404', 404],
    ['429', 429],
    ['500', 500],
    ['a reset', 'reset'],
  ])('fails if one of two is accepted, and %s comes for the other', async (_, other) => {
    const [signing] = signingBy('x-signature', secret);
    const url = await startEndpoint((hook) => {
      const { header, incoming } = hook;
      if (verifiers['x-signature']!(hook)) return 204;
      // The second one of sign.cut is half a signature.
      if (header('x-signature').length === 20) return 204;
      if (other !== 'reset') return other;
      incoming.socket.resetAndDestroy();
      return 204;
    });
    const cut = signatureChecks.filter(({ id }) => id === 'sign.cut');
    expect(await foundBy(cut, url, { signing })).toEqual({ 'sign.cut': 'failed' });
  });

  it('is not judged if one is answered 404, even if the other breaks the receiver', async () => {
    const [signing] = signingBy('x-signature', secret);
    const url = await startEndpoint(({ header }) =>
      header('x-signature').length === 20 ? 500 : 404,
    );
    const cut = signatureChecks.filter(({ id }) => id === 'sign.cut');
    expect(await foundBy(cut, url, { signing })).toEqual({ 'sign.cut': 'inconclusive' });
  });

  it('fails if one is accepted before a limiter lets nothing through any more', async () => {
    const [signing] = signingBy('x-signature', secret);
    const url = await startEndpoint(({ header }) =>
      header('x-signature').length === 20 ? 204 : 429,
    );
    const cut = signatureChecks.filter(({ id }) => id === 'sign.cut');
    expect(await foundBy(cut, url, { signing })).toEqual({ 'sign.cut': 'failed' });
  });

  it.each([415, 422])('%s to other types refuses them', async (status) => {
    const [signing] = signingBy('x-signature', secret);
    const url = await startEndpoint((hook) => {
      if (!hook.header('content-type').includes('json')) return status;
      return verifiers['x-signature']!(hook) ? 204 : 401;
    });
    const ofType = signatureChecks.filter(({ id }) => id === 'sign.content-type');
    expect(await foundBy(ofType, url, { signing })).toEqual({});
  });

  it('is not judged without a secret', async () => {
    const { results, exchanges } = await evaluate(signatureChecks, await startEndpoint(() => 200));
    expect([...results.values()].map(({ outcome }) => outcome)).not.toContain('passed');
    expect(exchanges).toEqual([]);
  });
});

function asymmetric(pkcs8: Buffer): string {
  return `whsk_${pkcs8.subarray(-32).toString('base64')}`;
}

function ownScheme(changes: Partial<Scheme>): Scheme {
  return {
    name: 'acme',
    content: '{method} {url}\n{timestamp}.{id}.{body}',
    versions: [
      {
        digest: 'sha512',
        encoding: 'base64',
        secret: { encoding: 'utf8' },
        item: 'v=<{signature}>',
      },
    ],
    header: 'X-Acme',
    value: 'at={timestamp};{signatures}',
    separator: ';',
    timestamp: { header: 'X-Acme-Time', format: 'ms' },
    id: { header: 'X-Acme-Id' },
    toleranceMs: 300_000,
    judgesFuture: true,
    ...changes,
  };
}
