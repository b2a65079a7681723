import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.js';
import { buildEvent, type EventFlags } from '../../events/build.js';
import { builtHere, isProblem, type Problem } from '../../events/event.js';
import { refuseForeignFlags } from '../../events/flags-of-type.js';
import { parseEvent } from '../../events/parse.js';
import type { Editor } from '../../steps/step.js';
import { stampFresh } from '../../events/stamp.js';
import type { Outgoing } from '../../delivery/target.js';
import { printable } from '../../output/printable.js';
import type { MissingTargetError } from '../../config/missing-target.js';
import type { Io } from '../shared/command.js';
import { unknownType } from '../shared/event-type.js';
import { severalMissing } from './missing.js';

/**
 * Builds the event that the flags of `send` describe.
 *
 * @param editor The steps of `--set`, `--drop`, `--hash` and `--rename`.
 * @param missingTarget Named too, if the event is not complete either.
 * @throws UsageError when they do not make a valid event.
 */
export async function buildOutgoing(
  type: string | undefined,
  {
    flags,
    editor,
  }: { readonly flags: Omit<EventFlags, 'type'>; readonly editor: Editor | undefined },
  io: Io,
  missingTarget?: MissingTargetError,
): Promise<Outgoing> {
  if (type !== undefined) refuseForeignFlags(type, flags);
  const built = await buildEvent({ ...flags, ...(type !== undefined && { type }) }, readText(io));
  const { text, violation } = editor?.edit(built) ?? { text: built };
  if (violation) throw new UsageError(violation.message, violation.code);
  const event = parseEvent(text, builtHere('flags', text.length));
  const value = JSON.parse(text.toString()) as Readonly<Record<string, unknown>>;
  if (isProblem(event)) throw severalMissing(value, missingTarget) ?? explained(event, value.type);
  refuseForeignFlags(event.type, flags);
  return { event, stamp: stampFresh(event, Date.now()) };
}

function explained({ code, message }: Problem, type: unknown): UsageError {
  if (code === 'unknown_type' && typeof type === 'string') return unknownType(type);
  return new UsageError(`the event is not valid: ${printable(message)}${nextStep(code)}`, code);
}

/** The flag that fixes a broken rule, as the next step. */
function nextStep(code: string): string {
  const step = nextSteps[code];
  return step ? `; ${step}` : '';
}

const nextSteps: Readonly<Record<string, string>> = {
  missing_type: 'pass it as the first argument, e.g. evfwd send track',
  missing_user: 'use --user-id or --anonymous-id',
  missing_user_id: 'use --user-id',
  missing_previous_id: 'use --previous-id',
  missing_event: "use --event 'Order Completed'",
  missing_group_id: 'use --group-id',
  invalid_timestamp: 'use --timestamp in that form',
};

function readText(io: Io): (path: string) => Promise<Buffer> {
  return (path) => (path === '-' ? buffer(io.stdin) : readFile(resolve(io.cwd, path)));
}
