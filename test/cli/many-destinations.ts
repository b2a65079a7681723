import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { folderWith } from '../helpers/folder.js';

/** The most memory that a process has had, in bytes. */
export function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

/** Destinations at paths of these URLs, and one at the last URL. */
export function folderWithDestinations(
  count: number,
  urls: string | readonly string[],
  goodUrl: string,
): string {
  const names = Array.from({ length: count }, (_, i) => `d${i}`);
  const section = (name: string, all: readonly string[]): string => {
    const endpoints = all.map((url) => `{ url: '${url}' }`).join(', ');
    return `  ${name}: { type: Webhooks, allowPrivateNetworks: true, sharedSecret: 'secret-of-${name}', endpoints: [${endpoints}] }\n`;
  };
  const sections = names.map((name) =>
    section(
      name,
      [urls].flat().map((url) => `${url}/${name}`),
    ),
  );
  return folderWith({
    'evfwd.config.yaml': `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [${[...names, 'good'].join(', ')}] }
destinations:
${sections.join('')}${section('good', [goodUrl])}`,
  });
}

/** Sends batches of 15 events. */
export async function sendBatches(url: string, batches: number, bytes: number): Promise<void> {
  for (let i = 0; i < batches; i++) await sendBatch(url, { size: 15, bytes, ids: `m${i}` });
}

/** Sends one batch; the messageIds of its events begin with `ids`. */
export async function sendBatch(
  url: string,
  { size, bytes, ids }: { readonly size: number; readonly bytes: number; readonly ids: string },
): Promise<void> {
  const batch = Array.from({ length: size }, (_, j) => ({
    ...{ type: 'track', userId: 'u', event: 'E', messageId: `${ids}-${j}` },
    properties: { text: 'x'.repeat(bytes) },
  }));
  const body = JSON.stringify({ batch, writeKey: 'hush-key' });
  const response = await fetch(`${url}/v1/batch`, { method: 'POST', body });
  expect(response.status).toBe(200);
}
