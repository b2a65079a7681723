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
 * The event that the flags of `send` describe, ready to go.
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
      `the event is not valid: ${printable(event.message)}${flagFor(event.code)}`,
      event.code,
    );
  }
  return { event, stamp: stampFresh(event, Date.now()) };
}

function typeOf(event: Buffer): unknown {
  return (JSON.parse(event.toString()) as { type?: unknown }).type;
}

/** The flag that mends a broken rule, as the next step. */
function flagFor(code: string): string {
  const flag = flags[code];
  return flag ? `; give ${flag}` : '';
}

const flags: Readonly<Record<string, string>> = {
  missing_type: 'it as the first argument, like evfwd send track',
  missing_user: '--user-id or --anonymous-id',
  missing_user_id: '--user-id',
  missing_previous_id: '--previous-id',
  missing_event: "--event 'Order Completed'",
  missing_group_id: '--group-id',
  invalid_timestamp: '--timestamp in that form',
};

function readText(io: Io): (path: string) => Promise<Buffer> {
  return (path) => (path === '-' ? buffer(io.stdin) : readFile(resolve(io.cwd, path)));
}
