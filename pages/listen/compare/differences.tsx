import { useMemo, useState } from 'preact/hooks';
import type { RequestDetail } from '../../../src/api/listen.js';
import { hexDump } from '../../shared/body/bytes.js';
import { readBody, type ReadBody } from '../../shared/body/read-body.js';
import { Switch } from '../../shared/controls/fields.js';
import { countOf, countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { contentTypeOf } from '../detail/detail.js';
import { type Difference, diffJson, type DiffLine, diffLines } from './diff.js';

interface BodyDifferencesProps {
  readonly before: RequestDetail;
  readonly after: RequestDetail;
}

/** More bytes of a binary body are not compared. */
const maxBytes = 65_536;

/** Where two bodies differ: by member when both are JSON, else by line. */
export function BodyDifferences({ before, after }: BodyDifferencesProps) {
  const [one, other] = useMemo(() => [readDetail(before), readDetail(after)], [before, after]);
  const members = useMemo(() => membersThatDiffer(one, other), [one, other]);
  const [form, setForm] = useState<'members' | 'lines'>('members');
  const byMember = members !== undefined && form === 'members';
  return (
    <section class="part" aria-labelledby="body-differences">
      <header>
        <h3 id="body-differences">Body</h3>
        {members && one.text !== other.text && (
          <Switch
            label="Compare by"
            choices={[
              { value: 'members', label: 'Members' },
              { value: 'lines', label: 'Lines' },
            ]}
            chosen={form}
            onChoose={setForm}
          />
        )}
      </header>
      {one.text === other.text ? (
        <p class="quiet">The bodies are equal, byte for byte.</p>
      ) : byMember && members.length > 0 ? (
        <Differences label="Members that differ" differences={members} />
      ) : (
        <>
          {byMember && (
            <p class="quiet">
              All members are equal; the bytes differ, in space or in the order of members.
            </p>
          )}
          <LineDifferences before={linesOf(one)} after={linesOf(other)} />
        </>
      )}
    </section>
  );
}

function readDetail(detail: RequestDetail): ReadBody {
  return readBody({ ...detail, contentType: contentTypeOf(detail) });
}

function membersThatDiffer({ text, shape }: ReadBody, other: ReadBody) {
  if (shape.kind !== 'json' || other.shape.kind !== 'json') return undefined;
  return diffJson({ text, root: shape.root }, { text: other.text, root: other.shape.root });
}

function linesOf({ text, shape }: ReadBody): string {
  return shape.kind === 'binary' ? hexDump(shape.bytes.subarray(0, maxBytes)) : text;
}

interface DifferencesProps {
  /** The accessible name. */
  readonly label: string;
  readonly differences: readonly Difference[];
}

const maxDifferences = 300;
/** A longer value begins with its beginning. */
const maxCharacters = 1000;

/** Named values that differ, each as it was and as it is. */
export function Differences({ label, differences }: DifferencesProps) {
  return (
    <>
      <dl class="differences" aria-label={label}>
        {differences.slice(0, maxDifferences).map(({ name, before, after }) => (
          <div key={name}>
            <dt>
              <Received text={name} />
            </dt>
            {before !== undefined && (
              <dd class="removed">
                <span class="sign">−</span>
                <Received text={shortened(before)} isMultiline />
              </dd>
            )}
            {after !== undefined && (
              <dd class="added">
                <span class="sign">+</span>
                <Received text={shortened(after)} isMultiline />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {differences.length > maxDifferences && (
        <p class="quiet">
          The first {countText(maxDifferences)} of {countText(differences.length)} differences.
        </p>
      )}
    </>
  );
}

function shortened(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

interface LineDifferencesProps {
  readonly before: string;
  readonly after: string;
}

const maxLines = 2000;
/** A longer line begins with its beginning. */
const maxLineCharacters = 2000;
const signs = { same: ' ', removed: '−', added: '+' } as const;

/** Two texts, line by line. */
function LineDifferences({ before, after }: LineDifferencesProps) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  return (
    <>
      <ol class="line-differences" aria-label="Lines that differ" tabIndex={0}>
        {lines.slice(0, maxLines).map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ol>
      {lines.length > maxLines && (
        <p class="quiet">
          The first {countText(maxLines)} of {countOf(lines.length, 'line')}.
        </p>
      )}
    </>
  );
}

function Line({ line }: { readonly line: DiffLine }) {
  if (line.kind === 'skipped') {
    return <li class="quiet">… {countOf(line.count, 'equal line')}</li>;
  }
  return (
    <li class={line.kind}>
      <span class="sign">{signs[line.kind]}</span>
      <span>
        <Received text={line.text.slice(0, maxLineCharacters)} />
        {line.text.length > maxLineCharacters && '…'}
      </span>
    </li>
  );
}
