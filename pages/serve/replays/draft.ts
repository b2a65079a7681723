import type { ReplayBody } from '../../../src/api/serve.js';

/** Of events that are kept: notifications of deletions are not. */
export const eventTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const;

/** The form of a replay, as it is filled in. */
export interface Draft {
  readonly destination: string;
  /** Local times as of an input, `2026-11-27T14:00`; empty for none. */
  readonly since: string;
  readonly until: string;
  /** None: all. */
  readonly types: readonly string[];
  /** One in a line, like the next two. */
  readonly events: string;
  readonly users: string;
  readonly where: string;
  readonly state: NonNullable<ReplayBody['state']>;
  readonly rate: string;
}

/** All that is kept for a destination. */
export function draftFor(destination: string): Draft {
  const noTexts = { since: '', until: '', events: '', users: '', where: '', rate: '' };
  return { destination, types: [], state: 'any', ...noTexts };
}

/** What is asked for, without what is left empty. */
export function bodyOf(draft: Draft): ReplayBody {
  const { destination, types, state } = draft;
  const rate = draft.rate.trim();
  return {
    destination,
    ...(draft.since !== '' && { since: isoOf(draft.since) }),
    ...(draft.until !== '' && { until: isoOf(draft.until) }),
    ...(types.length > 0 && { types }),
    ...listed('events', draft.events),
    ...listed('users', draft.users),
    ...listed('where', draft.where),
    ...(state !== 'any' && { state }),
    ...(rate !== '' && { rate }),
  };
}

/** What a count depends on: all but the rate. */
export function selectionKey(draft: Draft): string {
  return JSON.stringify(bodyOf({ ...draft, rate: '' }));
}

const members = ['destination', 'since', 'until', 'types', 'events', 'users', 'where', 'rate'];

/** The member that an error of the service begins with; undefined for another one. */
export function memberOf(message: string): string | undefined {
  const [word] = /^\w+/.exec(message) ?? [];
  return members.find((member) => member === word);
}

function isoOf(local: string): string {
  return new Date(local).toISOString();
}

function listed(member: 'events' | 'users' | 'where', text: string): Partial<ReplayBody> {
  const lines = text.split('\n').map((line) => line.trim());
  const texts = lines.filter((line) => line !== '');
  return texts.length === 0 ? {} : { [member]: texts };
}
