import type { Io } from '../shared/command.js';
import { say } from '../shared/flags.js';
import type { SignFlags } from './command.js';

/** Says that the content type makes no difference: whoever gives it may think that the scheme signs it. */
export function noteUnused(scheme: string, { contentType, quiet }: SignFlags, io: Io): void {
  if (contentType === undefined || quiet) return;
  say(io, `note: --content-type has no effect, since ${scheme} signs every type in the same way`);
}
