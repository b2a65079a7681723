/// <reference types="node" preserve="true" />
/** The entry `evfwd/sign`: signatures alone, for receivers that want to start fast. */
export { UsageError } from '../errors.js';
export { sign, verify, type Bytes } from './x-signature.js';
