import type { PlannedResponse } from '../planned-response.js';
import type { Verification } from '../verification.js';
import { answerWith, type Stage } from './stage.js';

/**
 * Answers 401 unless the signature is valid, and by the rule of every path that an app may take the
 * request's path for; why it is not stands in the capture alone.
 */
export function enforce(verification: Verification): Stage {
  return ({ judged, incoming }, next) => {
    const isValid = judged.signature === 'valid' && !verification.isAmbiguous(incoming.path);
    return isValid ? next() : Promise.resolve(answerWith(refused));
  };
}

const error = {
  code: 'signature_invalid',
  message: 'the signature of this request is missing or not valid',
};

const refused: PlannedResponse = {
  status: 401,
  delayMs: 0,
  kind: 'whole',
  slowMs: 0,
  content: {
    by: 'enforce',
    headers: [['Content-Type', 'application/json']],
    body: Buffer.from(JSON.stringify({ error })),
    isWhole: true,
  },
};
