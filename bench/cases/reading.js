import { eventFile } from '../lib/data.js';

const evfwd = 'evfwd readEvents()';
const loop = 'byte scan + JSON.parse';

export const reading = {
  name: 'reading',
  title: 'events of a file in a program, validated',

  async prepare(workshop) {
    const events = workshop.pick(100_000, 1_000_000);
    const file = await eventFile(events);
    const read = (name, script) => ({ name, run: () => workshop.peer(script, [file], events) });
    return {
      contenders: [
        read(evfwd, 'evfwd-read'),
        read(loop, 'parse-loop'),
        read('ndjson', 'ndjson-loop'),
        read('byte scan alone', 'scan-loop'),
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: evfwd, peer: loop },
        { subject: evfwd, peer: 'ndjson' },
        { subject: evfwd, peer: 'byte scan alone' },
        { subject: evfwd, metric: 'peakMb', atMost: 200 },
      ],
    };
  },
};
