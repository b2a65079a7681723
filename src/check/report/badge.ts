import type { Report } from './model.js';

const label = 'webhook check';

interface Badge {
  readonly message: string;
  readonly color: 'brightgreen' | 'green' | 'yellow' | 'red' | 'lightgrey';
}

/** What the badge says: no number without a score, and no green if something required failed. */
function badgeOf({ run: { summary, incomplete, endedEarly, interruptedOf } }: Report): Badge {
  const { score, fail } = summary;
  const isWhole = (incomplete ?? endedEarly ?? interruptedOf) === undefined;
  if (score === null || (!isWhole && fail === 0)) {
    return { message: 'not judged', color: 'lightgrey' };
  }
  const message = `${score} of 100`;
  if (fail > 0) return { message, color: score >= 50 ? 'yellow' : 'red' };
  return { message, color: score === 100 ? 'brightgreen' : 'green' };
}

/** JSON for the endpoint badge of shields.io: https://shields.io/badges/endpoint-badge */
export function badgeJson(report: Report): string {
  const { message, color } = badgeOf(report);
  const isError = report.run.summary.fail > 0;
  return `${JSON.stringify({ schemaVersion: 1, label, message, color, ...(isError && { isError }) })}\n`;
}

const colors: Readonly<Record<Badge['color'], string>> = {
  brightgreen: '#1a7f37',
  green: '#2da44e',
  yellow: '#9a6700',
  red: '#cf222e',
  lightgrey: '#6e7781',
};

/** About the width of a character of 11 px Verdana; `textLength` makes it exact. */
const characterWidth = 6.6;
const padding = 6;

/** The same as a picture, for a README. */
export function badgeSvg(report: Report): string {
  const { message, color } = badgeOf(report);
  const [left, right] = [label, message].map((text) => Math.round(text.length * characterWidth));
  const [first, second] = [left! + 2 * padding, right! + 2 * padding];
  const text = (value: string, start: number, width: number): string =>
    `<text x="${start + padding}" y="14" textLength="${width}">${value}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${label}: ${message}">
<title>${label}: ${message}</title>
<clipPath id="r"><rect width="${first + second}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><path fill="#24292f" d="M0 0h${first}v20H0z"/><path fill="${colors[color]}" d="M${first} 0h${second}v20H${first}z"/></g>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${text(label, 0, left!)}${text(message, first, right!)}</g>
</svg>
`;
}
