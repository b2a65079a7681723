const units = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1000, name: 's' },
] as const;

/** A span of time in its largest unit, `4 min`, `12 s`; `1 s` at least. */
export function spanText(ms: number): string {
  const unit = units.find((candidate) => ms >= candidate.ms) ?? units.at(-1)!;
  return `${Math.max(1, Math.floor(ms / unit.ms))} ${unit.name}`;
}

/** `4 min ago`; `just now` for less than two seconds. */
export function agoText(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  return passed < 2000 ? 'just now' : `${spanText(passed)} ago`;
}
