const evfwd = 'evfwd Client';
const callsAlone = 'evfwd Client, up to the last call';
const segment = '@segment/analytics-node';

const batchSize = 100;

/**
 * From the first call to the response to the last batch, without the start of the process. The time up
 * to the last call is shown separately: the queue is bounded, so both are about the same.
 */
export const library = {
  name: 'library',
  title: 'client.track() while the queue is drained',

  prepare(workshop) {
    const calls = workshop.pick(100_000, 1_000_000);
    const few = workshop.pick(5_000, 50_000);
    const { url } = workshop.receiver;
    const tracked = (script, count) => () =>
      workshop.received(count / batchSize, () =>
        workshop.peer(script, [url, count, batchSize], count),
      );
    return {
      contenders: [
        { name: evfwd, run: tracked('evfwd-track', calls) },
        { name: callsAlone, run: upToLastCall(tracked('evfwd-track', calls)) },
        { name: segment, run: tracked('segment-track', few) },
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: evfwd, atLeast: 300_000 },
        { subject: callsAlone, atLeast: 300_000 },
        { subject: evfwd, peer: segment, atLeast: 10 },
        { subject: evfwd, metric: 'peakMb', atMost: 200 },
      ],
    };
  },
};

function upToLastCall(run) {
  return async () => {
    const { callSeconds, ...result } = await run();
    return { ...result, seconds: callSeconds };
  };
}
