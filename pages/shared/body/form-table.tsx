import { useState } from 'preact/hooks';
import { countOf } from '../text/format.js';
import { Received } from '../text/received.js';
import type { FormField } from './form.js';

const mostFields = 200;

/** The decoded fields of a form. */
export function FormTable({ fields }: { readonly fields: readonly FormField[] }) {
  const [shown, setShown] = useState(mostFields);
  return (
    <>
      <dl class="headers" aria-label="Fields of the form">
        {fields.slice(0, shown).map(({ name, value }, index) => (
          <div key={index}>
            <dt>
              <Received text={name} />
            </dt>
            <dd>
              <Received text={value} isMultiline />
            </dd>
          </div>
        ))}
      </dl>
      {fields.length > shown && (
        <button class="link more" onClick={() => setShown(shown + mostFields)}>
          Show more of {countOf(fields.length, 'field')}
        </button>
      )}
    </>
  );
}
