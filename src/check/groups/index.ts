import type { Check } from '../check.js';
import type { CheckSettings } from '../settings.js';
import { acceptChecks } from './accept.js';
import { answerChecks } from './answer.js';
import { goneChecks } from './gone.js';
import { handshakeChecks } from './handshake.js';
import { httpChecks } from './http.js';
import { limitChecks } from './limit.js';
import { loadChecks } from './load.js';
import { reachChecks } from './reach.js';
import { refuseChecks } from './refuse.js';
import { tlsChecks } from './tls.js';

/** Every check, in the order of reports. */
export const checks: readonly Check[] = [
  ...reachChecks,
  ...tlsChecks,
  ...acceptChecks,
  ...answerChecks,
  ...refuseChecks,
  ...httpChecks,
  ...loadChecks,
  ...limitChecks,
  ...goneChecks,
  ...handshakeChecks,
];

/** The checks of one run: all, and of the handshakes the one that is asked for. */
export function checksFor({ handshake }: Pick<CheckSettings, 'handshake'>): readonly Check[] {
  return checks.filter(
    (check) => !handshakeChecks.includes(check) || check.id === `handshake.${handshake?.vendor}`,
  );
}
