/// <reference types="node" preserve="true" />
/** The entry `evfwd/sign`: signatures alone, for receivers that want to start fast. */
export { UsageError } from '../errors.js';
export {
  signRequest,
  verifyRequest,
  type ReceivedHeaderFields,
  type RequestVerification,
  type SignRequestOptions,
  type VerifyRequestOptions,
} from './library.js';
export type { VerifyReason } from './verify-reason.js';
export { sign, verify, type Bytes } from './x-signature.js';
