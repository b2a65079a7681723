import { errorResponse } from '../planned-response.js';
import type { Verification } from '../../receive/verification.js';
import { answerWith, type Stage } from './stage.js';

/**
 * Answers 401 unless the signature is valid, and by the rule of every path that an app may take the
 * request's path for; why it is not stands in the capture alone.
 */
export function enforce(verification: Verification): Stage {
  return ({ checked, incoming }, next) => {
    const isValid = checked.signature === 'valid' && !verification.isAmbiguous(incoming.path);
    return isValid ? next() : answerWith(refused);
  };
}

const refused = errorResponse(
  401,
  'signature_invalid',
  'the signature of this request is missing or not valid',
);
