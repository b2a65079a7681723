import { eventFile } from '../lib/data.js';
import { isInstalled } from '../lib/installed.js';

const evfwd = 'evfwd validate';
const loop = 'byte scan + JSON.parse';
const jq = 'jq -c .';

export const validate = {
  name: 'validate',
  title: 'reading, parsing and validating every event',

  async prepare(workshop) {
    const events = workshop.pick(100_000, 1_000_000);
    const file = await eventFile(events);
    const hasJq = isInstalled('jq');
    const runJq = async () => {
      const result = await workshop.other('jq', ['-c', '.', file], { output: 'ignore' });
      return { ...result, events };
    };
    return {
      contenders: [
        { name: evfwd, run: () => workshop.evfwd(['validate', file], events) },
        { name: loop, run: () => workshop.peer('parse-loop', [file], events) },
        { name: 'ndjson', run: () => workshop.peer('ndjson-loop', [file], events) },
        ...(hasJq ? [{ name: jq, run: runJq }] : []),
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: evfwd, peer: loop, atLeast: 0.7 },
        { subject: evfwd, peer: 'ndjson' },
        { subject: evfwd, peer: jq, atLeast: 3 },
        { subject: evfwd, metric: 'peakMb', atMost: 200 },
      ],
      skipped: hasJq ? [] : ['jq is not installed'],
    };
  },
};
