import type { ComponentChildren } from 'preact';
import { CopyButton } from '../controls/copy-button.js';
import { Icon, type IconName } from '../controls/icon.js';
import type { ConnectionState, Theme } from '../view/list-page.js';
import { usePage } from '../view/page.js';

const themeIcons: Readonly<Record<Theme, IconName>> = {
  system: 'screen',
  light: 'sun',
  dark: 'moon',
};

interface HeaderProps {
  /** The command that serves the page. */
  readonly command: string;
  readonly url: string;
  /** The actions that only this page has. */
  readonly children: ComponentChildren;
}

/** The name and URL of the server, whether the page is live, and the actions for all of it. */
export function Header({ command, url, children }: HeaderProps) {
  const page = usePage();
  const connection = page.connection.value;
  const theme = page.theme.value;
  return (
    <header class="top">
      <h1>
        evfwd <span>{command}</span>
      </h1>
      <p class="url">
        <code>{url}</code>
        <CopyButton text={url} what="the URL" />
      </p>
      <Connection state={connection} />
      <div class="top-actions">
        {children}
        <button
          class="icon-button"
          aria-label={`Theme: ${theme}`}
          title={`Theme: ${theme} (t)`}
          onClick={() => page.nextTheme()}
        >
          <Icon name={themeIcons[theme]} />
        </button>
        <button
          class="icon-button help"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => page.show({ name: 'help' })}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

interface HeaderButtonProps {
  readonly icon: IconName;
  readonly title: string;
  readonly onClick: () => void;
  readonly children?: ComponentChildren;
}

/** An action of the header; on a narrow page its icon alone is shown. */
export function HeaderButton({ icon, title, onClick, children }: HeaderButtonProps) {
  return (
    <button class="button" onClick={onClick}>
      <Icon name={icon} />
      <span class="word">{title}</span>
      {children}
    </button>
  );
}

const words = { connecting: 'Connecting', live: 'Live', lost: 'Reconnecting' };

function Connection({ state }: { readonly state: ConnectionState }) {
  return <p class={`connection ${state}`}>{words[state]}</p>;
}
