import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchUsage } from './watch-usage.js';

const meter = pathToFileURL(join(import.meta.dirname, 'meter.js')).href;
const running = new Set();
let runs = 0;

/**
 * Runs a Node program to its end. Resolves to `{ seconds, cpuSeconds, peakMb, stdout, code }`: the
 * time from its start to its exit, what it has used, what it has printed.
 * @throws when it exits with another code than `codes` (default: 0 alone).
 */
export async function runNode(args, options) {
  const usagePath = join(options.folder, `usage-${++runs}.json`);
  const env = { ...options.env, EVFWD_BENCH_METER: usagePath };
  const result = await run(process.execPath, ['--import', meter, ...args], { ...options, env });
  return { ...result, ...JSON.parse(readFileSync(usagePath, 'utf8')) };
}

/** Runs any program likewise; its usage is looked at from outside, every few milliseconds. */
export async function runProgram(command, args, options = {}) {
  let usage = () => ({});
  const result = await run(command, args, {
    ...options,
    onSpawn(child) {
      usage = watchUsage(child.pid);
      options.onSpawn?.(child);
    },
  });
  return { ...result, ...usage() };
}

/** Runs any program likewise, without its usage: the shortest way, for times of milliseconds. */
export function run(command, args, { env, input, output = 'pipe', onSpawn, codes = [0] } = {}) {
  const stdin = input === undefined ? 'ignore' : openSync(input);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, {
      stdio: [stdin, output, 'pipe'],
      env: { ...cleanEnvironment(), ...env },
    });
    running.add(child);
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    let seconds = 0;
    child.on('error', reject);
    child.on('exit', () => {
      seconds = (performance.now() - startedAt) / 1000;
      running.delete(child);
      if (stdin !== 'ignore') closeSync(stdin);
    });
    child.on('close', (code) => {
      if (codes.includes(code)) resolve({ seconds, code, stdout: stdout() });
      else reject(new Error(`${command} ${args.join(' ')}: exit ${code}\n${stderr()}`));
    });
    onSpawn?.(child);
  });
}

/** Ends what still runs, where a case has failed. */
export function endRunning() {
  for (const child of running) child.kill('SIGKILL');
}

/** What the user has set for evfwd itself would change what is measured. */
function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(EVFWD_|NODE_|FORCE_COLOR|DEBUG)/.test(name)),
  );
}

/** The end of what a program prints; some print without end. */
function gather(stream) {
  if (!stream) return () => '';
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => (text = (text + chunk).slice(-65_536)));
  return () => text;
}
