import { startProxy } from '../../helpers/proxy.js';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AlertStateFile } from '../../../src/serve/alerts/alert-states.js';
import { verify } from '../../../src/sign/x-signature.js';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { folderWith } from '../../helpers/folder.js';
import { signingBy } from '../../helpers/signing.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { Alerting } from './alerting.js';

const minute = 60;

describe('an alert', () => {
  it('is sent once when a destination is down, and once when it is back', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(5, { delivered: 1 });
    await alerting.seconds(15 * minute, { waiting: 1200 });
    expect(alerting.receiver.requests).toEqual([]);
    await alerting.seconds(1);
    const [down] = await alerting.received(1);
    expect(down).toEqual({
      text: 'crm is down: nothing was delivered for 15 min (HTTP 503 Service Unavailable), and 1,200 events wait.',
      kind: 'down',
      destination: 'crm',
      endpoint: 'https://crm.example.com/hook',
      since: '2026-11-20T08:30:06.000Z',
      reason: 'HTTP 503 Service Unavailable',
      counts: { waiting: 1200, retrying: 1200, deadLetters: 0 },
    });
    await alerting.seconds(3 * 60 * minute);
    await alerting.seconds(1, { delivered: 2, waiting: 1 });
    const [, up] = await alerting.received(2);
    expect(up).toMatchObject({
      text: 'crm is back: it was down for 3 h 15 min, and 1 event waits.',
      kind: 'up',
      since: '2026-11-20T11:45:07.000Z',
    });
    await alerting.seconds(5 * minute, { delivered: 3, waiting: 0 });
    expect(alerting.receiver.requests).toHaveLength(2);
  });

  it('is signed by the secret of the alerts, or not at all', async () => {
    const alerting = await Alerting.start();
    alerting.fail(1);
    await alerting.seconds(1);
    await alerting.received(1);
    const alerts = { ...alerting.crm.alerts!, signing: signingBy('x-signature', 'alert-secret') };
    alerting.configure({ alerts });
    alerting.fail(1);
    await alerting.seconds(minute);
    await alerting.received(2);
    const [unsigned, signed] = alerting.receiver.requests;
    expect(unsigned!.headers['x-signature']).toBeUndefined();
    const signature = signed!.headers['x-signature'] as string;
    expect(verify(signed!.body, signature, 'alert-secret')).toBe(true);
    expect(signed!.headers['content-type']).toBe('application/json');
  });

  it('waits for the end of the minute, and says what holds then', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    await alerting.received(1);
    await alerting.seconds(59, { delivered: 1, waiting: 0 });
    expect(alerting.receiver.requests).toHaveLength(1);
    await alerting.seconds(1);
    expect((await alerting.received(2)).map(({ kind }) => kind)).toEqual(['down', 'up']);
  });

  it('is not sent for what was over before the minute was', async () => {
    const alerting = await Alerting.start();
    const alerts = { ...alerting.crm.alerts!, afterMs: 10_000 };
    alerting.configure({ alerts });
    await alerting.seconds(11, { waiting: 1 });
    await alerting.received(1);
    await alerting.seconds(20, { delivered: 1, waiting: 0 });
    await alerting.seconds(60 * minute, { waiting: 1 });
    expect(alerting.receiver.requests).toHaveLength(1);
  });

  it('has all dead letters since the last one, whatever came in between', async () => {
    const alerting = await Alerting.start();
    alerting.fail(1);
    await alerting.seconds(1);
    await alerting.received(1);
    alerting.fail(2);
    await alerting.seconds(30);
    alerting.fail(1);
    // The oldest one was sent again.
    alerting.counted.deadLetters.shift();
    await alerting.seconds(30);
    expect(await alerting.received(2)).toMatchObject([
      {
        text: '1 event for crm could not be delivered and is a dead letter now (HTTP 400 Bad Request).',
        ...{ kind: 'dead_letters', since: '2026-11-20T08:30:01.000Z' },
        counts: { deadLetters: 1, newDeadLetters: 1, waiting: 0, retrying: 0 },
      },
      {
        text: '3 events for crm could not be delivered and are dead letters now (HTTP 400 Bad Request).',
        ...{ kind: 'dead_letters', since: '2026-11-20T08:30:02.000Z' },
        counts: { deadLetters: 3, newDeadLetters: 3, waiting: 0, retrying: 0 },
      },
    ]);
    await alerting.seconds(60 * minute);
    expect(alerting.receiver.requests).toHaveLength(2);
  });

  it('about dead letters is not crowded out by a destination that goes up and down', async () => {
    const alerting = await Alerting.start();
    const alerts = { ...alerting.crm.alerts!, afterMs: 10_000 };
    alerting.configure({ alerts });
    await alerting.seconds(11, { waiting: 1 });
    await alerting.received(1);
    alerting.fail(1);
    await alerting.seconds(minute, { delivered: 1, waiting: 0 });
    await alerting.received(2);
    await alerting.seconds(minute);
    const kinds = (await alerting.received(3)).map(({ kind }) => kind);
    expect(kinds).toEqual(['down', 'dead_letters', 'up']);
  });

  it('is not sent for a destination that is switched off, nor before it is on again and fails', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(14 * minute, { waiting: 1 });
    alerting.configure({ isEnabled: false });
    await alerting.seconds(60 * minute);
    alerting.configure();
    await alerting.seconds(15 * minute);
    expect(alerting.receiver.requests).toEqual([]);
    await alerting.seconds(1);
    await alerting.received(1);
    alerting.configure({ isEnabled: false });
    await alerting.seconds(60 * minute);
    alerting.configure();
    await alerting.seconds(60 * minute);
    expect(alerting.receiver.requests).toHaveLength(1);
    await alerting.seconds(1, { delivered: 1, waiting: 0 });
    expect((await alerting.received(2))[1]!.kind).toBe('up');
  });

  it('is sent for a destination whose certificates cannot be used, and says so', async () => {
    const alerting = await Alerting.start();
    const refusal = 'c.yaml:9: the certificate expired on 2026-11-20; renew it';
    alerting.configure({ isEnabled: false, isHeldUp: true, refusal });
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    expect(await alerting.received(1)).toMatchObject([{ kind: 'down', reason: refusal }]);
  });

  it('is about the certificate of a destination that is refused since it has expired, which is down later', async () => {
    const end = Date.parse('2026-11-20T12:00:00Z');
    const alerting = await Alerting.start(end + 2 * 86_400_000);
    const refusal = 'c.yaml:9: the certificate expired on 2026-11-20; renew it';
    const refused = { isEnabled: false, isHeldUp: true, refusal };
    const expiredCertificate = { url: 'https://crm.example.com/hook', end };
    alerting.configure({ ...refused, expiredCertificate });
    await alerting.seconds(2);
    expect(await alerting.received(1)).toMatchObject([
      {
        ...{ kind: 'certificate', endpoint: 'https://crm.example.com/hook' },
        ...{ reason: 'it ended on 2026-11-20', counts: { certificateDays: -3 } },
      },
    ]);
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    expect((await alerting.received(2))[1]).toMatchObject({ kind: 'down', reason: refusal });
  });

  it('goes through the proxy of the destination', async () => {
    const alerting = await Alerting.start();
    const proxy = await startProxy();
    const url = alerting.receiver.url.replace(/127\.0\.0\.1|localhost/, 'chat.example.test');
    alerting.configure({ alerts: { url, proxy: proxy.url, afterMs: 15 * minute * 1_000 } });
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    expect(await alerting.received(1)).toMatchObject([{ kind: 'down' }]);
    expect(proxy.requests.map(({ authority }) => authority)).toEqual([new URL(url).host]);
  });

  it('is not sent because the service cannot write its own state', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(60 * minute, { waiting: 1, failure: new Error('disk full') });
    await alerting.seconds(10 * minute, { failure: undefined });
    expect(alerting.receiver.requests).toEqual([]);
  });

  it('does not depend on the time of day', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(minute, { waiting: 1 });
    alerting.clock.set(5 * 60 * minute * 1000);
    await alerting.seconds(10 * minute);
    alerting.clock.set(-48 * 60 * minute * 1000);
    await alerting.seconds(4 * minute);
    expect(alerting.receiver.requests).toEqual([]);
    await alerting.seconds(1);
    const [down] = await alerting.received(1);
    expect(down!.text).toContain('nothing was delivered for 15 min');
    alerting.clock.set(-48 * 60 * minute * 1000);
    await alerting.seconds(minute, { delivered: 1, waiting: 0 });
    expect((await alerting.received(2))[1]!.text).toContain('it was down for 15 min 1 s');
  });
});

describe.skipIf(!hasOpenssl)('an alert about a client certificate (needs openssl)', () => {
  it('is sent once, from 14 days before its end on, also over restarts, and once for the next one', async () => {
    const { good, expired } = makeCertificates();
    const end = Date.parse(new X509Certificate(good.cert).validTo);
    const day = new Date(end).toISOString().slice(0, 10);
    const alerting = await Alerting.start(end - 14 * 86_400_000 - 60_000);
    const endpoints = [
      { url: 'https://plain.example.com' },
      { url: 'https://crm.example.com/hook?token=hush', tls: { clientCertificate: good } },
    ];
    alerting.crm = { ...alerting.crm, endpoints };
    await alerting.restart();
    await alerting.seconds(59);
    expect(alerting.receiver.requests).toEqual([]);
    await alerting.seconds(2);
    const [alert] = await alerting.received(1);
    expect(alert).toMatchObject({
      text: `The client certificate for an endpoint of crm has to be renewed: it ends in 14 d, on ${day}.`,
      ...{ kind: 'certificate', endpoint: 'https://crm.example.com/hook' },
      ...{ reason: `it ends in 14 d, on ${day}`, counts: { certificateDays: 14 } },
    });
    alerting.clock.set(86_400_000);
    await alerting.restart();
    await alerting.seconds(5 * minute);
    await alerting.received(1);
    const renewed = { url: endpoints[0]!.url, tls: { clientCertificate: expired } };
    alerting.configure({ endpoints: [renewed] });
    await alerting.seconds(1);
    const [, second] = await alerting.received(2);
    expect(second).toMatchObject({ kind: 'certificate', endpoint: 'https://plain.example.com/' });
  });
});

describe('after a restart, an alert', () => {
  it('is sent once more for a destination that is still down, with its beginning', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    const [first] = await alerting.received(1);
    await alerting.restart();
    await alerting.seconds(15 * minute - 1);
    expect(alerting.receiver.requests).toHaveLength(1);
    await alerting.seconds(60 * minute);
    const [, second] = await alerting.received(2);
    expect(second).toMatchObject({ kind: 'down', since: first!.since });
    expect(second!.text).toContain('nothing was delivered for 30 min');
    await alerting.seconds(24 * 60 * minute);
    await alerting.received(2);
  });

  it('says that a destination is back that was down before, and keeps to the minute', async () => {
    const alerting = await Alerting.start();
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    await alerting.received(1);
    await alerting.restart();
    await alerting.seconds(59, { delivered: 1, waiting: 0 });
    expect(alerting.receiver.requests).toHaveLength(1);
    await alerting.seconds(1);
    const [, up] = await alerting.received(2);
    expect(up).toMatchObject({
      kind: 'up',
      text: 'crm is back: it was down for 15 min 1 s, and nothing waits.',
    });
  });

  it('has the dead letters that were not reported before, and none of those that were there before its alerts', async () => {
    const alerting = await Alerting.start();
    alerting.fail(1);
    await alerting.seconds(1);
    await alerting.received(1);
    alerting.fail(2);
    await alerting.seconds(1);
    await alerting.restart();
    await alerting.seconds(minute);
    expect((await alerting.received(2))[1]!.counts.newDeadLetters).toBe(2);
    alerting.crm = { ...alerting.crm, name: 'erp' };
    await alerting.restart();
    await alerting.seconds(2 * minute);
    await alerting.received(2);
  });
});

describe('an alert that cannot be delivered', () => {
  it('is tried five times, logged in one line without secrets, and tried later as what holds then', async () => {
    const alerting = await Alerting.start();
    alerting.response = { status: 500 };
    await alerting.seconds(15 * minute + 1, { waiting: 1 });
    for (let i = 1; i < 5; i++) {
      await alerting.receiver.atLeast(i);
      await pauses(alerting);
    }
    await alerting.receiver.atLeast(5);
    await logs(alerting, 'alert not delivered');
    expect(alerting.logged.filter((line) => line.startsWith('warn'))).toEqual([
      `warn alert not delivered: HTTP 500 Internal Server Error; trying again in 1 min {"destination":"crm","kind":"down","url":"${new URL(alerting.receiver.url).origin}","attempts":5,"code":"status_500"}`,
    ]);
    alerting.response = {};
    alerting.fail(1);
    await alerting.seconds(minute, { delivered: 1, waiting: 0 });
    await logs(alerting, 'info alert sent');
    expect(alerting.receiver.json().map(({ kind }) => kind as string)).toEqual([
      ...Array<string>(5).fill('down'),
      'dead_letters',
    ]);
    expect(alerting.logged.join()).not.toContain('hush');
  });

  it('is tried less and less often, and within a minute once its settings have changed', async () => {
    const alerting = await Alerting.start();
    alerting.response = { status: 404 };
    alerting.fail(1);
    const failures = () => alerting.logged.filter((line) => line.startsWith('warn'));
    for (const [pause, next] of ['1 min', '2 min', '4 min', '8 min'].entries()) {
      await alerting.seconds(1);
      while (failures().length <= pause) await new Promise(setImmediate);
      expect(failures().at(-1)).toContain(`trying again in ${next} {`);
      await alerting.seconds(2 ** pause * minute - 2);
      expect(failures()).toHaveLength(pause + 1);
      await alerting.seconds(1);
    }
    alerting.response = {};
    const alerts = { ...alerting.crm.alerts!, url: `${alerting.receiver.url}/moved` };
    alerting.configure({ alerts });
    await alerting.seconds(minute);
    await logs(alerting, 'info alert sent');
    expect(alerting.receiver.requests.at(-1)!.path).toBe('/hook/moved');
  });

  it('is not waited for at the stop', async () => {
    const alerting = await Alerting.start();
    alerting.response = undefined;
    alerting.fail(1);
    await alerting.seconds(1);
    await alerting.receiver.atLeast(1);
    await alerting.stop();
    expect(alerting.logged).toEqual([]);
    await alerting.restart();
    alerting.response = {};
    await alerting.seconds(1);
    await logs(alerting, 'info alert sent');
  });

  it('goes to no private address without allowPrivateNetworks', async () => {
    const alerting = await Alerting.start();
    alerting.configure({ allowPrivateNetworks: false });
    alerting.fail(1);
    await alerting.seconds(1);
    await logs(alerting, 'loopback and private addresses are refused');
    expect(alerting.receiver.requests).toEqual([]);
  });
});

describe('what alerts have reported', () => {
  it('is empty when its file cannot be read, and kept in memory when it cannot be written', () => {
    const clock = new VirtualClock();
    const folder = folderWith({ 'alerts.json': 'no JSON' });
    const path = join(folder, 'alerts.json');
    const states = new AlertStateFile(path, clock);
    expect([...states.read()]).toEqual([]);
    states.begin('crm', 7);
    mkdirSync(`${path}.new`);
    states.flush();
    expect(readFileSync(path, 'utf8')).toBe('no JSON');
    expect(states.read().get('crm')).toMatchObject({ lastDeadLetter: 7 });
  });

  it('long ago lets an alert be sent at once, also if that is ahead since the clock was set back', () => {
    const clock = new VirtualClock();
    const path = join(folderWith(), 'alerts.json');
    const state = { isDown: true, since: 0, lastDeadLetter: 0, at: clock.now() };
    writeFileSync(path, JSON.stringify({ crm: state }));
    const claim = (): boolean => {
      const states = new AlertStateFile(path, clock);
      return states.claim('crm', states.read().get('crm')!);
    };
    expect(claim()).toBe(false);
    clock.set(-10_000);
    expect(claim()).toBe(false);
    clock.set(-3_600_000);
    expect(claim()).toBe(true);
    clock.set(3_670_000);
    expect(claim()).toBe(true);
  });
});

async function logs(alerting: Alerting, text: string): Promise<void> {
  while (!alerting.logged.some((line) => line.includes(text))) await new Promise(setImmediate);
}

/** Lets the pause before the next attempt pass, once it is set. */
async function pauses({ clock }: Alerting): Promise<void> {
  await clock.timers(1);
  clock.advance(clock.waits[0]!);
}
