import type { ReceivedHeaders } from './received-headers.js';
import type { Scheme } from './schemes/scheme.js';
import { valueReader, type SignatureValue } from './signature-value.js';
import { readTimestamp } from './timestamp.js';
import { fault, type VerifyFault } from './verify-reason.js';

/** What the headers of a request say, as far as it can be read. */
export interface Said {
  /** Of each header of a signature. */
  readonly values: readonly (SignatureValue | VerifyFault)[];
  readonly id?: string;
  /** As written: in its own header, in the value, or in both. */
  readonly times: readonly string[];
  /** Absent unless there is exactly one time, which can be read. */
  readonly timestampMs?: number;
}

/** Reads the headers of one scheme. */
export function saidReader(scheme: Scheme): (headers: ReceivedHeaders) => Said {
  const read = valueReader(scheme);
  return ({ signatures, timestamp, id }) => {
    const values = signatures.map(([name, value]) => read(name, value));
    const times = [timestamp, ...values.map((value) => 'timestamp' in value && value.timestamp)];
    const different = [...new Set(times.filter((time) => typeof time === 'string'))];
    const [time] = different;
    const timestampMs =
      time === undefined || different.length > 1
        ? undefined
        : readTimestamp(time, scheme.timestamp!.format);
    return {
      values,
      times: different,
      ...(id !== undefined && { id }),
      ...(timestampMs !== undefined && { timestampMs }),
    };
  };
}

/** What is wrong with the times as texts. */
export function faultOfTimes(
  { timestamp, value, header }: Scheme,
  { times, timestampMs, values }: Said,
): VerifyFault | undefined {
  if (!timestamp) return undefined;
  const isInValue = value.includes('{timestamp}');
  if (isInValue && values.some((one) => !('timestamp' in one) && 'signatures' in one)) {
    return fault('no_timestamp', `the ${header} header has no time; make the sender set it`);
  }
  if (times.length > 1) {
    return fault('bad_timestamp', `the request has two times that differ; make the sender set one`);
  }
  if (timestampMs !== undefined) return undefined;
  return fault('bad_timestamp', `the time of the request is not ${written[timestamp.format]}`);
}

const written = {
  seconds: 'a number of seconds since 1970; write it in whole digits',
  ms: 'a number of milliseconds since 1970; write it in whole digits',
  iso: 'a time with its zone; write it like 2026-09-01T12:00:00Z',
};
