import { join } from 'node:path';
import { secret } from '../lib/data.js';
import { intake, through } from '../lib/load-server.js';
import { inFolder, loginFlags, serveProgram, sourceTo } from '../lib/serve-program.js';

const peers = join(import.meta.dirname, '../peers');

/** What is measured, one event a request and in batches of 100. */
const forms = [
  { form: 'single events', path: '/v1/track', flags: [] },
  { form: 'batches of 100', path: '/v1/batch', flags: ['--batch', '100'] },
];

/** Against programs that promise the same: durable before the response, deleted once delivered. */
export const serve = {
  name: 'serve',
  title: 'intake, and intake with delivery to one webhook',

  async prepare(workshop) {
    const flags = ['--ms', String(workshop.pick(2_000, 5_000))];
    const events = workshop.pick(20_000, 60_000);
    const hook = `${workshop.receiver.url}/hook`;
    // Nothing listens there: all events stay in the queue.
    const nowhere = 'http://127.0.0.1:9/hook';
    const contenders = forms.flatMap(({ form, path, flags: own }) => [
      inFolder(workshop, `evfwd serve, ${form}`, (folder) =>
        intake({ ...evfwdServe(workshop, folder, nowhere), path, flags: serveFlags(own, flags) }),
      ),
      inFolder(workshop, `durable server, ${form}`, (folder) =>
        intake({ ...peer('durable-server', folder), flags: [...own, ...flags] }),
      ),
      inFolder(workshop, `durable server, intake thread, ${form}`, (folder) =>
        intake({ ...peer('intake-thread-server', folder), flags: [...own, ...flags] }),
      ),
      inFolder(workshop, `evfwd serve, through, ${form}`, (folder) =>
        through(workshop, events, {
          ...evfwdServe(workshop, folder, hook),
          ...{ path, flags: serveFlags(own) },
        }),
      ),
      inFolder(workshop, `evfwd serve, through, ordered, ${form}`, (folder) =>
        through(workshop, events, {
          ...evfwdServe(workshop, folder, hook, { ordered: 'user' }),
          // Of about 10,000 users.
          ...{ path, flags: serveFlags(own, ['--texts', '20000']) },
        }),
      ),
      inFolder(workshop, `forwarding server, ${form}`, (folder) =>
        through(workshop, events, { ...peer('forwarding-server', folder, hook), flags: own }),
      ),
    ]);
    return {
      contenders,
      rounds: workshop.pick(2, 5),
      promises: [
        promise('evfwd serve', 'durable server', 'single events', 0.75),
        promise('evfwd serve', 'durable server', 'batches of 100', 0.85),
        promise('evfwd serve, through', 'forwarding server', 'single events', 0.75),
        promise('evfwd serve, through, ordered', 'evfwd serve, through', 'batches of 100', 0.6),
        promise('evfwd serve, through', 'forwarding server', 'batches of 100', 0.9),
        ...contenders
          .filter(({ name }) => name.startsWith('evfwd'))
          .map(({ name }) => ({ subject: name, metric: 'peakMb', atMost: 200 })),
      ],
    };
  },
};

function promise(subject, peer, form, atLeast) {
  return { subject: `${subject}, ${form}`, peer: `${peer}, ${form}`, atLeast };
}

function serveFlags(...flags) {
  return [...loginFlags, ...flags.flat()];
}

function evfwdServe(workshop, folder, url, more = {}) {
  return serveProgram(workshop, folder, configurationOf(url, more));
}

function configurationOf(url, more) {
  return {
    sources: sourceTo('hook'),
    destinations: {
      hook: {
        ...{ type: 'Webhooks', allowPrivateNetworks: true, sharedSecret: secret },
        endpoints: [{ url }],
        ...more,
      },
    },
  };
}

function peer(name, folder, ...args) {
  return { program: join(peers, `${name}.js`), args: [join(folder, 'peer.db'), ...args] };
}
