import { headerValues } from '../http/header-rules.js';
import {
  requestVerifier,
  type RequestVerdict,
  type RequestVerifier,
} from '../sign/request-verifier.js';
import { signs } from '../sign/template.js';
import { presets } from '../sign/schemes/index.js';
import type { Scheme, Secret } from '../sign/schemes/scheme.js';
import { timeFault } from '../sign/time-fault.js';
import type { IncomingRequest } from './incoming-request.js';
import { requestToVerify } from './request-to-verify.js';
import { unchecked, type CheckedSignature } from './checked-signature.js';
import { normalPath } from './rules/normal-path.js';
import { pathPattern, pathWithoutQuery, type PathPattern } from './rules/path-pattern.js';

/** How the requests of one path, or of all others, are verified. */
export interface VerifyRule {
  /** Exact, or with a `/*` at its end; undefined: every path. */
  readonly path?: string | undefined;
  readonly scheme: Scheme | 'auto';
  /** Any that fits; at least one, newest first. */
  readonly secrets: readonly Secret[];
  /** Begins messages about its secrets, e.g. `--secret-file`. Default: by the path. */
  readonly where?: string | undefined;
  /** The file of the newest secret, for commands to be pasted; undefined if it is from no file. */
  readonly secretFile?: string | undefined;
}

export interface VerificationOptions {
  /** The schemes of the configuration file, for `auto` and for hints. */
  readonly own?: readonly Scheme[] | undefined;
  /** The scheme of requests that no rule covers: their ids are read, their signatures are not checked. */
  readonly unverified?: Scheme | undefined;
  /** Whether each scheme with a time refuses one that is ahead, as its own sender's library may not. */
  readonly judgesFuture?: boolean | undefined;
}

type Signed = Pick<
  IncomingRequest,
  'headers' | 'body' | 'method' | 'path' | 'isTooLarge' | 'receivedAt'
>;

/** Verifies the signatures of requests: the first rule whose path fits decides. */
export class Verification {
  readonly own: readonly Scheme[];
  readonly #unverified: Scheme | undefined;
  readonly #judgesFuture: boolean;
  readonly #rules: readonly {
    readonly rule: VerifyRule;
    readonly isFor: PathPattern;
    /** The same for a path in lower case: many apps take `/A` for `/a`. */
    readonly isForAnyCase: PathPattern;
    readonly verifier: RequestVerifier;
    /** Whether a request's URL has to be composed. */
    readonly signsUrl: boolean;
  }[];

  /** @throws UsageError for a secret that is not in the form of its scheme */
  constructor(
    rules: readonly VerifyRule[] = [],
    { own = [], unverified, judgesFuture = false }: VerificationOptions = {},
  ) {
    this.own = own;
    this.#unverified = unverified;
    this.#judgesFuture = judgesFuture;
    this.#rules = rules.map((rule) => ({
      rule,
      isFor: patternOf(rule.path),
      isForAnyCase: patternOf(rule.path?.toLowerCase()),
      verifier: requestVerifier({ ...rule, where: rule.where ?? placeOf(rule), own }),
      signsUrl: rule.scheme === 'auto' || signs(rule.scheme, 'url'),
    }));
  }

  get hasSecret(): boolean {
    return this.#rules.length > 0;
  }

  /** Every secret of every rule. */
  get secrets(): readonly Secret[] {
    return this.#rules.flatMap(({ rule }) => rule.secrets);
  }

  /** The rule of a path; undefined if none covers it. */
  ruleFor(path: string): VerifyRule | undefined {
    return this.#entryFor(path)?.rule;
  }

  /** Whether an app may take the path for one of another rule, as `//a` or `/A` for `/a`. */
  isAmbiguous(path: string): boolean {
    const entry = this.#entryFor(path);
    // A rule that is written with a slash at its end means that path.
    if (entry?.rule.path === pathWithoutQuery(path)) return false;
    const normal = normalPath(path).toLowerCase();
    return entry !== this.#rules.find(({ isForAnyCase }) => isForAnyCase(normal));
  }

  /** `unchecked` if no rule covers the path, or the body is not whole. */
  check(request: Signed): CheckedSignature {
    const verdict = this.verdictOf(request);
    if (!verdict) {
      const webhookId = this.#idOf(request);
      return webhookId === null ? unchecked : { ...unchecked, webhookId };
    }
    const { valid, scheme, reason = null, id = null, timestampMs = null } = verdict;
    return {
      signature: valid ? 'valid' : reason === 'missing' ? 'missing' : 'invalid',
      scheme,
      reason,
      webhookId: id,
      signedAt: timestampMs,
    };
  }

  /** As of when it was received; undefined where it is unchecked. */
  verdictOf(request: Signed): RequestVerdict | undefined {
    const { headers, body, method, path, isTooLarge, receivedAt } = request;
    const entry = isTooLarge ? undefined : this.#entryFor(path);
    if (!entry) return undefined;
    const received = entry.signsUrl ? requestToVerify(request) : { headers, body, method };
    const verdict = entry.verifier.verify(received, receivedAt);
    return this.#judgesFuture ? this.#withFuture(verdict, receivedAt) : verdict;
  }

  #withFuture(verdict: RequestVerdict, nowMs: number): RequestVerdict {
    const scheme = presets.get(verdict.scheme ?? '');
    if (!verdict.valid || !scheme) return verdict;
    const fault = timeFault(
      { ...scheme, judgesFuture: true },
      verdict.timestampMs,
      nowMs,
      undefined,
    );
    return fault ? { ...verdict, valid: false, ...fault } : verdict;
  }

  /** Null unless there is exactly one, so that webhooks without an id of their own are never merged. */
  #idOf({ headers }: Signed): string | null {
    const name = this.#unverified?.id?.header.toLowerCase();
    const ids = name === undefined ? [] : headerValues(headers, name);
    return ids.length === 1 ? ids[0]! || null : null;
  }

  #entryFor(path: string) {
    return this.#rules.find(({ isFor }) => isFor(path));
  }
}

function patternOf(path: string | undefined): PathPattern {
  return path === undefined ? () => true : pathPattern(path);
}

function placeOf({ path }: VerifyRule): string | undefined {
  return path === undefined ? undefined : `--verify: path=${path}`;
}
