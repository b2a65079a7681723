import { describe, expect, it } from 'vitest';
import { badgeJson, badgeSvg } from '../../../src/check/report/badge.js';
import { reportModel } from '../../../src/check/report/model.js';
import type { CheckReport } from '../../../src/check/result.js';
import { reportOf } from './sample.js';

const good = { id: 'accept.track' };
const failed = { id: 'sign.missing', verdict: 'fail' as const };
const warned = { id: 'answer.quick', level: 'should' as const, verdict: 'warn' as const };

const noScore = (): CheckReport => {
  const report = reportOf([{ id: 'accept.track', verdict: 'na' }], { isConclusive: false });
  return { ...report, summary: { ...report.summary, score: null } };
};

describe('a badge', () => {
  it.each([
    ['all passed', reportOf([good]), '100 of 100', 'brightgreen'],
    ['a warning', reportOf([good, good, good, warned]), '90 of 100', 'green'],
    ['a failure', reportOf([good, good, good, failed]), '75 of 100', 'yellow'],
    ['more failures', reportOf([good, failed, failed]), '33 of 100', 'red'],
    ['no score', noScore(), 'not judged', 'lightgrey'],
    [
      'a run that was interrupted',
      reportOf([good], { interruptedOf: 70 }),
      'not judged',
      'lightgrey',
    ],
    [
      'an endpoint that stopped responding',
      reportOf([good], { incomplete: 'it stopped' }),
      'not judged',
      'lightgrey',
    ],
  ])('of %s says so', (_, report, message, color) => {
    const json = JSON.parse(badgeJson(reportModel(report))) as object;
    expect(json).toMatchObject({ schemaVersion: 1, label: 'webhook check', message, color });
    expect(badgeSvg(reportModel(report))).toContain(`<title>webhook check: ${message}</title>`);
  });

  it('is never green when something required failed', () => {
    const rows = Array.from({ length: 99 }, () => good);
    const report = reportOf([...rows, failed]);
    expect(report.summary.score).toBe(99);
    expect(JSON.parse(badgeJson(reportModel(report)))).toMatchObject({
      color: 'yellow',
      isError: true,
    });
    expect(badgeSvg(reportModel(report))).not.toMatch(/#1a7f37|#2da44e/);
  });
});
