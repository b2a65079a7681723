import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../controls/icon.js';
import type { Key } from '../keys/list-keys.js';
import { useKeys } from '../keys/use-keys.js';
import { countOf, countText } from '../text/format.js';
import type { ListPage } from '../view/list-page.js';
import { usePage } from '../view/page.js';

interface PageFrameProps<Page extends ListPage> {
  readonly page: Page;
  readonly keys: readonly Key<Page>[];
  /** The rows, in the plural. */
  readonly rows: string;
  /** What a row is, in the singular, as in the id of the list. */
  readonly noun: string;
  /** How many rows have ever arrived. */
  readonly arrived: () => number;
  /** What the page follows, and the command that runs it. */
  readonly server: { readonly name: string; readonly command: string };
  readonly header: ComponentChildren;
  /** Shown above the list. */
  readonly banners?: ComponentChildren;
  /** What can be done with the selected rows. */
  readonly action: { readonly title: string; readonly act: () => void };
  /** More that can be done with them. */
  readonly moreActions?: ComponentChildren;
  readonly dialog: ComponentChildren;
  /** The list and the details. */
  readonly children: ComponentChildren;
}

/** What surrounds the list and the details of a page. */
export function PageFrame<Page extends ListPage>(props: PageFrameProps<Page>) {
  const { page, keys, noun, server } = props;
  useKeys(keys, page, {
    isBusy: () => page.dialog.value !== undefined,
    enterList: (by) => void page.enterList(by),
  });
  return (
    <div class={page.opened.value === undefined ? 'app' : 'app has-detail'}>
      <a class="skip" href={`#${noun}s`}>
        Skip to the {props.rows}
      </a>
      {props.header}
      <Announcer
        arrived={props.arrived}
        noun={noun}
        lost={
          page.connection.value === 'lost'
            ? `The connection to the ${server.name} is lost. Trying again; is ${server.command} still running?`
            : undefined
        }
      />
      {props.banners}
      <main>{props.children}</main>
      <SelectionBar {...props.action} more={props.moreActions} />
      <Notice />
      {props.dialog}
    </div>
  );
}

interface SelectionBarProps {
  readonly title: string;
  readonly act: () => void;
  /** Other buttons. */
  readonly more?: ComponentChildren;
}

/** What can be done with the selected rows. */
function SelectionBar({ title, act, more }: SelectionBarProps) {
  const page = usePage();
  const count = page.selected.value.size;
  if (count === 0) return null;
  return (
    <div class="selection" role="group" aria-label="Selection">
      <p>{countText(count)} selected</p>
      <button class="button primary" onClick={act}>
        <Icon name="replay" />
        {title}
      </button>
      {more}
      <button class="button" onClick={() => page.select([])}>
        Clear selection
      </button>
    </div>
  );
}

/** Long enough to be read. */
const shownMs = 2500;

/** A short message on what was just done. */
function Notice() {
  const page = usePage();
  const { value: notice } = page.notice;
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => (page.notice.value = undefined), shownMs);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notice" role="status">
      {notice && <p key={notice.id}>{notice.text}</p>}
    </div>
  );
}

interface AnnouncerProps {
  /** The number of rows received so far. */
  readonly arrived: () => number;
  /** A row, in the singular. */
  readonly noun: string;
  /** The message about a lost connection; undefined while it is open. */
  readonly lost: string | undefined;
}

/** A live region that speaks more often than this cannot be listened to. */
const pauseMs = 10_000;

/** Says what has arrived to those who do not see the list; and at once when the connection is lost. */
function Announcer({ arrived, noun, lost }: AnnouncerProps) {
  const { version } = usePage();
  const [text, setText] = useState('');
  useEffect(() => {
    let announced = arrived();
    let timer: number | undefined;
    const announce = (): void => {
      timer = undefined;
      const added = arrived() - announced;
      announced = arrived();
      if (added > 0) setText(countOf(added, `new ${noun}`));
    };
    const stop = version.subscribe(() => {
      if (arrived() !== announced) timer ??= window.setTimeout(announce, pauseMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <>
      <p class="sr-only" aria-live="polite">
        {text}
      </p>
      <div role="alert">{lost !== undefined && <p class="banner">{lost}</p>}</div>
    </>
  );
}
