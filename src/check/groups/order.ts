import { acceptance } from '../acceptance.js';
import { type Check, inconclusive } from '../check.js';
import { described } from '../exchange.js';

const hour = 3_600_000;

export const orderChecks: readonly Check[] = [
  {
    id: 'order.old-after-new',
    level: 'should',
    stage: 'parallel',
    title: 'Accepts an older event after a newer one',
    sends: 'two valid events of one user, the second of which happened an hour before the first',
    requests: 2,
    passes: '2xx each',
    why: 'Senders do not guarantee the order: a retried event arrives late (Stripe and GitHub: the order is not guaranteed).',
    fix: 'Return 2xx. If the order matters, compare the timestamp of the event with what you have stored, and leave the newer state as it is.',
    skipIf: ({ sender }) =>
      sender.isSample ? 'the time of an event is not known of a sample' : undefined,
    evaluate: async (prober) => {
      const newer = await prober.sendValid();
      if (acceptance(newer).outcome !== 'passed') {
        return inconclusive(`the newer event was not accepted: ${described(newer)}`, newer);
      }
      const older = await prober.sendValid({ nowMs: Date.now() - hour });
      return acceptance(older, 'the older event');
    },
  },
];
