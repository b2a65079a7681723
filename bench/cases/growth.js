import { eventFile } from '../lib/data.js';
import { collectorImport, oneThread, webhookImport } from '../lib/import-arguments.js';
import { number } from '../lib/table.js';

/** Ten times the events must not need more than ten times as long, nor more memory. */
export const growth = {
  name: 'growth',
  title: 'imports that are ten times as long',

  async prepare(workshop) {
    const targets = [
      {
        name: 'collector',
        sizes: workshop.pick([10_000, 100_000], [100_000, 1_000_000], [1_000_000, 10_000_000]),
        argumentsOf: collectorImport,
      },
      {
        name: 'webhooks',
        sizes: workshop.pick([2_000, 20_000], [20_000, 200_000], [1_000_000, 10_000_000]),
        argumentsOf: webhookImport,
      },
    ];
    const contenders = [];
    const promises = [];
    for (const { name, sizes, argumentsOf } of targets) {
      const names = sizes.map((events) => `${name}, ${number(events, 0)} events`);
      for (const [i, events] of sizes.entries()) {
        const file = await eventFile(events);
        const args = () => argumentsOf(workshop, file, oneThread(workshop));
        contenders.push({ name: names[i], run: () => workshop.evfwd(args(), events) });
      }
      promises.push(
        { subject: names[1], peer: names[0], metric: 'seconds', atMost: 10.5 },
        { subject: names[1], peer: names[0], metric: 'peakMb' },
        { subject: names[1], metric: 'peakMb', atMost: 200 },
      );
    }
    return { contenders, promises, rounds: workshop.pick(1, 3, 1) };
  },
};
