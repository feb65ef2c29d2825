import type { WayId } from '../shop-server.js';
import type { Flow } from '../situation.js';
import { showFullPage } from './full-page.js';
import { showIframe } from './iframe.js';
import { showKit } from './kit.js';
import type { Show } from './way.js';

/** A way to show the checkout; one tab of the shop. */
export interface Way {
  readonly id: WayId;
  readonly title: string;
  readonly about: string;
  /** The offers of the tab. With a flow of null the buyer chooses in the checkout. */
  readonly offers: readonly { readonly label: string; readonly flow: Flow | null }[];
  /** Loaded on demand, so that only the React tab loads React. */
  readonly load: () => Promise<Show>;
  readonly code: string;
}

const THREE = [
  { label: 'Buy USDC', flow: 'on_ramp' },
  { label: 'Sell USDC', flow: 'off_ramp' },
  { label: 'Swap to USDC', flow: 'swap' },
] as const;

/** By file, the lines between its `<shown>` marks. Inserted by the build, so the page shows the code that runs. */
declare const __LINES__: Readonly<Record<'iframe' | 'kit' | 'full-page' | 'react' | 'server' | 'webhook', string>>;

export const SERVER_CODE = __LINES__.server;
export const WEBHOOK_CODE = __LINES__.webhook;

export const WAYS: readonly [Way, ...Way[]] = [
  {
    id: 'iframe',
    title: 'In an iframe',
    about: 'The whole checkout inside your page, with tabs to buy, sell and swap.',
    offers: [{ label: 'Open the checkout', flow: null }],
    load: async () => showIframe,
    code: __LINES__.iframe,
  },
  {
    id: 'kit',
    title: 'Kit blocks',
    about: 'One block for one thing: the checkout locked to buying, selling or swapping.',
    offers: THREE,
    load: async () => showKit,
    code: __LINES__.kit,
  },
  {
    id: 'full-page',
    title: 'Full page',
    about: 'Your buyer leaves for the hosted page and comes back to your return or cancel page.',
    offers: THREE,
    load: async () => showFullPage,
    code: __LINES__['full-page'],
  },
  {
    id: 'react',
    title: 'React',
    about: 'The same blocks as components, for React 18 and 19.',
    offers: THREE,
    load: async () => (await import('./react.js')).showReact,
    code: __LINES__.react,
  },
];
