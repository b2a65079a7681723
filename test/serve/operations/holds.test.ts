import { expect, it } from 'vitest';
import type { DestinationState } from '../../../src/serve/forward/forwarder.js';
import type { EndpointReport } from '../../../src/serve/operations/endpoint-health.js';
import { Holds } from '../../../src/serve/operations/holds.js';

const url = 'https://a.example/';
const now = Date.parse('2026-11-20T12:00:00.000Z');

function codeOf(dueAt: number, state: Partial<DestinationState>, health: EndpointReport['health']) {
  const crm = { name: 'crm', isConfigured: true, isEnabled: true, urls: [url], down: [url] };
  const destination = { ...crm, paused: new Map(), ...state } as unknown as DestinationState;
  const report = { health, lastStatus: 500, lastError: null } as EndpointReport;
  return new Holds([destination], () => report, now).ofRetry('crm', dueAt)?.code;
}

it.each([
  ['an endpoint that is down', {}, 'down', 'endpoint_down'],
  ['an endpoint that fails', {}, 'failing', 'endpoint_failing'],
  ['a pause', { paused: new Map([[url, now + 1]]) }, 'failing', undefined],
  ['nothing', { down: [] }, 'unused', undefined],
] as const)('a retry that is due waits for %s', (_, state, health, code) => {
  expect(codeOf(now, state, health)).toBe(code);
  expect(codeOf(now + 1, state, health)).toBeUndefined();
});

it('a retry waits for a destination that is off, due or not', () => {
  expect(codeOf(now + 1, { isEnabled: false }, 'down')).toBe('destination_off');
  expect(codeOf(now, { isEnabled: false }, 'down')).toBe('destination_off');
});
