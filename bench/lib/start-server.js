import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchUsage } from './watch-usage.js';

/**
 * Starts a server in a process of its own. Resolves, once it has printed where it listens, to its
 * `url`; `stop()` ends it and returns its resource usage, `{ cpuSeconds, peakMb }`.
 */
export async function startServer(path, args) {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const usage = watchUsage(child.pid);
  return {
    url: await urlOf(child),
    async stop() {
      const used = usage();
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      return used;
    },
  };
}

const readyForm = /http:\/\/127\.0\.0\.1:\d+/;

/** Its output is read to the end, so that it does not wait for the bench. */
function urlOf(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (data) => {
      text = (text + data).slice(-10_000);
      const url = readyForm.exec(text)?.[0];
      if (url) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}\n${text}`)));
  });
}
