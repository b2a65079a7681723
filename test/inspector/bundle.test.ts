import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/inspector/', import.meta.url));
const page = readFileSync(`${folder}index.html`, 'utf8');
const assets = readdirSync(`${folder}assets`);

it('is a page without a script or style of its own, so that a strict policy can hold', () => {
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
  expect([...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text)).toEqual([
    '',
  ]);
});

it('names nothing but files that are there, below /_evfwd/', () => {
  const named = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
  expect(named.length).toBe(3);
  expect(named.sort()).toEqual(assets.map((name) => `/_evfwd/assets/${name}`).sort());
});

it('is small', () => {
  const script = assets.find((name) => name.endsWith('.js'))!;
  expect(readFileSync(`${folder}assets/${script}`).length).toBeLessThan(120 * 1024);
});

it('carries the licences of what is bundled', () => {
  const licenses = readFileSync(`${folder}licenses.md`, 'utf8');
  for (const name of ['preact', 'uplot']) expect(licenses).toContain(`## ${name} - `);
});
