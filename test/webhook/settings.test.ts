import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import type { WebhookDestinationOptions } from '../../src/webhook/options.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import type { Endpoint } from '../../src/webhook/endpoint.js';
import { checkEndpoints, checkHeaders } from '../../src/webhook/settings.js';

const url = 'https://example.com/hook';

function refusal(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  return 'taken';
}

const endpoints = (count: number): Endpoint[] => Array.from({ length: count }, () => ({ url }));
const headers = (count: number) =>
  Array.from({ length: count }, (_, i): [string, string] => [`X-${i}`, 'SECRET']);

describe('the endpoints of a destination', () => {
  it.each([1, 2, 5])('may be %i', (count) => {
    expect(refusal(() => checkEndpoints(endpoints(count), '--url'))).toBe('taken');
  });

  it.each([0, 6, 100])('may not be %i', (count) => {
    expect(refusal(() => checkEndpoints(endpoints(count), '--url'))).toMatch(
      `--url: expected 1 to 5 URLs, not ${count}`,
    );
  });

  it('are all checked, the last one too', () => {
    const last = { url: 'localhost:3000/hook?key=SECRET' };
    const message = refusal(() => checkEndpoints([...endpoints(4), last], '--url'));
    expect(message).toMatch(/^--url, number 5: not a valid http/);
    expect(message).not.toContain('SECRET');
  });

  it('have their headers checked', () => {
    const bad = { url, headers: { 'X-Signature': 'SECRET' } };
    const message = refusal(() => checkEndpoints([{ url }, bad], 'profile "staging"'));
    expect(message).toMatch(/^profile "staging": the header X-Signature/);
    expect(message).not.toContain('SECRET');
  });
});

describe('static headers', () => {
  const check = (name: string, value = 'SECRET'): string => {
    const message = refusal(() => checkHeaders([[name, value]], '-H'));
    expect(message).not.toContain('SECRET');
    expect(message).not.toContain('\n');
    return message;
  };

  it.each([0, 1, 5])('may be %i', (count) => {
    expect(refusal(() => checkHeaders(headers(count), '-H'))).toBe('taken');
  });

  it.each([6, 50])('may not be %i', (count) => {
    const message = refusal(() => checkHeaders(headers(count), '-H'));
    expect(message).toBe(`-H: at most 5 headers, not ${count}`);
  });

  it.each([
    ...['User-Agent', 'Content-Type', 'X-Signature', 'Content-Length'],
    ...[
      'Connection',
      'Keep-Alive',
      'Proxy-Authenticate',
      'Proxy-Authorization',
      'Proxy-Connection',
    ],
    ...['TE', 'Trailer', 'Trailers', 'Transfer-Encoding', 'Upgrade', 'Expect', 'HTTP2-Settings'],
  ])('may not be %s, in any case of its letters', (name) => {
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(check(spelled)).toBe(
        `-H: the header ${spelled} is set by evfwd and cannot be replaced`,
      );
    }
  });

  it.each([
    'X-Team',
    'Authorization',
    'Cookie',
    'Host',
    'Accept',
    'x_y',
    'X-Signature-2',
    "!#$%&'*+-.^_`|~",
  ])('may be %s', (name) => {
    expect(check(name)).toBe('taken');
  });

  it.each([
    '',
    ' ',
    'X Team',
    'X-Team:',
    'X-Té',
    'X\r\nY',
    'X\0',
    'Bearer SECRET',
    '(x)',
    '"x"',
    'a/b',
    'é',
  ])('may not have the name %j, which is not repeated', (name) => {
    expect(check(name)).toMatch(/^-H: a header must be 'Name: value'/);
  });

  it.each(['', 'a b', 'tab\tbed', 'Bearer a.b-c_d==', 'caf\u00e9', '"quoted"', '\u00ff'])(
    'may have the value %j',
    (value) => {
      expect(check('X-Team', value)).toBe('taken');
    },
  );

  it.each([
    'SECRET\r\nX-Evil: 1',
    'SECRET\n',
    '\rSECRET',
    'SECRET\0',
    'SECRET\u007f',
    'SECRET\u20ac',
    '\u2028SECRET',
  ])('may not have the value %j, which is not shown', (value) => {
    expect(check('X-Team', value)).toMatch(/^-H: the value of the header X-Team/);
  });
});

describe('a destination', () => {
  const make = (options: Partial<WebhookDestinationOptions>): string =>
    refusal(() => new WebhookDestination({ endpoints: [{ url }], ...options }));

  it.each<[string, Partial<WebhookDestinationOptions>, string]>([
    ['without endpoints', { endpoints: [] }, 'endpoints: expected 1 to 5 URLs, not 0'],
    ['with an empty secret', { sharedSecret: '' }, 'sharedSecret is empty'],
    ['with an empty key', { sharedSecret: new Uint8Array() }, 'sharedSecret is empty'],
    ['that may send nothing at once', { concurrency: 0 }, 'concurrency must be'],
    ['with half a connection', { concurrency: 1.5 }, 'concurrency must be'],
    ['with a timeout that is no number', { timeoutMs: NaN }, 'timeoutMs must be'],
    ['with a timeout before it starts', { timeoutMs: -1 }, 'timeoutMs must be'],
    ['with an endless window', { retryWindowMs: Infinity }, 'retryWindowMs must be'],
    ['without waits', { retryDelaysMs: [] }, 'retryDelaysMs must'],
    ['with a wait that is no number', { retryDelaysMs: [1, NaN] }, 'retryDelaysMs must'],
  ])('%s is refused', (_title, options, message) => {
    expect(make(options)).toContain(message);
  });

  it.each<[string, object | null, string]>([
    [
      'mistyped',
      { sharedSecrt: 'SECRET' },
      'unknown option "sharedSecrt"; did you mean sharedSecret?',
    ],
    [
      'of the program alone',
      { returnsRetries: true },
      'unknown option "returnsRetries"; use one of ',
    ],
    ['of another class', { flushAt: 1 }, 'unknown option "flushAt"; use one of '],
    [
      'with a body form that does not exist',
      { body: 'raw' },
      'body: "raw" must be webhook or original',
    ],
    ['that is not text', { body: 7 }, 'body: the value must be webhook or original'],
  ])('with an option %s is refused', (_title, options, message) => {
    const error = make(options as Partial<WebhookDestinationOptions>);
    expect(error).toContain(message);
    expect(error).not.toContain('SECRET');
  });

  it('with an unknown member of an endpoint is refused', () => {
    const endpoints = [{ url, header: { 'X-Team': 'growth' } }];
    expect(make({ endpoints })).toBe('unknown option "header"; did you mean headers?');
  });

  it('needs options', () => {
    const none = undefined as unknown as WebhookDestinationOptions;
    expect(refusal(() => new WebhookDestination(none))).toBe('the options must be an object');
  });

  it('shows its URLs without what may be secret', () => {
    const secrets = [{ url: `${url}?key=SECRET#SECRET` }, { url: 'http://localhost:1' }];
    expect(new WebhookDestination({ endpoints: secrets }).urls).toEqual([
      url,
      'http://localhost:1/',
    ]);
  });
});
