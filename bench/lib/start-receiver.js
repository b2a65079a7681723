import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a receiver on a free port of this machine. `counts()` returns the counts since the last
 * `reset()`: `{ requests, bytes, firstAt, lastAt }`, times in milliseconds since 1970.
 */
export async function startReceiver() {
  const child = fork(new URL('receiver.js', import.meta.url), [], { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  const ask = async (question) => {
    child.send(question);
    const [reply] = await once(child, 'message');
    return reply;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => ask('counts'),
    reset: () => ask('reset'),
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
