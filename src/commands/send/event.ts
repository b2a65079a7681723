import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.js';
import { buildEvent, type EventFlags } from '../../events/build.js';
import { builtHere, isProblem } from '../../events/event.js';
import { parseEvent } from '../../events/parse.js';
import { stampFresh } from '../../events/stamp.js';
import type { Outgoing } from '../../delivery/target.js';
import { printable } from '../../output/printable.js';
import type { Io } from '../shared/command.js';
import { unknownType } from '../shared/event-type.js';

/**
 * Builds the event that the flags of `send` describe.
 * @throws UsageError when they do not make a valid event.
 */
export async function buildOutgoing(
  type: string | undefined,
  flags: Omit<EventFlags, 'type'>,
  io: Io,
): Promise<Outgoing> {
  const text = await buildEvent({ ...flags, ...(type !== undefined && { type }) }, readText(io));
  const event = parseEvent(text, builtHere('flags', text.length));
  if (isProblem(event)) {
    const type = typeOf(text);
    if (event.code === 'unknown_type' && typeof type === 'string') throw unknownType(type);
    throw new UsageError(
      `the event is not valid: ${printable(event.message)}${nextStep(event.code)}`,
      event.code,
    );
  }
  return { event, stamp: stampFresh(event, Date.now()) };
}

function typeOf(event: Buffer): unknown {
  return (JSON.parse(event.toString()) as { type?: unknown }).type;
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
