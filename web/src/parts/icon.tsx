/** Shapes of things to press, on a ground of 16 by 16; never of a state. */
const PATHS = {
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10.5 10.5L14 14',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  filter: 'M2 4h12M4.5 8h7M6.5 12h3',
  out: 'M6 3.5H4A1.5 1.5 0 0 0 2.5 5v7A1.5 1.5 0 0 0 4 13.5h7a1.5 1.5 0 0 0 1.5-1.5v-2M9 2.5h4.5V7M13.2 2.8L7.5 8.5',
  arrow: 'M2.5 8h10.5M9 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  minus: 'M3 8h10',
  download: 'M8 2.5v7.5M4.8 7.2L8 10.4l3.2-3.2M3 13.2h10',
  clock: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM8 4.8V8l2.3 1.6',
  previous: 'M4 3.5v9M12 3.8L6.5 8l5.5 4.2z',
  next: 'M12 3.5v9M4 3.8L9.5 8 4 12.2z',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  copy: 'M5.5 7A1.5 1.5 0 0 1 7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12zM10.5 3.5v-.3A1.2 1.2 0 0 0 9.3 2H3.2A1.2 1.2 0 0 0 2 3.2v6.1a1.2 1.2 0 0 0 1.2 1.2h.3',
  right: 'M6 4l4 4-4 4',
  same: 'M3 8.5l3.2 3.2L13 5',
  differs: 'M3 6h10M3 10h10M10.5 3l-5 10',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  rows: 'M2 4h12M2 8h12M2 12h12',
  compact: 'M2 3h5M2 6.3h5M2 9.6h5M2 13h5M9.5 3h5M9.5 6.3h5M9.5 9.6h5M9.5 13h5',
  map: 'M2.5 2.5h2.4v2.4H2.5zM6.8 2.5h2.4v2.4H6.8zM11.1 2.5h2.4v2.4h-2.4zM2.5 6.8h2.4v2.4H2.5zM6.8 6.8h2.4v2.4H6.8zM11.1 6.8h2.4v2.4h-2.4zM2.5 11.1h2.4v2.4H2.5zM6.8 11.1h2.4v2.4H6.8zM11.1 11.1h2.4v2.4h-2.4z',
} as const;
type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width="14"
      height="14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
