/** Rows of texts in aligned columns; the first column to the left, the others to the right. */
export function table(header, rows) {
  const widths = header.map((_, i) =>
    Math.max(...[header, ...rows].map((row) => [...row[i]].length)),
  );
  const line = (row) =>
    row
      .map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

export function measured({ rate, seconds, cpuSeconds, peakMb, p99Ms }) {
  return [
    number(rate, 0),
    seconds === undefined
      ? ''
      : seconds < 1
        ? `${number(seconds * 1000, 1)} ms`
        : `${number(seconds, 2)} s`,
    number(cpuSeconds, 2),
    number(peakMb, 0),
    number(p99Ms, 1),
  ];
}

export function number(value, digits) {
  if (value === undefined || !Number.isFinite(value)) return '';
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
