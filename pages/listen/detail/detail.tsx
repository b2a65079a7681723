import { useMemo } from 'preact/hooks';
import { apiPrefix, type RequestDetail, type RequestRow } from '../../../src/api/listen.js';
import { Body } from '../../shared/body/body.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Icon } from '../../shared/controls/icon.js';
import { DetailPane } from '../../shared/detail/detail-pane.js';
import { Headers } from '../../shared/detail/headers.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import { ExportPageButton } from '../export/export.js';
import { useInspector } from '../view/inspector.js';
import { Events } from './events.js';
import { Facts } from './facts.js';
import { Response } from './response.js';
import { SignatureNote } from './signature.js';

/** The details of a request. */
export function Detail({ row }: { readonly row: RequestRow }) {
  const { receiver } = useInspector();
  const loaded = useLoaded(row.id, (id, signal) => receiver.detail(id, signal));
  const detail = loaded.state === 'loaded' ? loaded.value : undefined;
  return (
    <DetailPane label="Request" type={row.type ?? row.method} name={row.name ?? row.path}>
      {loaded.state === 'failed' && (
        <p class="callout bad" role="alert">
          {messageOf(loaded.error)}
        </p>
      )}
      {detail && <Actions detail={detail} />}
      <Facts row={detail?.row ?? row} signature={detail?.signature} />
      {detail && (
        <>
          <SignatureNote detail={detail} />
          <Events detail={detail} />
          <RequestBody key={detail.row.id} detail={detail} />
          <Headers headers={detail.headers} />
          <Response detail={detail} />
        </>
      )}
    </DetailPane>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof RefusedError && error.status === 404) {
    return 'The receiver no longer keeps this request: newer ones replaced it. A file written by --record still has it.';
  }
  return error instanceof Error ? error.message : String(error);
}

function RequestBody({ detail }: { readonly detail: RequestDetail }) {
  const { id, sequence } = detail.row;
  const content = useMemo(() => ({ ...detail, contentType: contentTypeOf(detail) }), [detail]);
  return (
    <Body
      content={content}
      download={{
        url: `${apiPrefix}/requests/${encodeURIComponent(id)}/body`,
        name: `request-${sequence}.bin`,
      }}
    />
  );
}

function Actions({ detail: { row, commands } }: { readonly detail: RequestDetail }) {
  const inspector = useInspector();
  const replay = (): void => {
    inspector.select([]);
    inspector.open(row);
    inspector.show({ name: 'replay' });
  };
  const { curl, evfwd, evfwdCommand } = commands;
  const asEvfwd = `as evfwd ${evfwdCommand}`;
  return (
    <div class="actions">
      <button class="button" onClick={replay}>
        <Icon name="replay" />
        Replay
      </button>
      <button class="button" onClick={() => inspector.show({ name: 'edit' })}>
        <Icon name="edit" />
        Edit and resend
      </button>
      <CopyButton text={curl} what="as curl" label="Copy as curl" />
      {evfwd !== null && <CopyButton text={evfwd} what={asEvfwd} label={`Copy ${asEvfwd}`} />}
      <ExportPageButton requests={[row]} />
    </div>
  );
}

/** The value of the header; undefined without one. */
export function contentTypeOf({ headers }: Pick<RequestDetail, 'headers'>): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}
