import { curlCommand } from '../../output/curl-command.js';
import type { ExampleRequest, FoundDifference } from '../../replay/candidate/findings.js';
import type { StoredValue } from '../../replay/candidate/stored-value.js';

/** A comparison of two versions of a handler that has ended. URLs are without queries. */
export interface CandidateReport {
  readonly files: readonly string[];
  readonly baseline: string;
  readonly candidate: string;
  /** How often each request was sent to the first version. */
  readonly baselineRuns: number;
  /** The differences of a group stand together. */
  readonly differences: readonly FoundDifference[];
  /** What was left out because the first version itself differs there. */
  readonly noise: readonly {
    readonly method: string;
    readonly path: string;
    readonly places: readonly string[];
  }[];
  /** Why there was no answer, and how often. */
  readonly unanswered: readonly UnansweredReport[];
  readonly summary: CandidateSummary;
  /** What else is to be known, in sentences. */
  readonly notes: readonly string[];
}

export interface UnansweredReport {
  readonly method: string;
  readonly path: string;
  /** Of the version that did not answer. */
  readonly url: string;
  readonly reason: string;
  readonly count: number;
  /** `got.ndjson:3`, of the first. */
  readonly place: string;
}

/** How many requests: all, those that have no difference, have one, or were not answered by both. */
export interface CandidateSummary {
  readonly requests: number;
  readonly same: number;
  readonly different: number;
  /** Places that are noise. */
  readonly noise: number;
  readonly failed: number;
}

/** The differences of each method and path. */
export function byGroup(differences: readonly FoundDifference[]): FoundDifference[][] {
  const groups: FoundDifference[][] = [];
  for (const difference of differences) {
    const last = groups.at(-1);
    const isSame = last?.[0]?.method === difference.method && last[0].path === difference.path;
    if (isSame) last.push(difference);
    else groups.push([difference]);
  }
  return groups;
}

/** A value for people; `–` for none. */
export function valueText(value: StoredValue | null): string {
  if (value === null) return '–';
  return 'json' in value ? value.json : value.text;
}

const nothing = Buffer.alloc(0);

/** Sends the example to a version again; values of headers that may be secret, and the query, are `***`. */
export function exampleCurl(example: ExampleRequest, url: string): string {
  const { method, path, hasQuery, headers, body, bodyBytes } = example;
  const target = hasQuery ? `${path}?***` : path;
  const request = { method, path: target, headers: headers.flat(), body: body ?? nothing };
  const { origin } = new URL(url);
  if (body !== undefined || bodyBytes === 0) return curlCommand(request, origin);
  return curlCommand(request, origin, undefined, ['--data-binary @body']);
}

/** Of an example whose body is too long to be in its command. */
export function bodyNote({ file, line, body, bodyBytes }: ExampleRequest): string | undefined {
  if (body !== undefined || bodyBytes === 0) return undefined;
  return `its body of ${bodyBytes} bytes, in ${file}:${line}, is the file "body" here`;
}

/** Said once, where commands are shown. */
export const hiddenNote =
  'the curl commands show *** for queries and for header values that may be secret';
