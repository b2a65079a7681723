import type { SignatureVerdict } from '../api.js';
import { Icon, type IconName } from '../shared/controls/icon.js';

const icons: Readonly<Record<SignatureVerdict, IconName>> = {
  valid: 'check',
  invalid: 'cross',
  missing: 'dash',
  unchecked: 'circle',
};

/** A verdict as a shape, a colour and a word. */
export function Verdict({ verdict }: { readonly verdict: SignatureVerdict }) {
  return (
    <span class={`verdict ${verdict}`}>
      <Icon name={icons[verdict]} />
      {verdict}
    </span>
  );
}
