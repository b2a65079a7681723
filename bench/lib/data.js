import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from './sign.js';

/** Shared by the receiver and every sender; not secret. */
export const secret = 'a shared secret of usual length';

/** Files are kept between runs: ten million events take a while to write. */
const folder = join(tmpdir(), 'evfwd-bench-data');

/** Path of an NDJSON file of `count` events of about 400 bytes, created if it is missing. */
export function eventFile(count) {
  return cached(`events-1-${count}.ndjson`, (path) => writeLines(path, count, eventText));
}

/** Path of a capture of `count` signed requests. */
export function captureFile(count) {
  return cached(`capture-1-${count}.ndjson`, (path) => writeLines(path, count, captureText));
}

function captureText(index) {
  const body = eventText(index);
  return JSON.stringify({
    type: 'request',
    id: `r${index}`,
    at: timestampOf(index),
    method: 'POST',
    path: '/hook',
    headers: { 'content-type': 'application/json', 'x-signature': sign(body, secret) },
    body,
  });
}

/** Path of a file with this name, which `write` writes at the path it gets, if it is missing. */
export async function cached(name, write) {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  // Renamed only when complete.
  const unfinished = `${path}.${process.pid}`;
  await write(unfinished);
  renameSync(unfinished, path);
  return path;
}

const linesAtOnce = 1_000;

export async function writeLines(path, count, textOf) {
  const file = createWriteStream(path);
  for (let start = 0; start < count; start += linesAtOnce) {
    const length = Math.min(linesAtOnce, count - start);
    const lines = Array.from({ length }, (_, i) => `${textOf(start + i)}\n`);
    if (!file.write(lines.join(''))) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** The same event for the same index, on every machine. */
export function eventText(index) {
  return JSON.stringify(eventOf(index));
}

const kinds = [
  track,
  track,
  (index) => ({
    type: 'page',
    name: 'Product',
    category: 'Shop',
    properties: { url: `https://shop.example.com/products/${index % 5000}`, title: 'A product' },
  }),
  track,
  (index) => ({
    type: 'identify',
    traits: { email: `user${index % 9973}@example.com`, plan: 'pro', logins: index % 400 },
  }),
];

function track(index) {
  return {
    type: 'track',
    event: 'Order Completed',
    properties: {
      orderId: `o-${index}`,
      total: (index % 10_000) / 100,
      currency: 'EUR',
      products: [{ sku: `s-${index % 700}`, quantity: 1 + (index % 3), price: 12.5 }],
    },
  };
}

/** The event of `eventText`. */
export function eventOf(index) {
  return {
    messageId: `b6e4f1d2-7c3a-4e5b-9f10-${String(index).padStart(12, '0')}`,
    userId: `user-${index % 9973}`,
    timestamp: timestampOf(index),
    ...kinds[index % kinds.length](index),
    context: {
      ip: '203.0.113.7',
      locale: 'de-DE',
      library: { name: 'shop-server', version: '4.1.0' },
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101',
    },
  };
}

const firstMs = Date.UTC(2026, 0, 1);

function timestampOf(index) {
  return new Date(firstMs + index * 250).toISOString();
}
