/** Whether what is shown is up to date. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

const words = { connecting: 'Connecting', live: 'Live', lost: 'Reconnecting' };

export function Connection({ state }: { readonly state: ConnectionState }) {
  return <p class={`connection ${state}`}>{words[state]}</p>;
}
