import type { SignatureVerdict } from '../../../src/api/listen.js';
import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/status.js';

const icons: Readonly<Record<SignatureVerdict, IconName>> = {
  valid: 'check',
  invalid: 'cross',
  missing: 'dash',
  unchecked: 'circle',
};

export function Verdict({ verdict }: { readonly verdict: SignatureVerdict }) {
  return <StateWord state={verdict} icon={icons[verdict]} />;
}
