import type { Check } from '../check.js';
import type { Sender } from '../senders/sender.js';
import type { CheckSettings } from '../settings.js';
import { acceptChecks } from './accept.js';
import { answerChecks } from './answer.js';
import { arrayChecks } from './arrays.js';
import { batchChecks } from './batch.js';
import { dupChecks } from './dup.js';
import { goneChecks } from './gone.js';
import { handshakeChecks } from './handshake.js';
import { httpChecks } from './http.js';
import { limitChecks } from './limit.js';
import { loadChecks } from './load.js';
import { orderChecks } from './order.js';
import { reachChecks } from './reach.js';
import { refuseChecks } from './refuse.js';
import { formChecks } from './sign-forms.js';
import { leakCheck } from './sign-leak.js';
import { rawBytesChecks } from './sign-raw-bytes.js';
import { rotationCheck } from './sign-rotation.js';
import { signChecks } from './sign.js';
import { timeChecks } from './time.js';
import { tlsChecks } from './tls.js';
import { tolerateChecks } from './tolerate.js';

/** Every check for a sender's events, in the order of reports. */
export function allChecks(sender: Sender): readonly Check[] {
  return [...reachChecks, ...tlsChecks, ...acceptChecks(sender), ...otherChecks];
}

const otherChecks: readonly Check[] = [
  ...answerChecks,
  ...signChecks,
  ...rawBytesChecks,
  ...formChecks,
  leakCheck,
  rotationCheck,
  ...timeChecks,
  ...batchChecks,
  ...arrayChecks,
  ...dupChecks,
  ...orderChecks,
  ...tolerateChecks,
  ...refuseChecks,
  ...httpChecks,
  ...loadChecks,
  ...limitChecks,
  ...goneChecks,
  ...handshakeChecks,
];

/** The checks of one run: all, but those of arrays if events come alone, and of handshakes the one asked for. */
export function checksFor({
  handshake,
  sender,
}: Pick<CheckSettings, 'handshake' | 'sender'>): readonly Check[] {
  return allChecks(sender).filter((check) => {
    if (arrayChecks.includes(check)) return sender.isBatch;
    return !handshakeChecks.includes(check) || check.id === `handshake.${handshake?.vendor}`;
  });
}
