import { captureFile } from '../lib/data.js';

const evfwd = 'evfwd verify-sig --requests';
const loop = 'JSON.parse + HMAC loop';

export const signatures = {
  name: 'signatures',
  title: 'checking the requests of a capture',

  async prepare(workshop) {
    const requests = workshop.pick(100_000, 1_000_000);
    const file = await captureFile(requests);
    const args = ['verify-sig', '--requests', file, '--secret-file', workshop.secretFile];
    return {
      contenders: [
        { name: evfwd, run: () => workshop.evfwd(args, requests) },
        { name: loop, run: () => workshop.peer('sign-loop', [file], requests) },
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: evfwd, atLeast: 100_000 },
        { subject: evfwd, peer: loop },
        { subject: evfwd, metric: 'peakMb', atMost: 200 },
      ],
    };
  },
};
