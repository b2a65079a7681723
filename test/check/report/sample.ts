import { fixInputOf } from '../../../src/check/fixes/input.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import type { CauseName } from '../../../src/check/causes.js';
import { type Check, passed } from '../../../src/check/check.js';
import type { Exchange } from '../../../src/check/exchange.js';
import type { SnippetName } from '../../../src/check/fix-files.js';
import { type CheckReport, type ReportedResult, summaryOf } from '../../../src/check/result.js';
import type { Level, Verdict } from '../../../src/check/options.js';

/** Text that would break out of each of the formats, and move the cursor of a terminal. */
export const hostile =
  '</script><img src=x onerror=alert(1)> ]]> ```` | `x` \u001b[31mred\u001b[0m \u0000\u0007 \u202eevil\u2066 \ufffe & "q" \'a\' [l](javascript:1) <!-- ';

/** The value of a static header: it must be in no file. */
export const secret = 'Bearer s3cr3t-token';

function checkOf(id: string, level: Level, title: string, snippet?: SnippetName): Check {
  return {
    id,
    level,
    stage: 'parallel',
    title,
    sends: 'a valid event whose body has extra spaces',
    requests: 1,
    passes: '2xx',
    why: 'A receiver that parses the body and writes it again computes the signature of other bytes. It works for months, until an event has an unusual body (GitHub: use the raw payload).',
    fix: 'Compute the signature of the bytes that came, before anything parses them.',
    snippet,
    evaluate: () => Promise.resolve(passed('HTTP 204')),
  };
}

function exchangeOf(status: number | undefined, body = ''): Exchange {
  return {
    checkId: 'x',
    request: {
      method: 'POST',
      url: 'https://hooks.example.com/in/events?key=s3cr3t',
      headers: [['Authorization', secret]],
      body: Buffer.from('{}'),
      isValid: true,
    },
    durationMs: 3.1416,
    ...(status === undefined
      ? { error: 'connection reset', errorCode: 'ECONNRESET' }
      : {
          response: {
            status,
            headers: [
              'Content-Type',
              'application/json',
              'X-Other',
              'left out',
              'Retry-After',
              '5',
            ],
            body: Buffer.from(body),
            bodyEnd: 'complete' as const,
            interim: [],
          },
        }),
  };
}

interface Row {
  readonly id: string;
  readonly level?: Level;
  readonly verdict?: Verdict;
  readonly title?: string;
  readonly message?: string;
  readonly snippet?: SnippetName;
  readonly evidence?: Exchange;
  readonly cause?: CauseName;
}

const command = (authorization: string): string =>
  `curl -g -X POST 'https://hooks.example.com/in/events?key=s3cr3t' -H 'User-Agent: evfwd/0.1.0' -H 'Content-Type: application/json' -H 'Authorization: ${authorization}' -H 'X-Signature: 8f3b2c7d9e0a1b2c3d4e5f60718293a4b5c6d7e8' --data-binary '{"version": 1,\n "type": "track", "text": "it'\\''s -H here"}'`;

export function resultOf({ id, level = 'must', verdict = 'pass', ...row }: Row): ReportedResult {
  const { title = 'Accepts a signed body with extra spaces', snippet } = row;
  const hasCurl = verdict === 'fail' || verdict === 'warn';
  return {
    check: { ...checkOf(id, level, title, snippet), ...(row.cause && { cause: row.cause }) },
    level,
    verdict,
    message: row.message ?? 'HTTP 204',
    durationMs: 12.3456,
    evidence: row.evidence,
    ...(hasCurl && { curl: command(secret), sharedCurl: command('***') }),
  };
}

export function reportOf(rows: readonly Row[], changes: Partial<CheckReport> = {}): CheckReport {
  const results = rows.map(resultOf);
  return {
    url: 'https://hooks.example.com/in/events',
    scheme: 'x-signature',
    fixes: fixInputOf({ sender: analytics }),
    startedAt: Date.UTC(2026, 10, 23, 6, 5, 4),
    durationMs: 12_345,
    results,
    summary: summaryOf(results, true),
    isConclusive: true,
    ...changes,
  };
}

const refused = exchangeOf(401, '{"error":"bad signature",\n "hint":"check the secret"}');

/** A run with every verdict. */
export const usualReport = reportOf([
  {
    id: 'reach.connect',
    title: 'Can be connected to',
    message: 'connected to 127.0.0.1 in 0.4 ms',
  },
  {
    id: 'reach.dual-stack',
    level: 'info',
    verdict: 'info',
    title: 'Answers over IPv4 and IPv6',
    message: 'IPv4 answers; the host has no IPv6 address',
  },
  ...['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'].map((type) => ({
    id: `accept.${type}`,
    title: `Accepts ${type}`,
  })),
  { id: 'sign.missing', title: 'Refuses an event without a signature', message: 'HTTP 401' },
  {
    id: 'sign.raw-bytes.space',
    verdict: 'fail',
    message: 'the event was not accepted: HTTP 401',
    evidence: refused,
  },
  {
    id: 'sign.raw-bytes.numbers',
    verdict: 'fail',
    title: 'Accepts a signed body with numbers like 1.0 and 1e2',
    message: 'the event was not accepted: HTTP 401',
    evidence: refused,
  },
  {
    id: 'sign.rotation',
    level: 'should',
    verdict: 'na',
    title: 'Accepts two secrets while one replaces the other',
    message: 'needs --secret twice: the new secret and the old one',
  },
  ...['old', 'future', 'skew'].map((name) => ({
    id: `time.${name}`,
    verdict: 'na' as const,
    title: 'Refuses an event of an hour ago',
    message: 'x-signature has no time',
  })),
  { id: 'dup.again', title: 'Accepts the same event again' },
  {
    id: 'answer.quick',
    level: 'should',
    verdict: 'warn',
    title: 'Answers 95 % of events within a second',
    message: 'p95 of 20 responses: 1.62 s',
    evidence: exchangeOf(200, 'ok'),
  },
  {
    id: 'refuse.bad-json',
    level: 'should',
    verdict: 'warn',
    title: 'Answers a body that is no JSON with 4xx',
    message: 'no response: connection reset',
    evidence: exchangeOf(undefined),
  },
]);

/** Everything that came from the endpoint is hostile. */
export const hostileReport = reportOf(
  (['fail', 'warn', 'na', 'info', 'pass'] as const).map((verdict, i) => ({
    id: `sign.hostile-${i}`,
    verdict,
    message: hostile,
    evidence: exchangeOf(500, `${hostile}\n${hostile.repeat(20)}\n${'line\n'.repeat(40)}`),
  })),
  { endedEarly: hostile },
);
