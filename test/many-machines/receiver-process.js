// A process of its own, so that it goes on while the test computes. It responds as its rules say and records
// for each event, known by the number in its properties, how often it was received and accepted.
import { createServer } from 'node:http';

const numberForm = /"n":(\d+)/g;
const idForm = /"messageId":"([^"]*)"/g;

/** At most as many events as `process.argv[2]` says. */
const size = Number(process.argv[2]);
const seen = new Uint8Array(size);
const accepted = new Uint8Array(size);
/** A hash of each event's messageId; 0: not received yet. */
const idHashes = new Int32Array(size);
/** Of each request: time in milliseconds since 1970, status (0: none), number of its first event. */
const arrivals = [];
/** Events that came with another messageId than before. */
let changedIds = 0;
let rules = [];
let waiters = [];

const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => take(Buffer.concat(chunks).toString('latin1'), request, response));
});

function take(body, request, response) {
  const numbers = [...body.matchAll(numberForm)].map(([, n]) => Number(n));
  const rule = rules.find((candidate) => applies(candidate, numbers[0]));
  if (rule) rule.used = (rule.used ?? 0) + 1;
  const status = rule ? (rule.status ?? 0) : 200;
  note(
    numbers,
    [...body.matchAll(idForm)].map(([, id]) => id),
    status,
  );
  const respond = () => {
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headersOf(rule)).end('ok');
  };
  if (rule?.delayMs) setTimeout(respond, rule.delayMs);
  else respond();
}

function headersOf(rule) {
  return rule?.retryAfter === undefined ? {} : { 'retry-after': String(rule.retryAfter) };
}

function applies({ every, rest = 0, attempts, untilMs, times, used = 0 }, n) {
  if (every !== undefined && n % every !== rest) return false;
  if (attempts !== undefined && seen[n] >= attempts) return false;
  if (untilMs !== undefined && Date.now() >= untilMs) return false;
  return times === undefined || used < times;
}

function note(numbers, ids, status) {
  arrivals.push([Date.now(), status, numbers[0]]);
  numbers.forEach((n, index) => {
    seen[n] = Math.min(seen[n] + 1, 255);
    if (status >= 200 && status < 300) accepted[n] = Math.min(accepted[n] + 1, 255);
    const hash = hashOf(ids[index] ?? '');
    if (idHashes[n] !== 0 && idHashes[n] !== hash) changedIds++;
    idHashes[n] = hash;
  });
  waiters = waiters.filter(({ id, requests }) => {
    if (arrivals.length < requests) return true;
    process.send({ id });
    return false;
  });
}

/** FNV-1a; never 0. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash || 1;
}

const replies = {
  /** Replaces the rules; `forMs` counts from now. */
  rules: ({ rules: next }) => {
    rules = next.map(({ forMs, ...rule }) => ({
      ...rule,
      ...(forMs !== undefined && { untilMs: Date.now() + forMs }),
    }));
  },
  report: () => ({ seen, accepted, arrivals, changedIds }),
};

process.on('message', ({ id, question, ...details }) => {
  if (question === 'atLeast') waiters.push({ id, requests: details.requests });
  else process.send({ id, reply: replies[question](details) });
  if (question === 'atLeast' && arrivals.length >= details.requests) {
    waiters.pop();
    process.send({ id });
  }
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
