import { createServer } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verify } from '../../src/sign/x-signature.js';
import { afterEachTest } from '../helpers/after-each.js';
import { folderWith } from '../helpers/folder.js';
import { configuration, receiving, running, send } from './serve-process.js';

const cleanups: (() => unknown)[] = [];
afterEachTest(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const secret = 'hush-alert-secret';

function alerts(url: string, after = '1s'): string {
  return `    alerts: { url: '${url}?key=hush-alert-key', sharedSecret: ${secret}, after: ${after} }\n`;
}

/** A destination with alerts, and the folder of its configuration. */
async function scene(alertStatus = 200) {
  const state = { status: 503 };
  const crm = await receiving(() => ({ status: state.status }));
  const chat = await receiving(() => ({ status: alertStatus }));
  const file = configuration(crm.url, alerts(chat.url));
  return { state, crm, chat, folder: folderWith({ 'evfwd.config.yaml': file }) };
}

describe('serve', () => {
  it('tells that a destination is down, signed, and after a restart that it is back', async () => {
    const { state, crm, chat, folder } = await scene();
    const first = await running(folder);
    const sent = first.logs('alert sent');
    await send(first.url, 0);
    await chat.atLeast(1);
    await sent;
    const { code, stdout } = await first.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).not.toContain('hush');
    const [{ body, headers }] = chat.requests as [(typeof chat.requests)[number]];
    expect(verify(body, headers['x-signature'] as string, secret)).toBe(true);
    expect(chat.json()[0]).toMatchObject({
      ...{ kind: 'down', destination: 'crm', reason: 'HTTP 503 Service Unavailable' },
      counts: { waiting: 1, retrying: 1, deadLetters: 0 },
    });
    expect(body.toString()).not.toContain('hush');
    const unlessBack = configuration(crm.url, alerts(chat.url, '1h'));
    writeFileSync(join(folder, 'evfwd.config.yaml'), unlessBack);
    // As if the last alert was a minute ago.
    const told = { isDown: true, since: 1, lastDeadLetter: 0, at: 0 };
    writeFileSync(join(folder, '.evfwd', 'alerts.json'), JSON.stringify({ crm: told }));
    state.status = 200;
    const second = await running(folder);
    await send(second.url, 1);
    await chat.atLeast(2);
    expect(chat.json()[1]).toMatchObject({ kind: 'up', destination: 'crm' });
    await second.stop('SIGTERM');
  });

  it('tells of dead letters', async () => {
    const { state, chat, folder } = await scene();
    state.status = 400;
    const served = await running(folder);
    await send(served.url, 0, 3);
    await chat.atLeast(1);
    const { kind, counts, reason, text } = chat.json()[0] as Record<string, string>;
    expect({ kind, counts }).toMatchObject({ kind: 'dead_letters', counts: { waiting: 0 } });
    expect(reason).toContain('HTTP 400 Bad Request');
    expect(text).toMatch(/^[123] events? for crm could not be delivered/);
    await served.stop('SIGTERM');
  });

  it('applies alerts that are added while it runs', async () => {
    const { crm, chat, folder } = await scene();
    const path = join(folder, 'evfwd.config.yaml');
    writeFileSync(path, configuration(crm.url));
    const served = await running(folder);
    await send(served.url, 0);
    await crm.atLeast(1);
    const reloaded = served.logs('configuration reloaded');
    writeFileSync(path, configuration(crm.url, alerts(chat.url)));
    served.child.kill('SIGHUP');
    await reloaded;
    await chat.atLeast(1);
    expect(chat.json()[0]).toMatchObject({ kind: 'down' });
    await served.stop('SIGTERM');
  });

  it('forwards, and stops, while alerts hang, with an alert in flight', async () => {
    const { state, crm, folder } = await scene();
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    cleanups.push(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const file = configuration(crm.url, alerts(`http://127.0.0.1:${port}/`));
    writeFileSync(join(folder, 'evfwd.config.yaml'), file);
    const served = await running(folder);
    await send(served.url, 0);
    await once(silent, 'connection');
    state.status = 200;
    await send(served.url, 1, 20);
    await crm.atLeast(22);
    const { code, stdout } = await served.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).toContain('stopped;');
    expect(stdout).not.toContain('"warn"');
  });

  it('logs an alert that is refused, once, without secrets', async () => {
    const { folder } = await scene(404);
    const served = await running(folder);
    const logged = served.logs('alert not delivered');
    await send(served.url, 0);
    const line = JSON.parse(await logged) as object;
    expect(line).toMatchObject({
      ...{ level: 'warn', destination: 'crm', kind: 'down', attempts: 1, code: 'status_404' },
      msg: 'alert not delivered: HTTP 404 Not Found; trying again in 1 min',
    });
    const { stdout } = await served.stop('SIGTERM');
    expect(stdout.match(/alert not delivered/g)).toHaveLength(1);
    expect(stdout).not.toContain('hush');
  });
});
