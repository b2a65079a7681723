import type { Receiver } from '../helpers/receiver.js';

export function ndjson(users: readonly string[]): string {
  return users.map((userId) => `${JSON.stringify({ userId })}\n`).join('');
}

export function names(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, i) => `u${first + i}`);
}

export const sync = (list: string, ...more: string[]): string[] => [
  ...['audience', 'sync', '--name', 'High Value Users', '--members', list],
  ...more,
];

/** Who a receiver takes for a member that believes what it was told last. */
export function believed(receiver: Receiver): string[] {
  const members = new Map<string, boolean>();
  for (const { userId, traits } of receiver.json()) members.set(userId, traits.high_value_users);
  return [...members]
    .filter(([, is]) => is)
    .map(([user]) => user)
    .sort();
}
