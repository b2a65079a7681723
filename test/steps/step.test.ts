import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Editor, parseStep, type StepKind } from '../../src/steps/step.js';

const key = 'secret';
const hmac = (text: string): string => createHmac('sha256', key).update(text).digest('hex');

/** Applies steps such as `set a=1` to a text. */
function edited(text: string, ...steps: string[]): string {
  const parsed = steps.map((step) => {
    const [kind, ...value] = step.split(' ');
    return parseStep(kind as StepKind, value.join(' '));
  });
  const edited = new Editor(parsed, Buffer.from(key).toString('base64')).edit(Buffer.from(text));
  if (edited.violation) throw new Error(edited.violation.message);
  return edited.text.toString();
}

describe('a step', () => {
  it.each([
    ['set a=b', '{}', '{"a":"b"}'],
    ['set a:=1.50', '{"a":1}', '{"a":1.50}'],
    ['set a.b.c=x', '{"a":{"z":0}}', '{"a":{"z":0,"b":{"c":"x"}}}'],
    ['set a\\.b=x', '{}', '{"a.b":"x"}'],
    ['set a.b=x', '{"a":null}', '{"a":{"b":"x"}}'],
    ['set a.b=x', '{"a":[ ]}', '{"a":{"b":"x"}}'],
    ['set a.*:=0', '{"a":{"b":1,"c":[2]},"d":3}', '{"a":{"b":0,"c":0},"d":3}'],
    ['drop a', '{"a":1,"b": 2.0}', '{"b": 2.0}'],
    ['drop a', '{"a":1,"b":2,"a":3}', '{"b":2}'],
    ['drop a', '{"\\u0061":1}', '{}'],
    ['drop a.*', '{"a":{"b":1,"c":2}}', '{"a":{}}'],
    ['drop *.ip', '{"x":{"ip":1,"k":2},"y":{"ip":3},"z":4}', '{"x":{"k":2},"y":{},"z":4}'],
    ['drop a.b', '{"a":[{"b":1}]}', '{"a":[{"b":1}]}'],
    ['drop a.b.c', '{"a":{"b":7}}', '{"a":{"b":7}}'],
    ['rename a=b', '{"a":12345678901234567890,"c":1}', '{"c":1,"b":12345678901234567890}'],
    ['rename a.x=b.y', '{"a":{"x":"1"}}', '{"a":{},"b":{"y":"1"}}'],
    ['rename a=b', '{"c":1}', '{"c":1}'],
    ['hash a', '{"a":"ö\\u0041"}', `{"a":"${hmac('öA')}"}`],
    ['hash a', '{"a":1.50}', `{"a":"${hmac('1.50')}"}`],
    ['hash a', '{"a":null,"b":1}', '{"a":null,"b":1}'],
    ['hash a', '{"a":"","b":1}', '{"a":"","b":1}'],
    ['hash a', '{"a":" \\t"}', '{"a":" \\t"}'],
    ['hash a', '{"a":"x","a":"y"}', `{"a":"${hmac('x')}","a":"${hmac('y')}"}`],
    ['hash t.*', '{"t":{"m":"x","n":["x"]}}', `{"t":{"m":"${hmac('x')}","n":"${hmac('["x"]')}"}}`],
  ])('%s makes of %s: %s', (step, before, after) => {
    expect(edited(before, step)).toBe(after);
  });

  it('keeps every byte that it does not name', () => {
    const text = '{ "a" : 1e400,\t"b":"\\u00e9\\/", "n": {"x" :-0.0 , "y":1} }';
    expect(edited(text, 'drop n.y')).toBe('{ "a" : 1e400,\t"b":"\\u00e9\\/", "n": {"x" :-0.0} }');
    expect(edited(text, 'drop none', 'hash c', 'rename q=r')).toBe(text);
  });

  it('sees what the steps before it have made', () => {
    expect(edited('{"a":"x"}', 'rename a=b', 'set b=y', 'hash b')).toBe(`{"b":"${hmac('y')}"}`);
  });

  it.each(['set a.b=x', 'rename c=a.b'])(
    '%s refuses to replace a value that is no object',
    (step) => {
      expect(() => edited('{"a":"text","c":1}', step)).toThrow('a is not an object in this event');
    },
  );

  it('that fails leaves the others to be done', () => {
    const steps = [parseStep('set', 'a.b=x'), parseStep('drop', 'mail')];
    const { text, violation } = new Editor(steps, undefined).edit(
      Buffer.from('{"a":1,"mail":"m"}'),
    );
    expect(text.toString()).toBe('{"a":1}');
    expect(violation).toMatchObject({ code: 'step_failed' });
  });

  it.each([
    ['set a', 'write key=text or key:=json'],
    ['set a:={', '--set a:='],
    ['set a..b=1', 'empty name'],
    ['drop a..b', 'empty name'],
    ['drop ', 'empty name'],
    ['rename a', 'write old=new'],
    ['rename a=', 'write old=new'],
    ['rename a=b=c', 'write old=new'],
    ['rename a.*=b', 'renames one member'],
  ])('%s is refused', (step, message) => {
    expect(() => edited('{}', step)).toThrow(message);
  });
});
