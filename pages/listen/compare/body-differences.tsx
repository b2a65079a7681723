import { useMemo, useState } from 'preact/hooks';
import type { RequestDetail } from '../../../src/api/listen.js';
import { hexDump } from '../../shared/body/hex.js';
import { readBody, type ReadBody } from '../../shared/body/read-body.js';
import { Switch } from '../../shared/controls/switch.js';
import { contentTypeOf } from '../detail/content-type.js';
import { Differences } from './differences.js';
import { diffJson } from './json-diff.js';
import { LineDifferences } from './line-differences.js';

interface BodyDifferencesProps {
  readonly before: RequestDetail;
  readonly after: RequestDetail;
}

/** More bytes of a binary body are not compared. */
const mostBytes = 65_536;

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
  return shape.kind === 'binary' ? hexDump(shape.bytes.subarray(0, mostBytes)) : text;
}
