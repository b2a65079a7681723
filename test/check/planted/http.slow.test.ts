import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/result.js';
import type { CheckSettings } from '../../../src/check/settings.js';
import { against, check, respond, inconclusiveIn, type Bug } from '../helpers/planted.js';

const accepts = ['alias', 'delete', 'group', 'identify', 'page', 'screen', 'track'];
const acceptsNothing = accepts.map((type) => `fail accept.${type}`);

/** Deals with the requests that fit, before anything is read. */
const at = (
  fits: (request: IncomingMessage) => boolean,
  act: (response: ServerResponse, request: IncomingMessage) => void,
): Bug => ({
  before: (request, response) => {
    if (!fits(request)) return false;
    act(response, request);
    return true;
  },
});

const isMethod = (name: string) => (request: IncomingMessage) => request.method === name;
const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse, request: IncomingMessage): void => {
    request.resume();
    response.writeHead(status, headers).end();
  };

/** Works on one event at a time. */
function oneAtATime(ms: number): Bug {
  let last: Promise<unknown> = Promise.resolve();
  return {
    handle: async () => {
      last = last.then(() => wait(ms));
      await last;
      return 204;
    },
  };
}

/** Allows so many requests at once. */
function limited(most: number, headers: Record<string, string>): Bug {
  let open = 0;
  return {
    before: (request, response) => {
      response.once('close', () => open--);
      if (++open <= most) return false;
      answering(429, headers)(response, request);
      return true;
    },
    handle: async () => {
      await wait(20);
      return 204;
    },
  };
}

/** Closes its socket after so many requests. */
function dies(after: number): Bug {
  let count = 0;
  return {
    before: (_, response, server) => {
      if (++count <= after) return false;
      server.close();
      server.closeAllConnections();
      response.destroy();
      return true;
    },
  };
}

function everyTenth(ms: number): Bug {
  let count = 0;
  return {
    handle: async () => {
      if (count++ % 10 === 7) await wait(ms);
      return 204;
    },
  };
}

type Row = readonly [
  what: string,
  bug: Bug,
  against: readonly string[],
  changes?: Partial<CheckSettings>,
];

const bugs: readonly Row[] = [
  ['redirects', { handle: () => 308 }, [...acceptsNothing, 'fail accept.no-redirect']],
  [
    'redirects one type',
    { handle: ({ type }) => (type === 'page' ? 302 : 204) },
    ['fail accept.no-redirect', 'fail accept.page'],
  ],
  ['is gone', { handle: () => 410 }, acceptsNothing],
  ['always answers 500', { handle: () => 500 }, acceptsNothing],
  [
    'answers after the deadline',
    { handle: () => wait(400, 204) },
    ['fail answer.deadline', 'warn load.parallel'],
    { deadlineMs: 300 },
  ],
  [
    'is late at times',
    everyTenth(400),
    ['fail answer.deadline', 'warn load.parallel'],
    { deadlineMs: 300 },
  ],
  ['answers with 20 KB', { handle: () => [200, 'x'.repeat(20_000)] }, ['warn answer.small']],
  [
    'answers without an end',
    {
      respond: (response, answer) => {
        if (answer !== 204) {
          respond(response, answer);
          return;
        }
        response.writeHead(200);
        const more = (): boolean => response.write('x'.repeat(10_000));
        response.on('drain', more);
        for (let n = 0; n < 3; n++) more();
      },
    },
    ['warn answer.small'],
  ],
  [
    'answers HEAD never',
    at(isMethod('HEAD'), () => undefined),
    ['warn http.head'],
    { deadlineMs: 1_000 },
  ],
  ['answers 500 to GET', at(isMethod('GET'), answering(500)), ['warn http.get']],
  [
    'resets GET and HEAD',
    at(
      (request) => request.method !== 'POST',
      (response) => response.destroy(),
    ),
    ['warn http.get', 'warn http.head'],
  ],
  [
    'closes each connection',
    { respond: (response, answer) => respond(response.setHeader('Connection', 'close'), answer) },
    ['warn http.keep-alive'],
  ],
  [
    'wants a length',
    at((request) => 'transfer-encoding' in request.headers, answering(411)),
    ['warn http.chunked'],
  ],
  [
    'drops chunks',
    at(
      (request) => 'transfer-encoding' in request.headers,
      (response) => response.destroy(),
    ),
    ['warn http.chunked'],
  ],
  [
    'finds no URL with a query',
    at(({ url = '' }) => url.includes('?'), answering(404)),
    ['warn http.query'],
  ],
  [
    'takes whole bodies alone',
    {
      before: (request, response) => {
        let isWhole = false;
        request.once('end', () => (isWhole = true));
        setTimeout(() => {
          if (!isWhole) answering(500)(response, request);
        }, 1_000);
        return undefined;
      },
      respond: (response, answer) => {
        if (!response.headersSent) respond(response, answer);
      },
    },
    ['warn http.slow-body'],
  ],
  [
    'works on one event at a time',
    oneAtATime(20),
    ['fail answer.deadline', 'warn load.parallel'],
    { deadlineMs: 300 },
  ],
  ['limits the rate without Retry-After', limited(10, {}), ['warn limit.429']],
  ['limits the rate', limited(10, { 'Retry-After': '1' }), []],
];

const rows = bugs.map(
  ([what, bug, expected, changes = {}]) => [what, bug, expected, changes] as const,
);

describe.concurrent('a receiver with a bug of HTTP', () => {
  it.each(rows)('%s', async (_, bug, expected, changes) => {
    expect(against(await check(bug, changes)).toSorted()).toEqual([...expected].toSorted());
  });

  it.each([20, 60, 120])('dies after %s requests', async (count) => {
    const report = await check(dies(count));
    expect(against(report)).toEqual([]);
    expect(report.endedEarly).toContain(silent);
    // Of the last requests, load.parallel alone is left open.
    if (count < 100) expect(report.incomplete).toContain(silent);
    expect(inconclusiveIn(report)).toContain('load.parallel');
  });

  it('is judged, though nothing is accepted, where it redirects alone', async () => {
    const isConclusive = async (bug: Bug) => (await check(bug)).isConclusive;
    expect(await isConclusive({ handle: () => 308 })).toBe(true);
    expect(await isConclusive({ handle: () => 410 })).toBe(false);
  });

  it('is not charged with what a dead endpoint leaves open', async () => {
    const { summary }: CheckReport = await check(dies(60));
    expect(summary).toMatchObject({ fail: 0, warn: 0, score: null });
  });
});

const silent =
  'the endpoint stopped responding: five requests in a row had no response, from request ';
