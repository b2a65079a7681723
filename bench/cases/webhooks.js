import { availableParallelism } from 'node:os';
import { eventFile, eventText } from '../lib/data.js';
import { oneThread, webhookImport } from '../lib/import-arguments.js';
import { isInstalled } from '../lib/installed.js';
import { loadTools } from '../lib/load-tools.js';

const single = 'evfwd import, 1 thread';
const usual = 'evfwd import, default threads';
const threaded = 'evfwd import, one thread per core';
const loop = 'undici dispatch loop';
const allCores = ['--threads', String(availableParallelism())];

/** With validation, signature, ledger and progress, against loops that have none of these. */
export const webhooks = {
  name: 'webhooks',
  title: 'one signed POST per event',

  async prepare(workshop) {
    const events = workshop.pick(40_000, 200_000, 1_000_000);
    const file = await eventFile(events);
    // Slow contenders get fewer events; rates are compared.
    const few = workshop.pick(2_000, 20_000, 50_000);
    const fewFile = await eventFile(few);
    const url = `${workshop.receiver.url}/hook`;
    const hasThreads = workshop.importHas('--threads');

    const evfwd = (name, flags) => ({
      name,
      run: () =>
        workshop.received(events, () =>
          workshop.evfwd(webhookImport(workshop, file, flags), events),
        ),
    });
    const peer = (name, script, args, count) => ({
      name,
      run: () => workshop.received(count, () => workshop.peer(script, [url, ...args], count)),
    });

    const tools = loadTools.filter(({ command }) => isInstalled(command));
    const contenders = [
      evfwd(single, oneThread(workshop)),
      ...(hasThreads ? [evfwd(usual, []), evfwd(threaded, allCores)] : []),
      peer(loop, 'dispatch-loop', [file], events),
      peer('undici.request', 'request-loop', [file], events),
      peer('global fetch', 'fetch-loop', [fewFile], few),
      peer('autocannon, fixed body', 'autocannon', [events], events),
      ...tools.map((tool) => tool.contender(workshop, url, eventText(1), events)),
    ];
    const many = hasThreads ? usual : single;
    return {
      contenders,
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: single, peer: loop, atLeast: 0.8 },
        { subject: single, peer: 'undici.request' },
        { subject: single, peer: 'global fetch' },
        { subject: many, peer: 'hey, fixed body', atLeast: 0.9 },
        { subject: many, peer: 'wrk, fixed body', atLeast: 0.45 },
        { subject: many, peer: 'h2load, fixed body' },
        { subject: many, peer: 'autocannon, fixed body' },
        { subject: single, metric: 'peakMb', atMost: 200 },
      ],
      skipped: loadTools
        .filter((tool) => !tools.includes(tool))
        .map(({ command }) => `${command} is not installed`),
    };
  },
};
