import { useMemo, useState } from 'preact/hooks';
import type { RequestDetail } from '../api.js';
import { CopyButton } from '../page/copy-button.js';
import { Switch } from '../page/switch.js';
import { readBody } from './read-body.js';
import { JsonTree } from './json-tree.js';
import { RawText } from './raw-text.js';

/** A request's body, as a tree where it is JSON, and as the very text that came. */
export function Body({ detail }: { readonly detail: RequestDetail }) {
  const body = useMemo(() => readBody(detail), [detail]);
  const [form, setForm] = useState<'tree' | 'raw'>('tree');
  const isTree = body.root !== undefined && form === 'tree';
  return (
    <section class="part" aria-labelledby="body-title">
      <header>
        <h3 id="body-title">Body</h3>
        {body.note !== undefined && <span class="quiet">{body.note}</span>}
        {body.root && (
          <Switch
            label="Show the body as"
            choices={[
              { value: 'tree', label: 'Tree' },
              { value: 'raw', label: 'Raw' },
            ]}
            chosen={form}
            onChoose={setForm}
          />
        )}
        {body.text !== '' && <CopyButton text={body.text} what="the body" />}
      </header>
      {isTree ? (
        <JsonTree text={body.text} root={body.root} />
      ) : (
        body.text !== '' && <RawText text={body.text} />
      )}
    </section>
  );
}
