/** Drawn on a grid of 16, with a line of 1.5. */
const paths = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  dash: 'M4 8h8',
  circle: 'M8 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7',
  more: 'M8 2.9a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8M8 7.6a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8M8 12.3a.4.4 0 1 0 0 .8a.4.4 0 1 0 0-.8',
  search: 'M7 3a4 4 0 1 0 0 8a4 4 0 1 0 0-8M10 10l3.5 3.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7.5-4.5z',
  copy: 'M6 6h7v7h-7zM10 6v-3h-7v7h3',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M9.5 3.5l-4.5 4.5 4.5 4.5',
  down: 'M8 3v10M4 9l4 4 4-4',
  up: 'M8 13v-10M4 7l4-4 4 4',
  chevron: 'M6 4l4 4-4 4',
  plus: 'M8 3.5v9M3.5 8h9',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M8 1.5v1.5M8 13v1.5M1.5 8h1.5M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13 9.5a5.5 5.5 0 0 1-6.5-6.5a5.5 5.5 0 1 0 6.5 6.5z',
  screen: 'M2.5 3.5h11v7.5h-11zM6 13.5h4',
  download: 'M8 2.5v7.5M4.5 7l3.5 3.5 3.5-3.5M3 13.5h10',
  page: 'M4 2.5h5.5l3 3v8h-8.5zM9.5 2.5v3h3M6 8.5h4.5M6 11h4.5',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  replay: 'M3.5 8a4.5 4.5 0 1 0 1.5-3.4M5 2v3h3',
  bolt: 'M9 2l-5 7h3.5l-.5 5 5-7h-3.5z',
  chart: 'M3 13.5v-5M6.5 13.5v-11M10 13.5v-7M13.5 13.5v-3',
  filter: 'M2.5 4.5h11M4.5 8h7M6.5 11.5h3',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3l2 1.5',
  stop: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 4.2l7.6 7.6',
  send: 'M13.5 2.5l-11 4.5 4.5 2 2 4.5zM13.5 2.5l-6.5 6.5',
  user: 'M8 2.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4',
  right: 'M3 8h10M9 4l4 4-4 4',
  edit: 'M3 13l.5-2.5 7.5-7.5 2 2-7.5 7.5zM9.5 4.5l2 2',
  compare: 'M6.5 3h-4v10h4M9.5 3h4v10h-4M8 1.5v13',
  help: 'M6 6a2 2 0 1 1 2.8 1.8c-.5.3-.8.6-.8 1.2v.5M8 12v.1',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon: there is text beside it, or its button has a label. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
