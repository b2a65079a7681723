import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { ArraySpan, JsonSpan, ObjectSpan, Span } from '../../../src/json/spans.js';
import { Icon } from '../controls/icon.js';
import { countOf, countText } from '../text/format.js';
import { Received } from '../text/received.js';

interface JsonTreeProps {
  readonly text: string;
  readonly root: JsonSpan;
}

/** JSON that can be folded; each value is shown in the received characters. */
export function JsonTree({ text, root }: JsonTreeProps) {
  return (
    <ul class="tree" aria-label="Body as a tree">
      <JsonNode text={text} node={root} name={undefined} depth={0} />
    </ul>
  );
}

interface JsonNodeProps {
  /** The whole text, of which the nodes are spans. */
  readonly text: string;
  readonly node: JsonSpan;
  /** The name of a member, with its quotes. */
  readonly name: Span | undefined;
  readonly depth: number;
}

/** The levels that are expanded at first, unless one has more than `openEntries` entries. */
const openDepth = 4;
const openEntries = 100;
/** Entries that are shown at once. */
const page = 200;

/** A value of a JSON tree. */
function JsonNode({ text, node, name, depth }: JsonNodeProps) {
  const label = name && (
    <span class="json-name">
      <Received text={text.slice(name.start, name.end)} />:{' '}
    </span>
  );
  if (node.kind === 'object' || node.kind === 'array') {
    return <Container text={text} node={node} label={label} depth={depth} />;
  }
  return (
    <li>
      {label}
      <JsonScalar kind={node.kind} text={text.slice(node.start, node.end)} />
    </li>
  );
}

interface ContainerProps {
  readonly text: string;
  readonly node: ObjectSpan | ArraySpan;
  readonly label: ComponentChild;
  readonly depth: number;
}

function Container({ text, node, label, depth }: ContainerProps) {
  const count = node.kind === 'object' ? node.members.length : node.items.length;
  const [isOpen, setOpen] = useState(depth < openDepth && count <= openEntries);
  const [shown, setShown] = useState(page);
  const [open, close] = node.kind === 'object' ? ['{', '}'] : ['[', ']'];
  if (count === 0) {
    return (
      <li>
        {label}
        {open + close}
      </li>
    );
  }
  const noun = node.kind === 'object' ? 'member' : 'item';
  return (
    <li>
      <button class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevron" />
        {label}
        {open}
        {!isOpen && (
          <>
            <span class="quiet"> {countOf(count, noun)} </span>
            {close}
          </>
        )}
      </button>
      {isOpen && (
        <>
          <ul>{entries(node, shown).map((entry) => JsonEntry(text, entry, depth))}</ul>
          {count > shown && (
            <button class="link more" onClick={() => setShown(shown + page)}>
              Show {countText(Math.min(page, count - shown))} more of {countOf(count, noun)}
            </button>
          )}
          {close}
        </>
      )}
    </li>
  );
}

interface Entry {
  readonly name: Span | undefined;
  readonly value: JsonSpan;
}

function entries(node: ObjectSpan | ArraySpan, most: number): Entry[] {
  if (node.kind === 'object') return node.members.slice(0, most);
  return node.items.slice(0, most).map((value) => ({ name: undefined, value }));
}

function JsonEntry(text: string, { name, value }: Entry, depth: number) {
  return <JsonNode key={value.start} text={text} node={value} name={name} depth={depth + 1} />;
}

interface JsonScalarProps {
  readonly kind: 'string' | 'number' | 'literal';
  /** As in the body. */
  readonly text: string;
}

/** A longer one begins with its beginning. */
const maxCharacters = 2000;

/** A string, number, true, false or null. */
function JsonScalar({ kind, text }: JsonScalarProps) {
  const [isWhole, setWhole] = useState(text.length <= maxCharacters);
  return (
    <span class={`json-${kind}`}>
      <Received text={isWhole ? text : text.slice(0, maxCharacters)} />
      {!isWhole && (
        <button class="link" onClick={() => setWhole(true)}>
          … show all {countOf(text.length, 'character')}
        </button>
      )}
    </span>
  );
}
