import { type Check, passed, inconclusive } from '../check.js';
import { described, isSuccess } from '../exchange.js';
import { sendForged } from '../forgery.js';
import { unlessSigned } from '../scheme-needs.js';

const scheme = 'segment-batch';

export const batchChecks: readonly Check[] = [
  {
    id: 'batch.first-only',
    level: 'info',
    stage: 'parallel',
    title: 'Whether a changed second event of a batch is noticed',
    sends: 'a batch of two events, with the signature of the first one',
    requests: 1,
    passes: 'always; the response is reported',
    why: `The scheme ${scheme} signs only the first event of a batch, so no receiver can tell whether the others were changed.`,
    fix: 'Have the sender send one event per request, or sign the whole body; until then, do not rely on the events after the first one.',
    skipIf: unlessSigned((signing) =>
      signing.scheme.name === scheme
        ? undefined
        : `${signing.scheme.name} signs the whole body; only ${scheme} signs the first event alone`,
    ),
    evaluate: async (prober) => {
      const [event, second] = [prober.event(), prober.event()];
      const body = arrayOf(event.body, second.body);
      const exchange = await sendForged(prober, event, ({ request }) => ({ ...request, body }));
      if (!exchange.response) return inconclusive(`a batch: ${described(exchange)}`, exchange);
      const came = described(exchange);
      return isSuccess(exchange)
        ? passed(
            `a receiver cannot see that the second event was changed, since ${scheme} signs the first one alone: ${came}`,
            exchange,
          )
        : passed(`the batch was not accepted: ${came}`, exchange);
    },
  },
];

function arrayOf(...bodies: readonly Buffer[]): Buffer {
  return Buffer.from(`[${bodies.map((body) => body.toString()).join(',')}]`);
}
