import { describe, expect, it } from 'vitest';
import { isEnabledFor } from '../../src/webhook/integrations.js';
import { someEvent, webhooks } from '../helpers/webhooks.js';
import { startRawServer } from '../helpers/raw-server.js';

describe('integrations', () => {
  it.each<[string, boolean]>([
    ['{}', true],
    ['[]', true],
    ['{"Webhooks":true}', true],
    ['{"Webhooks":false}', false],
    ['{"Webhooks":{}}', true],
    ['{"Webhooks":{"url":"x"}}', true],
    ['{"All":true}', true],
    ['{"All":false}', false],
    ['{"All":false,"Webhooks":true}', true],
    ['{"Webhooks":true,"All":false}', true],
    ['{"All":false,"Webhooks":{"a":1}}', true],
    ['{"All":true,"Webhooks":false}', false],
    ['{"webhooks":false}', true],
    ['{"WEBHOOKS":false}', true],
    ['{"all":false}', true],
    ['{"All":false,"webhooks":true}', false],
    ['{"Other":false}', true],
    ['{"All":false,"Other":true}', false],
    ['{"Webhooks":false,"Webhooks":true}', true],
    ['{"__proto__":{"Webhooks":false}}', true],
    ['{"__proto__":{"All":false}}', true],
  ])('%s let an event go to webhooks: %s', (text, expected) => {
    expect(isEnabledFor('Webhooks', JSON.parse(text))).toBe(expected);
  });

  it.each([undefined, null])('that are %s let it go', (integrations) => {
    expect(isEnabledFor('Webhooks', integrations)).toBe(true);
  });

  it.each(['crm', 'toString', '__proto__', 'constructor'])(
    'know a destination by its name, %s',
    (name) => {
      expect(isEnabledFor(name, JSON.parse('{"Webhooks":false}'))).toBe(true);
      expect(isEnabledFor(name, JSON.parse(`{"${name}":false}`))).toBe(false);
      expect(isEnabledFor(name, JSON.parse(`{"All":false,"${name}":{}}`))).toBe(true);
      expect(isEnabledFor(name, JSON.parse('{"All":false}'))).toBe(false);
    },
  );
});

describe('an event whose integrations turn the destination off', () => {
  const off = { ...someEvent, integrations: { Webhooks: false } };

  it('is skipped, and nothing is sent', async () => {
    const server = await startRawServer();
    const outcome = await webhooks(server.url).deliver(off);
    expect(outcome).toMatchObject({
      verdict: 'skipped',
      messageId: 'm1',
      attempts: [],
      code: 'integration_off',
    });
    expect(server.sockets.length).toBe(0);
  });

  it('is sent when integrations are ignored', async () => {
    const server = await startRawServer();
    const outcome = await webhooks(server.url, { ignoreIntegrations: true }).deliver(off);
    expect(outcome.verdict).toBe('delivered');
  });

  it('goes by the name that the destination has', async () => {
    const server = await startRawServer();
    const named = webhooks(server.url, { name: 'crm' });
    expect((await named.deliver(off)).verdict).toBe('delivered');
    expect((await named.deliver({ ...off, integrations: { crm: false } })).verdict).toBe('skipped');
  });
});
