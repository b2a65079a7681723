import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The source of events of a configuration, for these destinations. */
export function sourceTo(...destinations) {
  return { bench: { writeKey: 'bench', destinations } };
}

/** How a load sends to a source of events with this write key. */
export function loginTo(writeKey) {
  return ['--headers', `Authorization: Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`];
}

/** The same for the source of `sourceTo`. */
export const loginFlags = loginTo('bench');

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
