import type { SigningSettings } from '../../src/sign/request-signer.js';
import { schemeNamed } from '../../src/sign/schemes/index.js';

/** One way to sign, with secrets newest first. */
export function signingBy(scheme: string, ...secrets: string[]): SigningSettings[] {
  return [{ scheme: schemeNamed(scheme, [], 'test'), secrets }];
}
