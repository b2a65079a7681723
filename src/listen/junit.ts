import { escapeXml } from '../output/xml.js';
import type { ExpectationResult } from './expectations.js';

/** The results as JUnit XML, one test case per result; `seconds` is the duration of the run. */
export function junitXml(results: readonly ExpectationResult[], seconds: number): string {
  const failures = results.filter(({ met }) => !met).length;
  const counts = `tests="${results.length}" failures="${failures}" errors="0" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="evfwd listen" ${counts}>`,
    `  <testsuite name="evfwd listen" ${counts} skipped="0">`,
    ...results.map((result) => testCase(result, seconds)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ expect, count, met }: ExpectationResult, seconds: number): string {
  const attributes = `name="${escapeXml(expect)}" classname="evfwd.listen" time="${seconds.toFixed(3)}"`;
  if (met) return `    <testcase ${attributes}/>`;
  const message = escapeXml(`${expect} was not met: received ${count}`);
  return `    <testcase ${attributes}>\n      <failure message="${message}" type="expectation">${message}</failure>\n    </testcase>`;
}
