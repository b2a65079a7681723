import type { EndpointDeliveryState } from './outcome.js';

/** Whether the URL with this index is one of `wanted`, which has a bit for each; undefined: all. */
export function isWanted(wanted: number | undefined, index: number): boolean {
  return wanted === undefined || (wanted & (1 << index)) !== 0;
}

/** Keeps the place of a URL that does not want an event among the states of the others. */
export const unwantedState: EndpointDeliveryState = {
  attempts: 0,
  firstAt: 0,
  status: null,
  error: null,
};
