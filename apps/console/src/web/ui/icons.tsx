import type { PageName } from '../app/route.js';

const PATHS: Readonly<Record<string, string>> = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  sessions: 'M4 6h16v12H4zM4 10h16',
  transactions: 'M4 8h13l-3-3M20 16H7l3 3',
  events: 'M13 3L5 13h6l-1 8 8-10h-6z',
  deliveries: 'M4 12l16-8-6 16-3-6z',
  endpoint: 'M9 15l6-6M10 6l2-2a4 4 0 016 6l-2 2M14 18l-2 2a4 4 0 01-6-6l2-2',
  keys: 'M15 9a4 4 0 11-4 4M11 13L4 20M6 18l2 2',
  domains: 'M12 3a9 9 0 100 18 9 9 0 000-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  branding: 'M5 19l3-1L19 7l-2-2L6 16z',
  team: 'M9 11a3 3 0 100-6 3 3 0 000 6M3 20c0-4 3-6 6-6s6 2 6 6M16 5a3 3 0 010 6M18 14c2 1 3 3 3 6',
  passkeys: 'M9 11a3 3 0 100-6 3 3 0 000 6M3 20c0-4 3-6 6-6 1 0 2 0 3 1M18 14a3 3 0 100-6 3 3 0 000 6v7l2-2',
  audit: 'M6 3h9l3 3v15H6zM9 10h6M9 14h6',
  approvals: 'M9 11a3 3 0 100-6 3 3 0 000 6M3 20c0-4 3-6 6-6s4 1 5 2M14 18l2 3 5-6',
  partners: 'M4 20V8l6-4v16M10 20V10l10 3v7M3 20h18',
  clock: 'M5 5l6 7-6 7zM13 5l6 7-6 7z',
  file: 'M6 3h8l4 4v14H6zM14 3v5h4',
  work: 'M12 8v4l3 2M12 3a9 9 0 100 18 9 9 0 000-18',
  pools: 'M4 7c0-4 16-4 16 0s-16 4-16 0v10c0 4 16 4 16 0V7',
  dead_letters: 'M4 6h16v12H4zM4 7l8 6 8-6M9 15l6 0',
  wallets: 'M4 7h14v-3H6a2 2 0 00-2 2v12h16V7M15 13h2',
  operations: 'M4 6h6v5H4zM14 13h6v5h-6zM10 8h7v5',
  trail: 'M6 3h9l3 3v15H6zM9 9h6M9 13h6M9 17h4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14M16 16l5 5',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  person: 'M12 12a4 4 0 100-8 4 4 0 000 8M4 21c0-5 4-7 8-7s8 2 8 7',
  refresh: 'M20 11a8 8 0 10-2 6M20 4v7h-7',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
};

export type IconName = PageName | 'menu' | 'search' | 'cross' | 'copy' | 'person' | 'refresh' | 'back' | 'forward';

/** A decorative icon on a 24 × 24 grid: its meaning is always given as text as well. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}
