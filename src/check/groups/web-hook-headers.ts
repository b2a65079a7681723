/** What asks for permission to send, by CloudEvents HTTP webhooks, section 4. */
export const originHeaders: readonly (readonly [string, string])[] = [
  ['WebHook-Request-Origin', 'evfwd.example'],
  ['WebHook-Request-Rate', '120'],
];

/** What is wrong with the answer; undefined if it permits this origin. */
export function allowedOriginFault(value: string | undefined): string | undefined {
  if (value === undefined) return 'WebHook-Allowed-Origin is missing';
  const isRight = value === '*' || value.toLowerCase() === originHeaders[0]![1];
  return isRight
    ? undefined
    : 'WebHook-Allowed-Origin is neither the origin that was asked for (evfwd.example) nor *';
}

/** What is wrong with the rate, in requests per minute. It must be there, since one was asked for. */
export function allowedRateFault(value: string | undefined): string | undefined {
  if (value === undefined) return 'WebHook-Allowed-Rate is missing, though a rate was asked for';
  const isRight = value === '*' || /^[1-9]\d*$/.test(value);
  return isRight ? undefined : 'WebHook-Allowed-Rate is neither a whole number above 0 nor *';
}
