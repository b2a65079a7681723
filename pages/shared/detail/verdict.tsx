import type { SignatureVerdict } from '../../../src/api/listen.js';
import type { IconName } from '../controls/icon.js';
import { StateWord } from '../controls/status.js';

const icons: Readonly<Record<SignatureVerdict, IconName>> = {
  valid: 'check',
  invalid: 'cross',
  missing: 'dash',
  unchecked: 'circle',
};

/** The verdict on a signature, as a word with its icon. */
export function Verdict({ verdict }: { readonly verdict: SignatureVerdict }) {
  return <StateWord state={verdict} icon={icons[verdict]} />;
}
