import { eventFile } from '../lib/data.js';
import { collectorImport, eventsPerBatch, oneThread } from '../lib/import-arguments.js';

const evfwd = 'evfwd import, 1 thread';
const threaded = 'evfwd import, all threads';
const loop = 'batch loop';
const segment = '@segment/analytics-node';

export const collector = {
  name: 'collector',
  title: `batches of ${eventsPerBatch} events`,

  async prepare(workshop) {
    const events = workshop.pick(100_000, 1_000_000);
    const few = workshop.pick(5_000, 50_000);
    const [file, fewFile] = [await eventFile(events), await eventFile(few)];
    const { url } = workshop.receiver;
    const send = (count, run) => () => workshop.received(count / eventsPerBatch, run);
    const imported = (flags) =>
      send(events, () => workshop.evfwd(collectorImport(workshop, file, flags), events));
    const hasThreads = workshop.importHas('--threads');
    return {
      contenders: [
        { name: evfwd, run: imported(oneThread(workshop)) },
        ...(hasThreads ? [{ name: threaded, run: imported([]) }] : []),
        {
          name: loop,
          run: send(events, () => workshop.peer('batch-loop', [url, file, eventsPerBatch], events)),
        },
        {
          name: segment,
          run: send(few, () =>
            workshop.peer('segment-import', [url, fewFile, eventsPerBatch], few),
          ),
        },
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: evfwd, peer: loop, atLeast: 0.75 },
        { subject: evfwd, peer: segment, atLeast: 20 },
        { subject: threaded, peer: loop },
        { subject: threaded, peer: segment, atLeast: 20 },
        { subject: evfwd, metric: 'peakMb', atMost: 200 },
      ],
    };
  },
};
