import {
  requestVerifier,
  type RequestToVerify,
  type RequestVerdict,
  type VerifierOptions,
} from './request-verifier.js';
import type { Scheme } from './schemes/scheme.js';

export interface PresetsFirstOptions extends Omit<VerifierOptions, 'own'> {
  /** Reads the schemes of the configuration file; called once, when they are needed. */
  readonly ownSchemes: () => Promise<readonly Scheme[]>;
}

export interface PresetsFirstVerdict {
  readonly verdict: RequestVerdict;
  /** The own schemes that were looked at. */
  readonly own: readonly Scheme[];
}

/** A verifier that reads the configuration file late. */
export interface PresetsFirstVerifier {
  readonly warnings: readonly string[];
  verify(request: RequestToVerify, nowMs: number): Promise<PresetsFirstVerdict>;
}

/**
 * As `requestVerifier`. With `auto`, the configuration file is only read for a request that no preset
 * finds valid: reading it takes longer than a verification.
 *
 * @throws UsageError for a secret that is not in the form of the scheme
 */
export function presetsFirstVerifier(options: PresetsFirstOptions): PresetsFirstVerifier {
  const { ownSchemes, ...rest } = options;
  const byPresets = requestVerifier(rest);
  let full: Promise<{ own: readonly Scheme[]; verifier: typeof byPresets }> | undefined;
  const prepare = async () => {
    const own = await ownSchemes();
    return { own, verifier: own.length === 0 ? byPresets : requestVerifier({ ...rest, own }) };
  };
  return {
    warnings: byPresets.warnings,
    async verify(request, nowMs) {
      const verdict = byPresets.verify(request, nowMs);
      if (verdict.valid || rest.scheme !== 'auto') return { verdict, own: [] };
      const { own, verifier } = await (full ??= prepare());
      return { verdict: verifier.verify(request, nowMs), own };
    },
  };
}
