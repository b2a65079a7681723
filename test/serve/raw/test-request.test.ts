import { expect, it } from 'vitest';
import { startRawServer } from '../../helpers/raw-server.js';
import { serving } from '../serving.js';
import { githubSignature, relay, routingOf } from './relaying.js';

async function tested(settings: Parameters<typeof relay>[1]) {
  const app = await startRawServer();
  const at = await serving(await relay(app.url, settings), {});
  const result = await at.api('destinations/app/test', { method: 'POST' });
  const [request] = app.requests;
  return { result, request: request! };
}

it('the test of a destination of raw sources is a request that is signed as by its sender', async () => {
  const { result, request } = await tested({ source: 'scheme: github\nsecret: shhh' });
  expect(result).toMatchObject({ delivered: true, request: { signed: true } });
  const body = request.body.toString();
  expect(JSON.parse(body)).toMatchObject({ type: 'evfwd.test', id: result.messageId });
  expect(request.method).toBe('POST');
  expect(new Map(request.headers).get('X-Hub-Signature-256')).toBe(githubSignature(body, 'shhh'));
});

it.each([
  ['the scheme is not known', { source: 'secret: shhh' }],
  ['there is no secret', {}],
  ['the scheme signs the URL of the sender', { source: 'scheme: twilio\nsecret: shhh' }],
])('the test request says that it is not signed, where %s', async (_why, settings) => {
  const { result, request } = await tested(settings);
  expect(result).toMatchObject({ delivered: true, request: { signed: false } });
  expect(request.headers.filter(([name]) => /signature/i.test(name))).toEqual([]);
});

it('the test request is sent whatever requests the endpoints want', async () => {
  const app = await startRawServer();
  const routing = await routingOf(`sources:
  hooks: { type: raw, path: /in/hooks, destinations: [app] }
destinations:
  app:
    allowPrivateNetworks: true
    endpoints: [{ url: '${app.url}', where: ['method=PUT'] }]
`);
  const at = await serving(routing, {});
  const result = await at.api('destinations/app/test', { method: 'POST' });
  expect(result).toMatchObject({ delivered: true, request: { signed: false } });
});

it('the test of a destination that has a source of events, too, is an event', async () => {
  const app = await startRawServer();
  const routing = await routingOf(`sources:
  hooks: { type: raw, path: /in/hooks, destinations: [app] }
  web: { writeKey: k, destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${app.url}' }] }
`);
  const at = await serving(routing, {});
  const result = await at.api('destinations/app/test', { method: 'POST' });
  expect(result).toMatchObject({ delivered: true, request: null });
  expect(JSON.parse(app.requests[0]!.body.toString())).toMatchObject({ event: 'Test Event' });
});
