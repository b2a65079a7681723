import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixCode } from '../../../src/check/fixes/handler.js';
import { fixInputOf, type FixInput } from '../../../src/check/fixes/input.js';
import { frameworks, type Framework, languageOf } from '../../../src/check/fixes/frameworks.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { batched } from '../../../src/check/senders/batched.js';
import { senderOf } from '../../../src/check/senders/index.js';
import { headerNamesOf, presets } from '../../../src/sign/schemes/index.js';
import { undefinedInJs, undefinedInPython } from './undefined-names.js';
import { asymmetricCases, sharedCases, type Case } from './receivers/cases.js';

const usual = fixInputOf({ sender: analytics });

function inputOf({ scheme, secrets }: Case): FixInput {
  return fixInputOf({ signing: { scheme, secrets }, sender: senderOf(scheme) });
}

const fixes = [...sharedCases, ...asymmetricCases].flatMap((one) =>
  frameworks.map((framework) => {
    const { isAsymmetric } = inputOf(one);
    const scheme = `${one.scheme.name}${isAsymmetric ? ' with ed25519' : ''}`;
    return { ...one, framework, scheme, code: fixCode(undefined, framework, inputOf(one)) };
  }),
);

describe('the handler in each framework for each scheme', () => {
  it('has nothing left of its template', () => {
    const left = fixes.filter(({ code }) => /\{\{\w|\w\}\}(?!\))|#(?:if|else|end)\b|\0/.test(code));
    expect(left.map(({ scheme, framework }) => `${scheme} ${framework}`)).toEqual([]);
  });

  it('names the header of its scheme, and no header of another one', () => {
    for (const { scheme, framework, code, name } of fixes) {
      const own = [...sharedCases, ...asymmetricCases].find((one) => one.name === name)!;
      const shown = { ...own.scheme, aliases: [] };
      const at = `${scheme} ${framework}`;
      expect(code, at).toContain(own.scheme.header);
      const others = [...presets.values()]
        .flatMap(headerNamesOf)
        .filter((header) => !headerNamesOf(shown).includes(header));
      const named = code
        .toLowerCase()
        .match(/["'][\w-]+["']/g)!
        .map((text) => text.slice(1, -1));
      expect(
        others.filter((header) => named.includes(header)),
        at,
      ).toEqual([]);
    }
  });

  it('verifies, and answers 401, before it parses', () => {
    for (const { framework, code } of fixes) {
      const verified = /(?:401|unauthorized)/i.exec(code)!.index;
      expect(code.search(/JSON\.parse|json\.loads|json\.Valid|json_decode/)).toBeGreaterThan(
        framework === 'FastAPI' ? 0 : verified,
      );
    }
  });

  it('has 40 to 140 lines of at most 120 columns, without spaces at their ends', () => {
    for (const { scheme, framework, code } of fixes) {
      if (scheme === 'odd') continue;
      const lines = code.split('\n');
      const at = `${scheme} ${framework}`;
      expect(lines.length, at).toBeLessThanOrEqual(140);
      expect(
        lines.filter((line) => line.length > 120 || /\s$/.test(line)),
        at,
      ).toEqual([]);
    }
  });
});

describe('the id of an event', () => {
  const codeFor = (framework: Framework, id: FixInput['id']): string =>
    fixCode(undefined, framework, { ...usual, id });

  it.each([
    ['Express', `header('X-Id')`],
    ['Next.js', `header('X-Id')`],
    ['Fastify', `header('X-Id')`],
    ['FastAPI', 'event_id = request.headers.get("X-Id")'],
    ['Flask', 'event_id = request.headers.get("X-Id")'],
    ['Go', 'id := r.Header.Get("X-Id")'],
    ['Rails', 'id = request.headers["X-Id"]'],
    ['Laravel', `$id = $request->header('X-Id');`],
  ] as const)('comes from a header in %s', (framework, text) => {
    const code = codeFor(framework, { header: 'X-Id' });
    expect(code).toContain(text);
    expect(code).not.toContain('messageId');
  });

  it.each([
    ['Express', `event?.['0']?.['it\\'s']?.id`],
    ['FastAPI', `for name in [0, "it's", "id"]:`],
    ['Go', `idOf(body, "0", "it's", "id")`],
    ['Rails', `event.dig(0, "it's", "id")`],
    ['Laravel', `$event[0]['it\\'s']['id'] ?? null`],
  ] as const)('comes from a path in %s', (framework, text) => {
    expect(codeFor(framework, { path: ['0', "it's", 'id'] })).toContain(text);
  });
});

const inBatches = fixInputOf({ sender: batched(undefined) });

describe('arrays of events', () => {
  it.each([
    ['Express', 'for (const one of fresh) handle(one)'],
    ['Next.js', 'for (const one of fresh) after(() => handle(one));'],
    ['Fastify', 'for (const one of fresh) handle(one)'],
    ['FastAPI', 'for one in event:'],
    ['Flask', 'for one in event:'],
    ['Go', 'idOf(event, "messageId")'],
    ['Rails', 'one.dig("messageId")'],
    ['Laravel', "$one['messageId'] ?? null"],
  ] as const)('are handled element by element in %s', (framework, text) => {
    expect(fixCode(undefined, framework, inBatches)).toContain(text);
    expect(fixCode(undefined, framework, usual)).not.toContain(text);
  });

  it('have no place for the id in a header, which is one for the whole request', () => {
    const sender = { ...batched(undefined), id: { header: 'X-Id' } };
    expect(fixInputOf({ sender })).toMatchObject({ isBatch: false, id: sender.id });
  });
});

describe('a handshake', () => {
  it.each(frameworks)('stands behind the verification in %s', (framework) => {
    const challenge = fixCode(undefined, framework, { ...usual, handshake: 'challenge' });
    expect(challenge.search(/challenge/i)).toBeGreaterThan(challenge.search(/401|unauthorized/i));
    expect(fixCode(undefined, framework, { ...usual, handshake: 'zoom' })).toContain(
      'endpoint.url_validation',
    );
    expect(fixCode(undefined, framework, usual)).not.toMatch(/challenge|url_validation/i);
  });
});

describe('the names in each fix', () => {
  const all = [
    ...fixes.map(({ framework, code }) => ({ framework, code })),
    ...frameworks.map((framework) => ({
      framework,
      code: fixCode(undefined, framework, inBatches),
    })),
    ...frameworks.flatMap((framework) =>
      (['challenge', 'zoom'] as const).map((handshake) => ({
        framework,
        code: fixCode(undefined, framework, { ...usual, handshake, hasForms: true }),
      })),
    ),
  ];
  const codesOf = (language: string): string[] =>
    all.filter(({ framework }) => languageOf(framework) === language).map(({ code }) => code);

  it('are defined in JavaScript', () => {
    expect(codesOf('js').flatMap(undefinedInJs)).toEqual([]);
  });

  it('are defined in Python', ({ skip }) => {
    const found = undefinedInPython(codesOf('python')) ?? skip('no python3 on this machine');
    expect(found).toEqual([]);
  });
});

it('has a file for each framework, and two verifications for each language', () => {
  const names = readdirSync(new URL('../../../fixes/', import.meta.url)).sort();
  expect(names).toEqual(
    [
      'express.js',
      'fastapi.py',
      'fastify.js',
      'flask.py',
      'go.go',
      'laravel.php',
      'nextjs.js',
    ].concat(['rails.rb', 'snippets', 'verify']),
  );
});
