import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../controls/copy-button.js';
import { Switch } from '../controls/fields.js';
import { Icon } from '../controls/icon.js';
import { RawText } from './raw-text.js';
import { type BodyText, readBody } from './read-body.js';
import { formsOf, Shaped } from './shaped.js';

interface BodyProps {
  readonly content: BodyText;
  /** What it is, as a heading. */
  readonly title?: string;
  /** Where its bytes can be downloaded, and the name of the file. */
  readonly download?: { readonly url: string; readonly name: string };
}

/** A body as what it is (JSON, a form, parts, text, bytes), and as received. */
export function Body({ content, title = 'Body', download }: BodyProps) {
  const body = useMemo(() => readBody(content), [content]);
  const [isRaw, setRaw] = useState(false);
  const forms = formsOf(body.shape);
  const what = `the ${title.toLowerCase()}`;
  const id = `${title.toLowerCase().replaceAll(' ', '-')}-title`;
  return (
    <section class="part" aria-labelledby={id}>
      <header>
        <h3 id={id}>{title}</h3>
        {body.note !== undefined && <span class="quiet">{body.note}</span>}
        {forms && (
          <Switch
            label={`Show ${what} as`}
            choices={[
              { value: 'shaped', label: forms[0] },
              { value: 'raw', label: forms[1] },
            ]}
            chosen={isRaw ? 'raw' : 'shaped'}
            onChoose={(form) => setRaw(form === 'raw')}
          />
        )}
        {body.text !== '' && (
          <CopyButton text={body.text} what={content.body === null ? `${what} as base64` : what} />
        )}
        {body.text !== '' && download && (
          <a
            class="icon-button"
            href={download.url}
            download={download.name}
            aria-label={`Download ${what}`}
            title={`Download ${what}`}
          >
            <Icon name="download" />
          </a>
        )}
      </header>
      {body.text !== '' &&
        (isRaw ? <RawText text={body.text} /> : <Shaped shape={body.shape} text={body.text} />)}
    </section>
  );
}
