import type { RequestDetail } from '../../../src/api/listen.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Received } from '../../shared/text/received.js';

/** The headers as received, duplicates included. */
export function Headers({ headers }: Pick<RequestDetail, 'headers'>) {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <section class="part" aria-labelledby="headers-title">
      <header>
        <h3 id="headers-title">Headers</h3>
        <CopyButton text={text} what="the headers" />
      </header>
      <dl class="headers">
        {headers.map(([name, value], index) => (
          <div key={index}>
            <dt>
              <Received text={name} />
            </dt>
            <dd>
              <Received text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
