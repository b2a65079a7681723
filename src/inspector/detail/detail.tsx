import type { RequestDetail, RequestRow } from '../api.js';
import { closeDetail } from '../page/keys.js';
import { Body } from '../shared/body/body.js';
import { CopyButton } from '../shared/controls/copy-button.js';
import { Icon } from '../shared/controls/icon.js';
import { Received } from '../shared/text/received.js';
import { useInspector } from '../view/use-view.js';
import { Facts } from './facts.js';
import { Headers } from './headers.js';
import { SignatureNote } from './signature-note.js';
import { useDetail } from './use-detail.js';

/** All there is to know about one request. */
export function Detail({ row }: { readonly row: RequestRow }) {
  const inspector = useInspector();
  const loaded = useDetail(row);
  return (
    <section class="detail" id="detail" aria-label="Request" tabIndex={-1}>
      <header class="detail-head">
        <button
          class="icon-button back"
          aria-label="Back to the list"
          onClick={() => closeDetail(inspector)}
        >
          <Icon name="back" />
        </button>
        <h2>
          <Title row={row} />
        </h2>
        <button
          class="icon-button close"
          aria-label="Close the request"
          title="Close (Esc)"
          onClick={() => closeDetail(inspector)}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="detail-scroll">
        {loaded.state === 'failed' && (
          <p class="callout bad" role="alert">
            {loaded.message}
          </p>
        )}
        {loaded.state === 'loaded' && <Actions detail={loaded.detail} />}
        <Facts row={loaded.state === 'loaded' ? loaded.detail.row : row} />
        {loaded.state === 'loaded' && <Loaded detail={loaded.detail} />}
      </div>
    </section>
  );
}

function Title({ row }: { readonly row: RequestRow }) {
  return (
    <>
      <span class="type">{row.type === null ? row.method : <Received text={row.type} />}</span>{' '}
      <Received text={row.name ?? row.path} />
    </>
  );
}

function Actions({ detail: { row, commands } }: { readonly detail: RequestDetail }) {
  const inspector = useInspector();
  const replay = (): void => {
    inspector.select([]);
    inspector.open(row);
    inspector.show('replay');
  };
  return (
    <div class="actions">
      <button class="button" onClick={replay}>
        <Icon name="replay" />
        Replay
      </button>
      <CopyButton text={commands.curl} what="as curl" label="Copy as curl" />
      <CopyButton text={commands.evfwd} what="as evfwd send" label="Copy as evfwd send" />
    </div>
  );
}

function Loaded({ detail }: { readonly detail: RequestDetail }) {
  return (
    <>
      <SignatureNote detail={detail} />
      <Body key={detail.row.id} content={detail} />
      <Headers headers={detail.headers} />
    </>
  );
}
