import type { Bytes } from '../sign/x-signature.js';

/** `must` decides the exit code, `should` warns, `info` only informs. */
export type Level = 'must' | 'should' | 'info';

/** `na`: it could not be judged. */
export type Verdict = 'pass' | 'warn' | 'fail' | 'na' | 'info';

/** The senders whose handshake can be checked. */
export type Vendor = 'slack' | 'twitch' | 'zoom' | 'meta' | 'cloudevents';

/** Counts by verdict, and the score. */
export interface CheckSummary {
  readonly pass: number;
  readonly warn: number;
  readonly fail: number;
  readonly na: number;
  readonly info: number;
  /** 0 to 100; null if no valid event was accepted, or what had to be judged was left open and nothing failed. */
  readonly score: number | null;
}

/** Options of `check`. Durations are in milliseconds. */
export interface CheckOptions {
  /** Signs each event. Several, newest first, for a rotation. Without one `sign.*` and `time.*` are `na`. */
  secret?: Bytes | readonly Bytes[];
  /** The name of a preset. Default `x-signature`. */
  scheme?: string;
  /**
   * Your own samples in place of the events of the scheme's sender, by name: JSON, forms or captures. The
   * first one is what all checks but `accept.*` vary.
   */
  bodies?: Readonly<Record<string, string>>;
  /** Where the id of an event stands in the body: `data.id`. Default: where the sender of the scheme has it. */
  idPath?: string;
  /** The header that has the id, in place of `idPath`. */
  idHeader?: string;
  /** Sends each event in an array, and larger arrays of at most 100 events and 500 KB. Default false. */
  batch?: boolean;
  /** Static headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** Ids and patterns like `sign.*`. Default: all. */
  only?: readonly string[];
  /** Ids and patterns like `load.*`. */
  skip?: readonly string[];
  /** When a response is late. Default: that of the scheme's sender, else 5000. */
  deadlineMs?: number;
  /** Requests per second. Default 20. */
  rate?: number;
  /** Counts what the events have done, to see the effect of a repeat. */
  probe?: () => number | Promise<number>;
  /** The vendor whose handshake is checked, too. */
  handshake?: Vendor;
  /** The verify token that the vendor sends, where it has one (`meta`). */
  handshakeToken?: string;
  /** Make each warning a failure. Default false. */
  strict?: boolean;
  /** PEM texts of certificates to trust in addition to Node's own. Default: none. */
  ca?: readonly string[];
  /** Ends the run; what was judged by then is returned. */
  signal?: AbortSignal;
}

/** What `check` found. */
export interface EndpointReport extends CheckSummary {
  /** Whether the endpoint was judged, and no check failed. */
  readonly ok: boolean;
  /** In the order of docs/checks.md. */
  readonly checks: readonly EndpointCheck[];
}

/** One check of an endpoint and its verdict. */
export interface EndpointCheck {
  /** `sign.tampered`, … */
  readonly id: string;
  readonly level: Level;
  readonly verdict: Verdict;
  /** What a good endpoint does. */
  readonly title: string;
  /** What came, or why it could not be judged. */
  readonly message: string;
  readonly why: string;
  readonly fix: string;
  readonly durationMs: number;
  /** A command that repeats the request that shows it; it has the signature, and no secret. */
  readonly curl?: string;
}
