import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEachTest } from './after-each.js';

/**
 * A handler with ids, times, random lengths and orders in its responses, and noise that is there only sometimes. As
 * version 2 it has the differences of `plantedDifferences`.
 */
const source = String.raw`
const { createServer } = require('node:http');
const { randomUUID, randomBytes } = require('node:crypto');
const isNew = process.argv[1] === '2';
const id = () => 'cus_' + randomBytes(12).toString('hex');
const some = (n) => Array.from({ length: 1 + Math.floor(Math.random() * n) });
const shuffled = (list) => list.map((v) => [Math.random(), v]).sort(([a], [b]) => a - b).map(([, v]) => v);
const order = (n) => ({
  id: randomUUID(), at: new Date().toISOString(), number: n, currency: 'EUR',
  customer: { id: id(), name: 'Ann', address: { city: 'Berlin', zip: '10115' } },
  lines: [{ sku: 'a', price: 1.5, key: id() }, { sku: 'b', price: 2.5, key: id() }],
  tags: ['x', 'y', 'z'], flags: { paid: true, open: false }, note: null, total: 12.5,
  events: some(5).map(() => ({ at: Date.now(), kind: 'seen', source: 'web' })),
  byId: Object.fromEntries(some(4).map(() => [id(), { state: 'open', seen: Math.random() }])),
  recent: shuffled([1, 2, 3, 4]),
  ...(Math.random() < 0.3 && { debug: { ms: Math.random(), host: 'h' + Math.random() } }),
  retries: Math.random() < 0.2 ? 1 : 0,
});
const changes = {
  '1': (o) => (o.currency = 'USD'), '2': (o) => (o.customer.name = 'Bob'),
  '3': (o) => (o.customer.address.zip = 10115), '4': (o) => delete o.customer.address.city,
  '5': (o) => (o.customer.phone = '1'), '6': (o) => (o.lines[1].price = 2.75),
  '7': (o) => o.lines.reverse(), '8': (o) => o.tags.reverse(), '9': (o) => o.tags.push('w'),
  '10': (o) => (o.flags.paid = 'true'), '11': (o) => (o.note = ''), '12': (o) => delete o.flags.open,
  '13': (o) => (o.events[0].kind = 'sent'), '14': (o) => (Object.values(o.byId)[0].state = 'shut'),
  '15': (o) => (o.lines = o.lines[0]), '16': (o) => (o.number = String(o.number)),
};
createServer((request, response) => {
  request.resume().on('end', () => {
    const [, group, n] = request.url.split('/');
    const value = order(Number(n));
    const which = group.slice(1);
    if (isNew) changes[which]?.(value);
    response.setHeader('content-type', isNew && which === '17' ? 'text/json' : 'application/json');
    if (isNew && which === '18') response.statusCode = 201;
    if (isNew && which === '19') response.statusCode = 500;
    const text = JSON.stringify(value);
    if (which === '20') response.setHeader('content-type', 'text/plain');
    const plain = isNew ? 'bye' : 'hello';
    const decimal = isNew && which === '21' ? text.replace('"total":12.5', '"total":12.50') : text;
    response.end(which === '20' ? plain : decimal);
  });
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

/** As the lines of --json say: path, kind and place. */
export const plantedDifferences: readonly string[] = [
  '/g1/{id} value body.currency',
  '/g2/{id} value body.customer.name',
  '/g3/{id} type body.customer.address.zip',
  '/g4/{id} missing body.customer.address.city',
  '/g5/{id} added body.customer.phone',
  '/g6/{id} value body.lines.*.price',
  '/g7/{id} order body.lines',
  '/g8/{id} order body.tags',
  '/g9/{id} added body.tags.*',
  '/g10/{id} type body.flags.paid',
  '/g11/{id} type body.note',
  '/g12/{id} missing body.flags.open',
  '/g13/{id} value body.events.*.kind',
  '/g14/{id} value body.byId.{id}.state',
  '/g15/{id} type body.lines',
  '/g16/{id} type body.number',
  '/g17/{id} content-type content-type',
  '/g18/{id} status status',
  '/g19/{id} status status',
  '/g20/{id} body body',
  '/g21/{id} value body.total',
];

const running: ChildProcess[] = [];
afterEachTest(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a version of it as a process, which ends with the test; its URL. */
export async function startNoisyHandler(version: 1 | 2): Promise<string> {
  const child = spawn(process.execPath, ['-e', source, String(version)]);
  running.push(child);
  child.stderr.pipe(process.stderr);
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return `http://127.0.0.1:${port.trim()}`;
}
