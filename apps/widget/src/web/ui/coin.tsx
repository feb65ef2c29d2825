/**
 * A mark of our own for a well-known token or network, drawn on a 32 × 32 grid. It is decorative: the name is always shown as text as well.
 */
interface Drawing {
  readonly back: string;
  /** A path drawn as white lines. */
  readonly line?: string;
  /** A path filled white. */
  readonly shape?: string;
}

const ETHEREUM: Drawing = { back: '#5b74e0', shape: 'M16 5 9 16.4l7 4 7-4zM16 22.2l-7-4L16 27l7-8.8z' };
const SOLANA: Drawing = {
  back: '#2b1c5a',
  shape: 'M11.4 9.2h11.4l-2.6 2.9H8.8zM8.8 14.6h11.4l2.6 2.9H11.4zM11.4 20h11.4l-2.6 2.9H8.8z',
};
const BITCOIN: Drawing = {
  back: '#e8851a',
  line: 'M12.5 10h4.8a2.9 2.9 0 0 1 0 5.8h-4.3h5a3.1 3.1 0 0 1 0 6.2h-5.5M13.2 10v12M15 7.6V10M18 7.6V10M15 22v2.4M18 22v2.4',
};
const POLYGON: Drawing = { back: '#7b3fe4', line: 'M16 8.6l6.4 3.7v7.4L16 23.4l-6.4-3.7v-7.4zM16 13v6' };

const TOKENS: Readonly<Record<string, Drawing>> = {
  USDC: {
    back: '#2775ca',
    line: 'M19.4 12.6c-.5-1.4-1.7-2.1-3.4-2.1-2 0-3.4 1-3.4 2.6 0 3.8 7 2 7 5.8 0 1.7-1.5 2.7-3.6 2.7-1.9 0-3.2-.8-3.7-2.3M16 8.3v2.2M16 21.6v2.1',
  },
  USDT: { back: '#1f8f6c', line: 'M10 10.5h12M16 10.5V23M9 16c0-1.2 3.1-2.2 7-2.2s7 1 7 2.2-3.1 2.2-7 2.2-7-1-7-2.2' },
  ETH: ETHEREUM,
  BTC: BITCOIN,
  SOL: SOLANA,
  POL: POLYGON,
  MATIC: POLYGON,
  DAI: { back: '#d9931e', line: 'M12.5 9.5h3a6.5 6.5 0 0 1 0 13h-3zM9.5 14.2h13.6M9.5 17.8h13.6' },
  EURC: { back: '#1f55d6', line: 'M21 11.2a6.3 6.3 0 1 0 0 9.6M9.5 14.4h8M9.5 17.6h8' },
};

const NETWORKS: Readonly<Record<string, Drawing>> = {
  base: { back: '#0052ff', shape: 'M2 14.2h16v3.6H2z' },
  ethereum: ETHEREUM,
  polygon: POLYGON,
  solana: SOLANA,
  bitcoin: BITCOIN,
  arbitrum: { back: '#213a57', line: 'M10 22.5 16 8.5l6 14M13 17.6h6' },
  optimism: { back: '#e5031d', line: 'M16 9.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13' },
  bsc: { back: '#c99a06', shape: 'M16 7.5l8.5 8.5-8.5 8.5L7.5 16zM16 12.6 12.6 16l3.4 3.4 3.4-3.4z' },
  avalanche: { back: '#d93638', shape: 'M16 7.5 24.5 23h-5L16 16.4 12.5 23h-5z' },
};

interface DrawnProps {
  readonly drawing: Drawing | undefined;
  readonly text: string;
  readonly isBadge?: boolean;
}

function Drawn({ drawing, text, isBadge = false }: DrawnProps) {
  return (
    <svg class={isBadge ? 'coin-net' : undefined} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <circle cx="16" cy="16" r="16" fill={drawing?.back ?? '#5d6b7c'} />
      {drawing?.shape !== undefined && <path d={drawing.shape} fill="#fff" fill-rule="evenodd" />}
      {drawing?.line !== undefined && (
        <path
          d={drawing.line}
          fill="none"
          stroke="#fff"
          stroke-width="2"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      )}
      {drawing === undefined && (
        <text x="16" y="21" text-anchor="middle" font-size={text.length > 2 ? 10 : 15} font-weight="700" fill="#fff">
          {text.slice(0, 4)}
        </text>
      )}
    </svg>
  );
}

interface CoinProps {
  /** A token or a fiat currency. */
  readonly code: string;
  /** Null for a fiat currency. */
  readonly network: string | null;
  readonly isSmall?: boolean;
}

/** The mark of a token or currency, with a badge for its network. */
export function Coin({ code, network, isSmall = false }: CoinProps) {
  return (
    <span class={`coin${isSmall ? ' coin-small' : ''}`} aria-hidden="true">
      <Drawn drawing={TOKENS[code]} text={network === null ? signOf(code) : code} />
      {network !== null && <Drawn drawing={NETWORKS[network]} text={network.slice(0, 1).toUpperCase()} isBadge />}
    </span>
  );
}

/** The symbol of a currency, such as `€` for `EUR`; its code if it has none. */
function signOf(currency: string): string {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  } catch {
    return currency;
  }
}
