import type { ReceivedRequest } from '../../listen/received-request.js';
import { printable } from '../../output/printable.js';

type Noted = Pick<ReceivedRequest, 'fault' | 'signature' | 'reason' | 'isDuplicate' | 'forwarded'>;

/** What is said beside the status: the fault, why the signature is invalid, a repeat, the app. */
export function responseNotes({ fault, signature, reason, isDuplicate, forwarded }: Noted): string {
  const notes = [
    fault === null ? undefined : `by ${printable(fault)}`,
    signature === 'invalid' && reason !== null ? reason : undefined,
    isDuplicate ? 'duplicate' : undefined,
    forwarded ? appNote(forwarded) : undefined,
  ];
  return notes.filter((note) => note !== undefined).join(', ');
}

/** Whether there are notes other than that of a fault, which may be cut. */
export function hasNotes(received: Noted): boolean {
  return responseNotes({ ...received, fault: null }) !== '';
}

function appNote({ error }: NonNullable<ReceivedRequest['forwarded']>): string {
  return error === null ? 'from the app' : `app: ${printable(error)}`;
}
