import { createHmac } from 'node:crypto';
import { eventText, secret } from '../lib/data.js';
import { forward, intake, through } from '../lib/load-server.js';
import { inFolder, loginFlags, loginTo, serveProgram, sourceTo } from '../lib/serve-program.js';
import { startReceiver } from '../lib/start-receiver.js';

// Without an id that is known, so each request is another one.
const body = eventText(1);
const signature = createHmac('sha256', secret).update(body).digest('hex');
const signed = ['--body', body, '--headers', `X-Hub-Signature-256: sha256=${signature}`];

/**
 * Any sender's requests against events of the same size, keeping events against not keeping them, and events beside a
 * replay against events alone.
 */
export const relay = {
  name: 'relay',
  title: 'requests of raw sources, and kept events, in a service',

  async prepare(workshop) {
    const ms = ['--ms', String(workshop.pick(2_000, 5_000))];
    const events = workshop.pick(20_000, 60_000);
    // Nothing listens there: all events stay in the queue.
    const nowhere = 'http://127.0.0.1:9/hook';
    const hook = `${workshop.receiver.url}/hook`;
    const raw = { path: '/in/raw', flags: ms };
    const single = { path: '/v1/track', flags: [...loginFlags, ...ms] };

    function taking(name, changes, load) {
      return inFolder(workshop, name, (folder) =>
        intake({ ...serveProgram(workshop, folder, configurationOf(nowhere, changes)), ...load }),
      );
    }

    function forwarding(name, { path, flags }) {
      return inFolder(workshop, name, (folder) =>
        through(workshop, events, {
          ...serveProgram(workshop, folder, configurationOf(hook)),
          ...{ path, flags },
        }),
      );
    }

    const copy = await startReceiver();
    workshop.onClose(() => copy.stop());

    /** Other events are kept before, and sent again meanwhile. */
    function besideReplay(name) {
      return inFolder(workshop, name, (folder) =>
        through(workshop, events, {
          ...serveProgram(workshop, folder, withCopy(configurationOf(hook), `${copy.url}/hook`)),
          ...{ path: single.path, flags: loginFlags },
          async prepare(url) {
            await forward(copy, events, { url: url + single.path, flags: loginTo('copy') });
            const response = await fetch(`${url}/_evfwd/api/replays`, {
              ...{ method: 'POST', body: JSON.stringify({ destination: 'copy' }) },
              headers: { 'Content-Type': 'application/json' },
            });
            if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
          },
        }),
      );
    }

    return {
      contenders: [
        taking('events', {}, single),
        taking('events, nothing kept', { retention: 0 }, single),
        taking('raw requests', {}, raw),
        taking(
          'raw requests, verified',
          { scheme: 'github' },
          { ...raw, flags: [...signed, ...ms] },
        ),
        forwarding('events, through', { path: single.path, flags: loginFlags }),
        forwarding('raw requests, through', { path: raw.path, flags: [] }),
        besideReplay('events, through, beside a replay'),
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: 'events', peer: 'events, nothing kept', atLeast: 0.9 },
        { subject: 'raw requests', peer: 'events', atLeast: 0.7 },
        { subject: 'raw requests, verified', peer: 'events', atLeast: 0.7 },
        { subject: 'raw requests, through', peer: 'events, through', atLeast: 0.6 },
        { subject: 'events, through, beside a replay', peer: 'events, through', atLeast: 0.8 },
        { subject: 'raw requests', metric: 'peakMb', atMost: 200 },
        { subject: 'raw requests, through', metric: 'peakMb', atMost: 200 },
      ],
    };
  },
};

function withCopy({ sources, destinations, ...rest }, url) {
  return {
    ...rest,
    sources: { ...sources, copy: { writeKey: 'copy', destinations: ['copy'] } },
    destinations: { ...destinations, copy: { ...destinations.hook, endpoints: [{ url }] } },
  };
}

function configurationOf(url, { retention, scheme } = {}) {
  const door = { type: 'raw', path: '/in/raw', ...(scheme && { scheme, secret }) };
  return {
    ...(retention !== undefined && { retention }),
    sources: { ...sourceTo('hook'), raw: { ...door, destinations: ['hook'] } },
    destinations: {
      hook: {
        ...{ type: 'Webhooks', allowPrivateNetworks: true, sharedSecret: secret },
        endpoints: [{ url }],
      },
    },
  };
}
