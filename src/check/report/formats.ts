import type { Report } from './model.js';

/** A format of a report that is written to a file. */
interface Format {
  /** Of its flag: `--junit`. */
  readonly name: string;
  /** What the flag does, for the help. */
  readonly help: string;
  /** The endings that a path may have. Default: any. */
  readonly endings?: readonly string[];
  /** Its code is loaded when it is asked for. */
  readonly render: (report: Report, path: string) => Promise<string>;
}

/** In the order of the help, and in which files are written. */
export const formats = [
  {
    name: 'junit',
    help: 'write a JUnit report',
    render: async (report) => (await import('./junit.js')).junitReport(report),
  },
  {
    name: 'markdown',
    help: 'write Markdown, e.g. for a job summary',
    render: async (report) => (await import('./markdown.js')).markdownReport(report),
  },
  {
    name: 'html',
    help: 'write a page without secrets, to share',
    render: async (report) => (await import('./html.js')).htmlReport(report),
  },
  {
    name: 'sarif',
    help: 'write SARIF, for code scanning',
    render: async (report) => (await import('./sarif.js')).sarifReport(report),
  },
  {
    name: 'badge',
    help: 'write a badge with the score: .svg, or .json for shields.io',
    endings: ['.svg', '.json'],
    render: async (report, path) => {
      const { badgeJson, badgeSvg } = await import('./badge.js');
      return /\.json$/i.test(path) ? badgeJson(report) : badgeSvg(report);
    },
  },
] as const satisfies readonly Format[];

export type FormatName = (typeof formats)[number]['name'];
