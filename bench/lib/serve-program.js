import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const writeKey = 'bench';
const login = Buffer.from(`${writeKey}:`).toString('base64');

/** The source of events of a configuration, for these destinations. */
export function sourceTo(...destinations) {
  return { bench: { writeKey, destinations } };
}

/** How a load sends to that source. */
export const loginFlags = ['--headers', `Authorization: Basic ${login}`];

/** `evfwd serve` with a configuration of its own, to be started by `intake` or `through`. */
export function serveProgram(workshop, folder, configuration) {
  const config = join(folder, 'evfwd.config.json');
  writeFileSync(config, JSON.stringify(configuration));
  const args = ['--config', config, '--state-dir', join(folder, 'state'), '--port', '0'];
  return { program: workshop.program, args: ['serve', ...args] };
}

/** A contender that measures in a folder of its own, which is removed. */
export function inFolder(workshop, name, measure) {
  return {
    name,
    async run() {
      const folder = workshop.makeFolder();
      try {
        return await measure(folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
