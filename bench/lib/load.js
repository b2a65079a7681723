// A process of its own: posts to a server over many connections, one request at a time on each, and
// counts the responses within a window of time, and how long they took. Prints one line of JSON. It does not use node:http,
// since it has to be faster than what it measures.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { eventText } from './data.js';

const { values: options } = parseArgs({
  options: {
    /** Several share the connections. */
    url: { type: 'string', multiple: true },
    connections: { type: 'string', default: '64' },
    /** Events a request; 1: a single call, more: a batch of them. */
    batch: { type: 'string', default: '1' },
    /** Header lines, separated by newlines. */
    headers: { type: 'string', default: '' },
    'warm-up-ms': { type: 'string', default: '3000' },
    ms: { type: 'string', default: '4000' },
    /** Ends after this many events instead. */
    events: { type: 'string' },
    /** How many events are made before, those that are no track call included; each is sent again and again. */
    texts: { type: 'string', default: '1000' },
    /** A fixed body, signed by the caller, instead of events. */
    body: { type: 'string' },
  },
});

const batch = Number(options.batch);
const most = options.events === undefined ? Infinity : Number(options.events);
const targets = options.url.map((text) => {
  const url = new URL(text);
  return { hostname: url.hostname, port: Number(url.port), head: headOf(url) };
});

function headOf({ pathname, host }) {
  return [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    ...(options.headers === '' ? [] : options.headers.split('\n')),
    'Content-Length: ',
  ].join('\r\n');
}

const length = /\r\ncontent-length: *(\d+)/i;
let sent = 0;
let answered = 0;
let refused = 0;
let latenciesMs = [];
let isOver = false;

/**
 * Built once, because the client must cost less than the server. Only the messageId differs each time,
 * random as those of real clients.
 */
const templates = tracks(Number(options.texts)).map((text) => {
  const at = text.indexOf('"messageId":"') + '"messageId":"'.length;
  return [text.slice(0, at), text.slice(text.indexOf('"', at))];
});

function tracks(count) {
  const texts = Array.from({ length: count }, (_, index) => eventText(index));
  return texts.filter((text) => text.includes('"type":"track"'));
}

function event() {
  const [before, after] = templates[sent++ % templates.length];
  return `${before}${randomUUID()}${after}`;
}

function nextBody() {
  if (options.body !== undefined) {
    sent++;
    return options.body;
  }
  if (batch === 1) return event();
  return `{"batch":[${Array.from({ length: batch }, event).join(',')}]}`;
}

function request(head) {
  const body = nextBody();
  return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function open(_, index) {
  const { hostname, port, head } = targets[index % targets.length];
  const socket = connect({ host: hostname, port, noDelay: true });
  let sentAt = 0;
  const send = () => {
    if (isOver || sent >= most) return void socket.end();
    const text = request(head);
    sentAt = performance.now();
    socket.write(text, 'latin1');
  };
  let rest = '';
  socket.on('connect', send);
  socket.on('data', (data) => {
    rest += data.latin1Slice();
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return;
    const bytes = Number(length.exec(rest)?.[1] ?? 0);
    if (rest.length < end + 4 + bytes) return;
    if (rest.startsWith('HTTP/1.1 200')) answered += batch;
    else refused += batch;
    latenciesMs.push(performance.now() - sentAt);
    rest = '';
    send();
  });
  socket.on('error', (error) => {
    if (!isOver) throw error;
  });
  return socket;
}

const sockets = Array.from({ length: Number(options.connections) }, open);

if (most === Infinity) {
  await wait(Number(options['warm-up-ms']));
  const before = answered;
  latenciesMs = [];
  const startedAt = performance.now();
  await wait(Number(options.ms));
  print(answered - before, startedAt);
  isOver = true;
  for (const socket of sockets) socket.destroy();
} else {
  const startedAt = performance.now();
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve))));
  print(answered, startedAt);
}

function print(events, startedAt) {
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = latenciesMs.sort((a, b) => a - b);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)];
  process.stdout.write(`${JSON.stringify({ seconds, events, refused, p99Ms })}\n`);
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
