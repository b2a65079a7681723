import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../controls/copy-button.js';
import { Switch } from '../controls/switch.js';
import { JsonTree } from './json-tree.js';
import { RawText } from './raw-text.js';
import { readBody, type BodyText } from './read-body.js';

interface BodyProps {
  readonly content: BodyText;
  /** What it is, as a heading. */
  readonly title?: string;
}

/** A body as received, and as a tree where it is JSON. */
export function Body({ content, title = 'Body' }: BodyProps) {
  const body = useMemo(() => readBody(content), [content]);
  const [form, setForm] = useState<'tree' | 'raw'>('tree');
  const isTree = body.root !== undefined && form === 'tree';
  return (
    <section class="part" aria-labelledby="body-title">
      <header>
        <h3 id="body-title">{title}</h3>
        {body.note !== undefined && <span class="quiet">{body.note}</span>}
        {body.root && (
          <Switch
            label={`Show the ${title.toLowerCase()} as`}
            choices={[
              { value: 'tree', label: 'Tree' },
              { value: 'raw', label: 'Raw' },
            ]}
            chosen={form}
            onChoose={setForm}
          />
        )}
        {body.text !== '' && <CopyButton text={body.text} what={`the ${title.toLowerCase()}`} />}
      </header>
      {isTree ? (
        <JsonTree text={body.text} root={body.root} />
      ) : (
        body.text !== '' && <RawText text={body.text} />
      )}
    </section>
  );
}
