import { existsSync } from 'node:fs';
import { eventFile } from '../lib/data.js';
import { oneThread, webhookImport } from '../lib/import-arguments.js';

const onDisk = 'state on disk';
const inMemoryFiles = 'state on /dev/shm';
const stdin = 'standard input, no state';

const sharedMemory = '/dev/shm';

/** The cost of resuming an import after a power cut. */
export const durability = {
  name: 'durability',
  title: 'the same import to webhooks with its state elsewhere',

  async prepare(workshop) {
    const events = workshop.pick(10_000, 100_000);
    const file = await eventFile(events);
    const hasSharedMemory = existsSync(sharedMemory);
    const flags = oneThread(workshop);
    const send = (args, options) =>
      workshop.received(events, () => workshop.evfwd(args, events, options));
    const stateIn = (parent) => ['--state-dir', workshop.makeFolder(parent), ...flags];
    const shared = () => send(webhookImport(workshop, file, stateIn(sharedMemory)));
    return {
      contenders: [
        { name: onDisk, run: () => send(webhookImport(workshop, file, stateIn())) },
        ...(hasSharedMemory ? [{ name: inMemoryFiles, run: shared }] : []),
        {
          name: stdin,
          run: () => send(webhookImport(workshop, '-', stateIn()), { input: file }),
        },
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: onDisk, peer: inMemoryFiles },
        { subject: onDisk, peer: stdin },
      ],
      skipped: hasSharedMemory ? [] : ['there is no /dev/shm'],
    };
  },
};
