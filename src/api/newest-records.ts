import type { EventAtDestination } from './serve.js';

/** One record for each event and destination, the newest, out of several lists; the newest first. */
export function newestRecords(records: readonly EventAtDestination[]): EventAtDestination[] {
  const newest = new Map<string, EventAtDestination>();
  for (const record of records) {
    const known = newest.get(record.id);
    newest.set(record.id, known ? joined(known, record) : record);
  }
  return [...newest.values()].sort((one, other) => compare(other.at, one.at));
}

/** The newer one, with what only the older one knows of the same state. */
function joined(one: EventAtDestination, other: EventAtDestination): EventAtDestination {
  const [older, newer] = knownAt(one) <= knownAt(other) ? [one, other] : [other, one];
  if (older.state !== newer.state) return newer;
  const endpoints = newer.endpoints.length > 0 ? newer.endpoints : older.endpoints;
  const response = newer.response ?? older.response;
  return { ...newer, endpoints, ...(response && { response }) };
}

function knownAt({ asOf, at }: EventAtDestination): string {
  return asOf ?? at;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
