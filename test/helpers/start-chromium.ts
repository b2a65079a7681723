import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from './chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the shared browser; empty if the machine has none. */
    readonly browserEndpoint: string;
  }
}

/** Headless, and without Chromium's own network requests. */
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
