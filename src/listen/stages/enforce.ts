import type { PlannedResponse } from '../planned-response.js';
import { answerWith, type Stage } from './stage.js';

/** Answers 401 unless the signature is valid; why it is not stands in the capture alone. */
export const enforce: Stage = ({ judged }, next) =>
  judged.signature === 'valid' ? next() : Promise.resolve(answerWith(refused));

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
