import { isUint8Array } from 'node:util/types';
import type { OptionRule } from '../option-rules.js';
import type { Bytes } from './x-signature.js';

/** The option `secret` of the library as a list, newest first. */
export function listOfSecrets(secret: Bytes | readonly Bytes[]): readonly Bytes[] {
  return Array.isArray(secret) ? (secret as readonly Bytes[]) : [secret as Bytes];
}

/** JavaScript callers may pass anything. */
export function isBytes(value: unknown): value is Bytes {
  return typeof value === 'string' || isUint8Array(value);
}

/** One secret, or several. */
export const secretRule: OptionRule = {
  accepts: (value) => {
    const list = listOfSecrets(value as Bytes);
    return list.length > 0 && list.every(isBytes);
  },
  form: 'a string, bytes, or a list of these',
};
