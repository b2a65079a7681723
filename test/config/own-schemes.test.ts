import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadProfile } from '../../src/config/file.js';
import { findScheme, ownSchemes } from '../../src/config/own-schemes.js';
import { UsageError } from '../../src/errors.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import { folderWith } from '../helpers/folder.js';
import { nowMs, signedBy, verdictOf } from '../sign/schemes/signing.js';

const documented = `schemes:
  acme:
    content: '{timestamp}.{body}'
    digest: sha256
    encoding: hex
    secret: { prefix: whsec_, encoding: base64 }
    header: X-Acme-Signature
    value: 't={timestamp},v1={signature}'
    separator: ','
    timestamp: { header: X-Acme-Time, format: seconds }
    id: { header: X-Acme-Id }
    tolerance: 5m
`;

const name = 'evfwd.config.yaml';

function contextOf(text: string) {
  const folder = folderWith({ [name]: text });
  return { cwd: folder, home: folder, env: {} };
}

/** The scheme `acme` with these lines in place of those of the example, or without them. */
function acme(changes: Record<string, string | undefined> = {}): string {
  const lines = documented.trimEnd().split('\n').slice(2);
  const settings = new Map(lines.map((line) => line.trim().split(/: (.*)/, 2) as [string, string]));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) settings.delete(key);
    else settings.set(key, value);
  }
  const text = [...settings].map(([key, value]) => `    ${key}: ${value}\n`);
  return `schemes:\n  acme:\n${text.join('')}`;
}

async function read(text: string): Promise<Scheme> {
  const [scheme] = await ownSchemes(contextOf(text));
  return scheme!;
}

describe('an own scheme', () => {
  it('is a frozen record', async () => {
    const scheme = await read(documented);
    expect(scheme).toEqual({
      name: 'acme',
      content: '{timestamp}.{body}',
      versions: [
        {
          digest: 'sha256',
          encoding: 'hex',
          secret: { prefix: 'whsec_', encoding: 'base64' },
          item: 'v1={signature}',
        },
      ],
      header: 'X-Acme-Signature',
      value: 't={timestamp},{signatures}',
      separator: ',',
      timestamp: { header: 'X-Acme-Time', format: 'seconds' },
      id: { header: 'X-Acme-Id' },
      toleranceMs: 300_000,
      judgesFuture: true,
    });
    expect(Object.isFrozen(scheme.versions[0])).toBe(true);
  });

  it('signs, verifies and takes part in auto', async () => {
    const scheme = await read(documented);
    const { headers } = signedBy(scheme);
    expect(verdictOf(headers, { own: [scheme] })).toMatchObject({ valid: true, scheme: 'acme' });
    const reasonAt = (at: number) => verdictOf(headers, { scheme, at }).reason;
    expect(reasonAt(nowMs + 301_000)).toBe('expired');
    expect(reasonAt(nowMs - 301_000)).toBe('future');
  });

  it('without a tolerance has no time that is too old', async () => {
    const scheme = await read(acme({ tolerance: undefined }));
    const { headers } = signedBy(scheme);
    expect(verdictOf(headers, { scheme, at: nowMs * 2 }).valid).toBe(true);
  });

  it('needs little', async () => {
    const text =
      "schemes: { acme: { content: '{body}', digest: sha256, encoding: hex, header: X-Signature } }";
    expect(signedBy(await read(text)).headers).toEqual([
      'X-Signature',
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });

  it.each([
    ["'sha256={signature}'", undefined, /^sha256=[0-9a-f]{64}$/],
    ["'{timestamp}:{signature}'", undefined, /^\d{10}:[0-9a-f]{64}$/],
    ["'{signature}'", "' '", /^[0-9a-f]{64}$/],
    ["'time {timestamp}; sig {signature}'", "'; '", /^time \d{10}; sig [0-9a-f]{64}$/],
    ["'<{signature}>'", "','", /^<[0-9a-f]{64}>$/],
  ])('may have the value %s with the separator %s', async (value, separator, form) => {
    const scheme = await read(acme({ value, separator }));
    const { headers } = signedBy(scheme);
    expect(headers[1]).toMatch(form);
    expect(verdictOf(headers, { scheme }).valid).toBe(true);
  });
});

it.each(['whpk_', 'whsk_'])('secrets of an HMAC cannot begin with %s', async (prefix) => {
  const text = acme({ secret: `{ prefix: ${prefix} }` });
  await expect(ownSchemes(contextOf(text))).rejects.toThrow(
    'schemes.acme.secret.prefix is that of an ed25519 key',
  );
});

describe('where own schemes come from', () => {
  it('nowhere without a file', async () => {
    const folder = folderWith();
    const env = { XDG_CONFIG_HOME: folder };
    // The folders above a temporary one have no configuration file either.
    expect(await ownSchemes({ cwd: folder, home: folder, env })).toEqual([]);
  });

  it('a file that was named must be there', async () => {
    const folder = folderWith();
    const context = { path: 'none.yaml', cwd: folder, home: folder, env: {} };
    await expect(ownSchemes(context)).rejects.toThrow('cannot read the configuration file');
  });

  it.each(['github', 'x-signature'])(
    'a file that has a scheme %s is refused for any',
    async (name) => {
      const context = contextOf(acme({}).replace('acme:', `${name}:`));
      for (const asked of ['stripe', name, 'acme']) {
        await expect(findScheme(asked, context, '--scheme')).rejects.toThrow(
          `schemes.${name} is the name of a preset; choose another name`,
        );
      }
    },
  );

  it('a preset is found without parsing a file that has no schemes', async () => {
    const context = contextOf('not: [valid');
    expect(await findScheme('stripe', context, '--scheme')).toBe(presets.get('stripe'));
    await expect(findScheme('acme', context, '--scheme')).rejects.toThrow('not valid YAML');
  });

  it('an unknown name is an error that has the nearest one', async () => {
    await expect(findScheme('acne', contextOf(documented), '--scheme')).rejects.toThrow(
      '--scheme: there is no signature scheme "acne" (Did you mean acme?); expected one of x-signature, ',
    );
  });

  it('they are checked when a profile is read', async () => {
    const text = `${acme({ value: 'no' })}profiles: { a: { timeout: 5s } }\n`;
    await expect(loadProfile({ ...contextOf(text), profile: 'a' })).rejects.toThrow(
      'schemes.acme.value has no {signature}',
    );
  });
});

describe('an error in an own scheme has file, line and key', () => {
  it.each([
    [
      'content',
      "'{timestamp}.{boddy}'",
      3,
      'content has an unknown placeholder {boddy} (did you mean {body}?); expected one of {body}, {time',
    ],
    ['content', '${HOST}.{body}', 3, 'content has an unknown placeholder {HOST}; expected'],
    ['content', "'{signature}'", 3, 'content has an unknown placeholder'],
    ['content', "'{timestamp}.{id}'", 3, 'content has no {body}; add it'],
    ['content', "'{body}'", 3, 'content has no {timestamp}, so the tolerance'],
    ['digest', 'md5', 4, 'digest must be sha1, sha256, sha512 or ed25519'],
    ['encoding', 'base32', 5, 'encoding must be hex or base64'],
    ['secret', '{ encoding: hex }', 6, 'secret.encoding must be utf8 or base64'],
    ['header', 'Content-Type', 7, 'header is a header of HTTP or of evfwd'],
    ['header', 'User-Agent', 7, 'header is a header of HTTP or of evfwd'],
    ['header', 'host', 7, 'header is a header of HTTP or of evfwd'],
    ['header', '"X Acme"', 7, 'header is not a name of a header'],
    ['header', 'X-Acme-Id', 11, 'id.header is used twice in this scheme'],
    ['value', "'t={timestamp}'", 8, 'value has no {signature}; add it'],
    ['value', "'{signature},{signature}'", 8, 'value has a placeholder twice'],
    [
      'value',
      "'{signatures}'",
      8,
      'value has an unknown placeholder {signatures} (did you mean {signature}?)',
    ],
    ['value', "'{id},{signature}'", 8, 'value has an unknown placeholder'],
    ['value', "' {signature}'", 8, 'value has space around it'],
    ['value', '"{signature}\\r\\nX: y"', 8, 'value must be ASCII, in one line'],
    ['value', "'{timestamp}{signature}'", 8, 'value cannot be taken apart again'],
    ['separator', '"a"', 9, 'separator must not have letters, digits or braces'],
    ['separator', '"ü"', 9, 'separator must be ASCII, in one line'],
    ['timestamp', '{ format: hours }', 10, 'timestamp.format must be seconds, ms or iso'],
    ['id', '{ header: Cookie }', 11, 'id.header is a header of HTTP or of evfwd'],
    ['id', '{ name: X-Id }', 11, 'id.name is not a known key'],
    ['tolerance', '5', 12, 'tolerance must be a duration'],
    ['tolerance', 'soon', 12, 'tolerance must be a duration'],
    ['tolerance', '${TOLERANCE}', 12, 'tolerance cannot come from the environment'],
    ['colour', 'red', 13, 'colour is not a known key'],
  ])('%s: %s', async (key, value, line, message) => {
    const context = contextOf(acme({ [key]: value }));
    const reading = ownSchemes(context);
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(
      `${join(context.cwd, name)}:${line}: schemes.acme.${message}`,
    );
  });

  it.each([
    [
      { timestamp: undefined, value: "'{signature}'" },
      'content has {timestamp}, which is not sent',
    ],
    [{ content: "'{id}{body}'", id: undefined }, 'content has {id}, which is not sent'],
    [
      { content: "'{body}'", timestamp: '{ format: ms }', value: "'{signature}'" },
      'timestamp has no header',
    ],
    [
      { content: "'{body}'", timestamp: undefined, value: "'{signature}'" },
      'tolerance needs a time',
    ],
    [{ digest: 'ed25519', secret: '{ encoding: utf8 }' }, 'secret.encoding must be base64'],
    [{ header: undefined }, 'header is missing'],
    [{ content: undefined }, 'content is missing'],
  ])('%j', async (changes, message) => {
    await expect(read(acme(changes))).rejects.toThrow(`schemes.acme.${message}`);
  });

  it.each([
    ['github', 'schemes.github is the name of a preset; choose another name'],
    ['auto', 'schemes.auto cannot be used as a name'],
    ['"a b"', 'schemes.a b cannot be used as a name'],
  ])('the name %s', async (other, message) => {
    await expect(read(documented.replace('acme', other))).rejects.toThrow(message);
  });
});
