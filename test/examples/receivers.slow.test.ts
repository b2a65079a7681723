import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEndpoint } from '../../src/check/check-endpoint.js';
import type { EndpointReport } from '../../src/check/options.js';
import { missingFor, receivers, startReceiver } from './start-receiver.js';

/** A secret that each scheme reads in its own way. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const accepts = (...kinds: string[]) => kinds.map((kind) => `accept.${kind}`);
const signs = (...names: string[]) => names.map((name) => `sign.${name}`);
const rawBytes = (...names: string[]) => names.map((name) => `sign.raw-bytes.${name}`);

/** Compared with promises, 500 for what is forged, … */
const forgeries = ['wrong-key', 'tampered', 'swapped', 'cut', 'flipped', 'other-digest'];

/** What is found in each wrong receiver, the slow ones first. */
const faults: Readonly<Record<string, readonly string[]>> = {
  'fastapi/standard-webhooks-wrong.py': ['answer.deadline', 'answer.quick', 'load.parallel'],
  'fastify/standard-webhooks-wrong.js': ['answer.quick'],
  'express/github-wrong.js': ['tolerate.unknown-event'],
  'express/standard-webhooks-wrong.js': ['dup.again', 'dup.parallel'],
  'express/stripe-wrong.js': rawBytes('space', 'escapes', 'numbers', 'order', 'newline'),
  'express/x-signature-wrong.js': ['sign.cut'],
  'fastapi/github-wrong.py': [...rawBytes('space', 'escapes', 'numbers', 'unicode', 'newline')],
  'fastapi/stripe-wrong.py': ['tolerate.unknown-member'],
  'fastify/github-wrong.js': signs('missing', 'empty'),
  'fastify/stripe-wrong.js': ['time.old'],
  'flask/github-wrong.py': ['tolerate.unknown-event'],
  'flask/standard-webhooks-wrong.py': ['time.old', 'time.future'],
  'flask/stripe-wrong.py': signs('missing', 'empty', 'empty-body', 'leak'),
  'go/github-wrong.go': ['limit.429'],
  'go/standard-webhooks-wrong.go': ['sign.leak'],
  'go/stripe-wrong.go': [
    ...['tolerate.long-string', 'tolerate.32KB', 'http.chunked', 'http.slow-body'],
  ],
  'laravel/github-wrong.php': accepts('ping', 'push', 'pull_request', 'no-redirect'),
  'laravel/standard-webhooks-wrong.php': ['tolerate.unknown-event'],
  'laravel/stripe-wrong.php': ['order.old-after-new'],
  'nextjs/github-wrong.ts': signs(...forgeries, 'empty', 'content-type'),
  'nextjs/standard-webhooks-wrong.ts': ['refuse.bad-json'],
  'nextjs/stripe-wrong.ts': [
    ...signs(...forgeries, 'missing', 'empty', 'content-type', 'empty-body'),
    ...['time.old', 'time.unsigned', 'refuse.bad-json', 'refuse.empty'],
  ],
  'rails/github-wrong.rb': accepts('ping', 'push', 'issues', 'pull_request'),
  'rails/standard-webhooks-wrong.rb': ['time.future'],
  'rails/stripe-wrong.rb': rawBytes('space', 'escapes', 'numbers', 'unicode', 'newline'),
};

const right = readdirSync(receivers, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.includes('/') && !path.includes('-wrong.') && !path.includes('__'))
  .sort();

function skippedFor(path: string): readonly string[] {
  return [
    // It takes 20 s.
    'http.idle',
    // PHP's own server closes each connection.
    ...(path.startsWith('laravel/') ? ['http.keep-alive'] : []),
    // A machine that is busy with other tests makes each of them slow.
    ...(faults[path]?.includes('answer.quick') ? [] : ['answer.quick']),
  ];
}

const missing = new Map(
  readdirSync(receivers).map((framework) => [framework, missingFor(framework)]),
);

for (const [framework, needs] of missing) {
  if (needs === undefined) continue;
  process.stdout.write(`${needs} cannot be run, so the receivers for ${framework} are skipped\n`);
}

/** Why a receiver cannot run here; where nothing may be skipped it is tried, and fails. */
function reasonToSkip(path: string): string | undefined {
  if (process.env.CI_REQUIRES_TOOLS === '1') return undefined;
  const needs = missing.get(path.slice(0, path.indexOf('/')));
  return needs === undefined ? undefined : `needs ${needs}`;
}

let running = 0;
const waiting: (() => void)[] = [];

/** Two at once: more would make each other slow. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running === 2) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

async function reportOf(path: string): Promise<EndpointReport> {
  return inTurn(async () => {
    const { url, stop } = await startReceiver(path, secret);
    try {
      const scheme = /\/([a-z-]+?)(?:-wrong)?\.\w+$/.exec(path)![1]!;
      // Faster than by default, and with the same findings.
      return await checkEndpoint(url, { secret, scheme, skip: skippedFor(path), rate: 100 });
    } finally {
      await stop();
    }
  });
}

function foundIn({ checks }: EndpointReport): string[] {
  return checks
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id }) => id)
    .sort();
}

const timeout = 300_000;

describe.concurrent('a wrong receiver has its fault alone', () => {
  it.for(Object.entries(faults))('%s', { timeout }, async ([path, fault], { expect, skip }) => {
    const reason = reasonToSkip(path);
    if (reason !== undefined) skip(reason);
    expect(foundIn(await reportOf(path))).toEqual([...fault].sort());
  });
});

describe.concurrent('a right receiver passes', () => {
  it.for(right)('%s', { timeout }, async (path, { expect, skip }) => {
    const reason = reasonToSkip(path);
    if (reason !== undefined) skip(reason);
    const report = await reportOf(path);
    expect(foundIn(report)).toEqual([]);
    expect(report.score).toBe(100);
  });
});

describe('the table of the receivers', () => {
  const readme = readFileSync(join(receivers, 'README.md'), 'utf8');
  const rows = new Map(
    [...readme.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) +\|[^|]*\|([^|]*)\|$/gm)].map(
      ([, , path, ids]) => [path!, [...ids!.matchAll(/`([^`]+)`/g)].map(([, id]) => id!)],
    ),
  );

  it('has each wrong one, and each has a right one', () => {
    expect([...rows.keys()].sort()).toEqual(Object.keys(faults).sort());
    expect(right).toEqual(
      Object.keys(faults)
        .map((path) => path.replace('-wrong.', '.'))
        .sort(),
    );
  });

  it('names what is found', () => {
    const covers = (name: string, id: string) => id === name || id.startsWith(`${name}.`);
    for (const [path, names] of rows) {
      const ids = faults[path]!;
      expect([path, ids.filter((id) => !names.some((name) => covers(name, id)))]).toEqual([
        path,
        [],
      ]);
      expect([path, names.filter((name) => !ids.some((id) => covers(name, id)))]).toEqual([
        path,
        [],
      ]);
    }
  });

  it('has a file for each row that says the same in its first comment', () => {
    for (const path of Object.keys(faults)) {
      expect(readFileSync(join(receivers, path), 'utf8')).toMatch(/^(<\?php\n\n)?(\/\/|#) Wrong: /);
    }
  });
});
