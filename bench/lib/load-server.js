import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from './run-process.js';
import { startServer } from './start-server.js';

/** How long no event may arrive before the server counts as stuck. */
const patienceMs = 10_000;
const load = join(import.meta.dirname, 'load.js');

/**
 * Starts a server and posts to it for some seconds. With more `instances`, the connections are divided, and the
 * usage is that of the last one. Resolves to the result of a contender.
 */
export function intake({ program, args, path = '/', flags = [], instances = 1 }) {
  const urls = [];
  const start = () =>
    withServer(program, args, (url) =>
      urls.push(url + path) < instances ? start() : post(urls, flags),
    );
  return start();
}

/**
 * Posts `events` events to a server that forwards them, and waits until the receiver of the workshop
 * has all; the time ends with the last one. Half as many are posted before, as a warm-up, and then `prepare` is
 * called with the URL of the server.
 */
export function through(workshop, events, { program, args, path = '/', flags = [], prepare }) {
  return withServer(program, args, async (url) => {
    const target = { url: url + path, flags };
    await forward(workshop.receiver, events / 2, target);
    await prepare?.(url);
    return { events, seconds: await forward(workshop.receiver, events, target) };
  });
}

/** Posts events and waits until the receiver has them. Resolves to the seconds until the last one has arrived. */
export async function forward(receiver, events, { url, flags }) {
  await receiver.reset();
  const startedAt = Date.now();
  await post([url], [...flags, '--events', String(events)]);
  let counts = await receiver.counts();
  while (counts.requests < events) {
    if (Date.now() - (counts.lastAt ?? startedAt) > patienceMs)
      throw new Error(`only ${counts.requests} arrived`);
    await wait(50);
    counts = await receiver.counts();
  }
  return (counts.lastAt - startedAt) / 1000;
}

async function post(urls, flags) {
  const targets = urls.flatMap((url) => ['--url', url]);
  const { stdout } = await run(process.execPath, [load, ...targets, ...flags]);
  const { refused, ...measured } = JSON.parse(stdout);
  if (refused > 0) throw new Error(`${urls.join(', ')} has refused ${refused} events`);
  return measured;
}

async function withServer(program, args, measure) {
  const server = await startServer(program, args);
  let result;
  let usage;
  try {
    result = await measure(server.url);
  } finally {
    usage = await server.stop();
  }
  return { ...usage, ...result };
}
