import { UsageError } from '../../errors.js';
import { nearest } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import { vendors } from '../../check/settings.js';
import type { Vendor } from '../../check/options.js';

/** The value of `--handshake`. @throws UsageError for another one */
export function checkedVendor(text: string): Vendor {
  const vendor = vendors.find((name) => name === text);
  if (vendor) return vendor;
  throw new UsageError(
    `--handshake: there is no vendor ${quoted(text, 'of this name')}; did you mean ${nearest(text, vendors)!}?`,
  );
}
