import { expect, it } from 'vitest';
import { indentXml } from '../../../../pages/shared/body/xml.js';

it('puts each element on a line, and keeps its text as received', () => {
  const xml =
    '<?xml version="1.0"?><a x="1>2"><!-- <no> --><b>t &amp; <![CDATA[<raw>]]></b><c/><d></d> <e><c/></e></a>';
  expect(indentXml(xml)).toBe(
    [
      '<?xml version="1.0"?>',
      '<a x="1>2">',
      '  <!-- <no> -->',
      '  <b>t &amp;',
      '    <![CDATA[<raw>]]>',
      '  </b>',
      '  <c/>',
      '  <d></d>',
      '  <e>',
      '    <c/>',
      '  </e>',
      '</a>',
    ].join('\n'),
  );
});

it.each(['<a>', '</a>', '<a></b>', '<a', '<!-- <a></a>', '<a b="></a>', 'text', ''])(
  'leaves %j alone, which is not well-formed',
  (text) => {
    expect(indentXml(text)).toBeUndefined();
  },
);

it('is not slowed down by what never ends', () => {
  expect(indentXml('<!--'.repeat(49_000))).toBeUndefined();
  expect(indentXml('<a>'.repeat(60_000) + '</a>'.repeat(60_000))).toBeUndefined();
});
