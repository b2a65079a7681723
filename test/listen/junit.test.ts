import fc from 'fast-check';
import { expect, it } from 'vitest';
import { junitXml } from '../../src/listen/junit.js';

it('has a test case for each expectation', () => {
  const results = [
    { expect: 'track>=1', count: 2, met: true },
    { expect: 'signature:invalid==0', count: 3, met: false },
  ];
  expect(junitXml(results, 1.5)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="evfwd listen" tests="2" failures="1" errors="0" time="1.500">
  <testsuite name="evfwd listen" tests="2" failures="1" errors="0" time="1.500" skipped="0">
    <testcase name="track&gt;=1" classname="evfwd.listen" time="1.500"/>
    <testcase name="signature:invalid==0" classname="evfwd.listen" time="1.500">
      <failure message="signature:invalid==0 was not met: received 3" type="expectation">signature:invalid==0 was not met: received 3</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
});

it('stays well-formed whatever the name of an event', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const xml = junitXml([{ expect: `track:${text}"'<&>\u0000\u001b`, count: 0, met: false }], 0);
      expect(xml.replace(/\n/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
      const [, name] = /<testcase name="([^"]*)" classname/.exec(xml)!;
      expect(name).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/);
    }),
  );
});
