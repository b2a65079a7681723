import type { ReceivedRequest } from '../../listen/received-request.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';

type Noted = Pick<
  ReceivedRequest,
  'fault' | 'signature' | 'reason' | 'isDuplicate' | 'duplicateEvents' | 'forwarded'
>;

/** What is said beside the status: the fault, why the signature is invalid, a repeat, the app. */
export function responseNotes(noted: Noted): string {
  const notes = notesBesidesFault(noted);
  if (noted.fault !== null) notes.unshift(`by ${printable(noted.fault)}`);
  return notes.join(', ');
}

/** Whether there are notes besides that of a fault, for which a layout has no room of its own. */
export function hasNotes(noted: Noted): boolean {
  return notesBesidesFault(noted).length > 0;
}

function notesBesidesFault(noted: Noted): string[] {
  const { signature, reason, isDuplicate, duplicateEvents, forwarded } = noted;
  const notes: string[] = [];
  if (signature === 'invalid' && reason !== null) notes.push(reason);
  if (isDuplicate) notes.push('duplicate');
  if (duplicateEvents.length > 0) {
    notes.push(countOf(duplicateEvents.length, 'duplicate event'));
  }
  if (forwarded) notes.push(appNote(forwarded));
  return notes;
}

function appNote({ error }: NonNullable<ReceivedRequest['forwarded']>): string {
  return error === null ? 'from the app' : `app: ${printable(error)}`;
}
