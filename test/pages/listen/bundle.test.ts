import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

describe.each([
  { name: 'inspector', most: 168, licensed: ['@preact/signals', 'diff', 'preact', 'uplot'] },
  { name: 'service-page', most: 177, licensed: ['@preact/signals', 'preact', 'uplot'] },
])('the page in dist/$name', ({ name, most, licensed }) => {
  const folder = fileURLToPath(new URL(`../../../dist/${name}/`, import.meta.url));
  const page = readFileSync(`${folder}index.html`, 'utf8');
  const assets = readdirSync(`${folder}assets`);

  it('has no script or style of its own, so that a strict policy can hold', () => {
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    const scripts = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)];
    expect(scripts.map(([, text]) => text)).toEqual(['']);
  });

  it('names nothing but files that are there, below /_evfwd/', () => {
    const named = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
    expect(named.length).toBe(3);
    expect(named.sort()).toEqual(assets.map((asset) => `/_evfwd/assets/${asset}`).sort());
  });

  it('is small', () => {
    const script = assets.find((asset) => asset.endsWith('.js'))!;
    expect(readFileSync(`${folder}assets/${script}`).length).toBeLessThan(most * 1024);
  });

  it('carries the licences of what is bundled', () => {
    const licenses = readFileSync(`${folder}licenses.md`, 'utf8');
    for (const used of licensed) expect(licenses).toContain(`## ${used} - `);
  });
});
