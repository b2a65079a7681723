/** The form of a rate, for the messages of flags and of the configuration file. */
export const rateHint = 'use e.g. 500/s or 90/m';

/** Follows the name of a member that has another form. */
export const rateForm = 'must be like 500/s, 90/m or 1000/h';

/** `500/s`, `90/m`, `1000/h` → per second; a bare number is a second's. Undefined for anything else. */
export function perSecond(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text) ?? [];
  const rate = Number(count) / unitSeconds[unit as keyof typeof unitSeconds];
  return rate > 0 && Number.isFinite(rate) ? rate : undefined;
}

const unitSeconds = { s: 1, m: 60, h: 3600 };
