import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from './chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the browser of all tests takes connections; empty on a machine without one. */
    readonly browserEndpoint: string;
  }
}

/** Headless, and silent: Chromium asks nobody for anything of its own. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One Chromium for all tests; each opens fresh profiles in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    project.provide('browserEndpoint', '');
    return () => Promise.resolve();
  }
  const server = await chromium.launchServer({ executablePath, args: flags });
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
