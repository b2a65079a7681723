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
 * time from its start to its exit, its resource usage and its output.
 * @throws if its exit code is not one of `codes` (default: only 0).
 */
export async function runNode(args, options) {
  const usagePath = join(options.folder, `usage-${++runs}.json`);
  const env = { ...options.env, EVFWD_BENCH_METER: usagePath };
  const result = await run(process.execPath, ['--import', meter, ...args], { ...options, env });
  return { ...result, ...JSON.parse(readFileSync(usagePath, 'utf8')) };
}

/** The same for any program; its usage is sampled from outside, every few milliseconds. */
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

/** The same without usage: the least overhead, for times of milliseconds. */
export function run(command, args, { env, input, output = 'pipe', onSpawn, codes = [0] } = {}) {
  const stdin = input === undefined ? 'ignore' : openSync(input);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, {
      stdio: [stdin, output, 'pipe'],
      env: { ...cleanEnvironment(), ...env },
    });
    running.add(child);
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
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

/** Kills processes that still run after a failed case. */
export function endRunning() {
  for (const child of running) child.kill('SIGKILL');
}

/** Without settings of the user for evfwd and Node, which would change the results. */
function cleanEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(EVFWD_|NODE_|FORCE_COLOR|DEBUG)/.test(name)),
  );
}

/** The end of a program's output; some print without end. */
function collect(stream) {
  if (!stream) return () => '';
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => (text = (text + chunk).slice(-65_536)));
  return () => text;
}
