import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { checkEndpointSettings } from '../../src/webhook/check-endpoint.js';
import type { EndpointSettings } from '../../src/webhook/endpoint.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';

function problem(settings: object): string | undefined {
  try {
    checkEndpointSettings(settings, (key, index = -1) => (index < 0 ? key : `${key}[${index}]`));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
}

describe('the settings of an endpoint', () => {
  it.each<[EndpointSettings]>([
    [{}],
    [{ types: ['track', 'delete'], events: ['Order *'], where: [] }],
    [
      {
        types: ['identify'],
        where: ['userId', 'traits.plan=pro', 'traits.age>18', 'traits.age<65'],
      },
    ],
    [{ retryStatus: [400, 403, 410, 599], timeoutMs: 1, concurrency: 1, rate: 0.01 }],
    [{ where: ['total>=5', 'total<=5', '!coupon', 'coupon!=x'] }],
  ])('may be %j', (settings) => {
    expect(problem(settings)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['types must be a list of texts that is not empty', { types: [] }],
    ['events must be a list of texts that is not empty', { events: [] }],
    ['types has "trak", which is not a type; did you mean track? (one of', { types: ['trak'] }],
    ['events can never fit: only track events have a name', { types: ['page'], events: ['Order'] }],
    ['where[1] total>=x: >= compares numbers', { where: ['a', 'total>=x'] }],
    ['where[1] !userId can never hold beside userId=u1', { where: ['userId=u1', '!userId'] }],
    ['where[1] plan=b can never hold beside plan=a', { where: ['plan=a', 'plan=b'] }],
    ['where[1] plan!=a can never hold beside plan=a', { where: ['plan=a', 'plan!=a'] }],
    ['where[1] total<10 can never hold beside total>=10', { where: ['total>=10', 'total<10'] }],
    ['where[1] total<=9 can never hold beside total>9', { where: ['total>9', 'total<=9'] }],
    ['retryStatus must be a list of statuses from 400 to 599', { retryStatus: [204] }],
    ['retryStatus must be a list of statuses from 400 to 599', { retryStatus: [302] }],
    ['retryStatus must be a list of statuses from 400 to 599', { retryStatus: ['403'] }],
    ['timeoutMs must be a number of milliseconds above 0', { timeoutMs: 0 }],
    ['concurrency must be a whole number of at least 1', { concurrency: 0.5 }],
    ['rate must be a number of attempts per second above 0', { rate: 0 }],
  ])('are refused: %s', (message, settings) => {
    expect(problem(settings)).toContain(message);
  });

  it('are options of an endpoint of the library, and checked there', () => {
    const url = 'http://127.0.0.1:9/';
    expect(() => new WebhookDestination({ endpoints: [{ url, types: [] }] })).toThrow(
      'endpoints: types must be a list of texts that is not empty',
    );
    const typo = { url, tpyes: ['track'] };
    expect(() => new WebhookDestination({ endpoints: [typo] })).toThrow(/unknown option "tpyes"/);
  });
});
