import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import type { InitFlags } from './command.js';
import { nextSteps, relaySteps } from './next-steps.js';
import { relayOf, relayTemplate } from './relay-template.js';
import { template } from './template.js';

const fileName = 'evfwd.config.yaml';
/** In the same directory, the new file would take their place. */
const otherNames = ['evfwd.config.yml', 'evfwd.config.json'];

/** Writes the first configuration file, and says what to do next. */
export async function init({ force = false, relay }: InitFlags, io: Io): Promise<void> {
  const sender = relay === undefined ? undefined : relayOf(relay);
  for (const name of otherNames) {
    if (await exists(join(io.cwd, name)))
      throw new UsageError(`${name} exists, and ${fileName} would replace it; edit or rename it`);
  }
  await write(join(io.cwd, fileName), sender ? relayTemplate(sender) : template, force);
  say(io, `${fileName} written. Try it:`);
  const steps = sender ? relaySteps(sender, process.platform) : nextSteps(process.platform);
  say(io, `\n${steps}`);
  if (io.env.EVFWD_CONFIG)
    say(io, `\nEVFWD_CONFIG is set: until you unset it, it is used instead of ${fileName}`);
  io.exit(0);
}

/** Without `force`, an existing file stays, even one that is created meanwhile. */
async function write(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(reasonOf(error as NodeJS.ErrnoException), undefined, { cause: error });
  }
}

function reasonOf({ code = 'unknown error' }: NodeJS.ErrnoException): string {
  if (code === 'EEXIST') return `${fileName} exists; edit it, or use --force to replace it`;
  return `${fileName} cannot be written (${printable(code)}); use a directory that you can write to`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
