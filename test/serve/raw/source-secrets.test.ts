import { expect, it } from 'vitest';
import { keepUsable } from '../../../src/serve/refused-destinations.js';
import type { Routing } from '../../../src/serve/types.js';
import { reply, startRawServer, type RawServer } from '../../helpers/raw-server.js';
import { logTo, serving, track, until, type Serving } from '../serving.js';
import { routingOf } from './relaying.js';

const key = 'decoded-key-of-more-0123456789';
const standardSecret = `whsec_${Buffer.from(key).toString('base64')}`;

/** Two sources of any sender and one of events, all of which send to `app`. */
const config = (url: string, secrets: string): string => `sources:
  hooks: { type: raw, secret: [${secrets}], enforce: false, destinations: [app] }
  more: { type: raw, scheme: standard-webhooks, secret: ${standardSecret}, destinations: [app] }
  web: { writeKey: k-web, destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${url}' }], resign: { scheme: github, secret: out-secret } }
`;

/** An app that refuses requests with all secrets that it may have. */
function tellingApp(): Promise<RawServer> {
  const body = `NEW=new-secret OLD=old-secret NEXT=next-secret OTHER=${standardSecret} KEY=${key} OUT=out-secret`;
  return startRawServer({ response: () => reply(400, { 'X-Request-Id': 'old-secret' }, body) });
}

/** All that the service tells of what the app has said to the dead letters. */
async function told({ api, url }: Serving, count: number): Promise<string> {
  const lines = await until(
    async () => (await fetch(`${url}/_evfwd/api/dead-letters.ndjson`)).text(),
    (text) => text.split('\n').length > count,
  );
  const shown = [await api('failures/app'), await api('search?search=x'), await api('overview')];
  return lines + JSON.stringify(shown);
}

it('the secrets of all raw sources of a destination are hidden in what its app says, old ones and decoded ones too', async () => {
  const app = await tellingApp();
  const at = await serving(await routingOf(config(app.url, 'new-secret, old-secret')));
  await fetch(`${at.url}/in/hooks`, { method: 'POST', body: 'x' });
  const text = await told(at, 1);
  expect(text).toContain('NEW=*** OLD=*** NEXT=next-secret OTHER=*** KEY=*** OUT=***');
  expect(text).not.toMatch(/new-secret|old-secret|out-secret|whsec_|decoded-key/);
});

it('secrets of raw sources are hidden in responses to events, too, and after a reload the new ones', async () => {
  const app = await tellingApp();
  const at = await serving(await routingOf(config(app.url, 'new-secret, old-secret')));
  await at.send([track(1)]);
  expect(await told(at, 1)).not.toMatch(/new-secret|old-secret/);
  await at.reroute(await routingOf(config(app.url, 'next-secret, new-secret')));
  await fetch(`${at.url}/in/hooks`, { method: 'POST', body: 'x' });
  await told(at, 2);
  const failure = JSON.stringify(await at.api('failures/app'));
  expect(failure).toContain('NEW=*** OLD=old-secret NEXT=***');
});

it('a destination that keeps its old settings, since its certificates cannot be used, has the secrets of its sources now', async () => {
  const [before, after] = [
    await routingOf(config('http://127.0.0.1:9/', 'old-secret')),
    await routingOf(config('http://127.0.0.1:9/', 'next-secret')),
  ];
  const refused: Routing = {
    ...after,
    destinations: after.destinations.map((one) => ({ ...one, refusal: 'no file' })),
  };
  const [kept] = keepUsable(refused, before, logTo([])).destinations;
  expect(kept).not.toHaveProperty('refusal');
  expect(kept!.sourceSecrets).toContain('next-secret');
});
