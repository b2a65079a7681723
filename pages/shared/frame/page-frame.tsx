import type { ComponentChildren } from 'preact';
import { Announcer } from '../controls/announcer.js';
import { Notice } from '../controls/notice.js';
import type { Key } from '../keys/key.js';
import { useKeys } from '../keys/use-keys.js';
import type { ListPage } from '../view/list-page.js';
import { SelectionBar } from './selection-bar.js';

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
      <Notice notice={page.notice.value} onRead={() => (page.notice.value = undefined)} />
      {props.dialog}
    </div>
  );
}
