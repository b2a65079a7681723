import { createHash } from 'node:crypto';

/** A UUID made of an id, the same each time, where a sender has UUIDs. */
export function uuidOf(id: string): string {
  const hex = hexOf(id, 32);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** A number of 9 digits made of an id, the same each time. */
export function numberOf(id: string): number {
  return 100_000_000 + (Number.parseInt(hexOf(id, 8), 16) % 900_000_000);
}

/** The beginning of the SHA-256 of an id in hex, the same each time. */
export function hexOf(id: string, length: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}

/** `2026-11-25T10:00:00Z`: most senders write no milliseconds. */
export function secondsText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

/** Seconds since 1970. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
