import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Agent } from 'node:http';
import { acceptance } from '../acceptance.js';
import { systemClock } from '../../clock.js';
import { type Check, failed, passed, inconclusive, type CheckResult } from '../check.js';
import { described, type Exchange, type ProbeRequest } from '../exchange.js';
import type { Prober } from '../prober.js';
import { msText } from '../statistics.js';

const requestsOnOne = 10;

/** Connections that are used more than once. */
export const connectionChecks: readonly Check[] = [keepAlive(), idle()];

function keepAlive(): Check {
  return {
    id: 'http.keep-alive',
    level: 'should',
    stage: 'parallel',
    title: 'Keeps a connection open',
    sends: `${requestsOnOne} valid events on one connection, one after the other`,
    requests: requestsOnOne,
    passes: 'all 2xx, on the same connection',
    why: 'A sender with many events keeps its connections. A new one for each event costs both sides several round trips.',
    fix: 'Turn keep-alive on in the server and in the proxy in front of it, and read the body of each request to its end.',
    snippet: 'connection',
    evaluate: async (prober) => withAgent(prober, (agent) => evaluateKeepAlive(prober, agent)),
  };
}

async function evaluateKeepAlive(prober: Prober, agent: Agent): Promise<CheckResult> {
  let kept = 0;
  let last: Exchange | undefined;
  for (let sent = 0; sent < requestsOnOne; sent++) {
    last = await prober.send(eventOf(prober), { agent });
    const result = acceptance(last, `event ${sent + 1} on the connection`);
    if (result.outcome !== 'passed') return result;
    // The check itself closes a connection whose response it does not read to its end.
    if (last.response?.bodyEnd !== 'complete') {
      return inconclusive('the body of a response was not read to its end', last);
    }
    if (last.isReused) kept++;
  }
  const opened = requestsOnOne - kept;
  return opened === 1
    ? passed(`${requestsOnOne} events on one connection`, last)
    : failed(`${requestsOnOne} events needed ${opened} connections, expected 1`, last);
}

/** Requests that need others before them on the same connection. */
function eventOf(prober: Prober): () => ProbeRequest {
  const event = prober.event();
  return () => ({ ...prober.validRequest(event), isRepeatable: false });
}

async function withAgent<T>(prober: Prober, use: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = prober.session.client.agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await use(agent);
  } finally {
    agent.destroy();
  }
}

/** @param waitsMs how long connections are idle, the shortest first */
export function idle(waitsMs: readonly number[] = [1_000, 5_000, 15_000]): Check {
  return {
    id: 'http.idle',
    level: 'info',
    stage: 'parallel',
    takesLong: true,
    title: 'Keeps an idle connection for more than two seconds',
    sends: 'valid events on three connections, which are used again after 1, 5 and 15 s',
    requests: 2 * waitsMs.length,
    passes: 'always; a limit below 2 s is pointed out',
    why: 'A server that closes idle connections early closes some of them just when the next event is on its way: the sender sees a reset.',
    fix: 'Set the idle timeout of the server to more than that of the load balancer in front of it, and to at least 5 s (Node.js: server.keepAliveTimeout).',
    snippet: 'connection',
    evaluate: async (prober) => {
      const trials = await Promise.all(waitsMs.map((waitMs) => idleTrial(prober, waitMs)));
      return evaluateIdle(trials);
    },
  };
}

/** A connection that was left idle for some time. */
interface IdleTrial {
  readonly waitMs: number;
  /** Of the event before the wait. */
  readonly first: Exchange;
  /** When the server closed the idle connection; undefined if it did not. */
  readonly closedMs?: number | undefined;
  /** Of the event after the wait, if the connection was still open. */
  readonly again?: Exchange;
}

function idleTrial(prober: Prober, waitMs: number): Promise<IdleTrial> {
  return withAgent(prober, async (agent) => {
    // A limiter that refuses an event keeps the connection open, too, and that is all that counts here.
    const options = { agent, isRepeated: false };
    const first = await prober.send(eventOf(prober), options);
    // A connection becomes free just after the end of the response.
    await nextTurn();
    const socket = Object.values(agent.freeSockets)[0]?.[0];
    if (!socket) return { waitMs, first };
    const idleSince = systemClock.monotonic();
    let closedMs: number | undefined;
    const closed = new AbortController();
    socket.once('close', () => {
      closedMs = systemClock.monotonic() - idleSince;
      closed.abort();
    });
    await prober.session.sleep(waitMs, closed.signal);
    if (closedMs !== undefined) return { waitMs, first, closedMs };
    return { waitMs, first, again: await prober.send(eventOf(prober), options) };
  });
}

const shortMs = 2_000;

function evaluateIdle(trials: readonly IdleTrial[]): CheckResult {
  const answered = trials.filter(({ first }) => first.response);
  const [trial] = answered;
  if (!trial) return inconclusive('no valid event had a response', trials[0]?.first);
  const used = answered.filter(({ again, closedMs }) => again ?? closedMs);
  if (used.length === 0)
    return inconclusive('the endpoint closes each connection after its response', trial.first);
  const dropped = used.find(({ again }) => again?.isReused && !again.response);
  const limits = used.flatMap(({ closedMs }) => closedMs ?? []);
  if (limits.length > 0) return evaluateLimit(Math.min(...limits), trial.first);
  if (dropped) return evaluateDropped(dropped);
  const longest = used.at(-1)!;
  return passed(`a connection was still good after ${msText(longest.waitMs)} idle`, longest.again);
}

function evaluateLimit(limitMs: number, evidence: Exchange): CheckResult {
  const found = `an idle connection is closed after ${msText(limitMs)}`;
  return limitMs < shortMs ? failed(`${found}, expected > 2 s`, evidence) : passed(found, evidence);
}

/** Something on the way has forgotten the connection, or the server closed it at that moment. */
function evaluateDropped({ waitMs, again }: IdleTrial): CheckResult {
  return failed(`an event after ${msText(waitMs)} idle: ${described(again!)}`, again);
}
