import type { Draft, Terms } from '../../app/screen.js';
import type { Settings } from '../../app/app.js';
import type { Send } from '../../app/run.js';
import type { Messages } from '../../i18n/en.js';
import type { OfferedComponent, Wallet } from '../../wire/types.js';

const NAMES: Readonly<Record<Wallet, string>> = {
  apple_pay: 'Apple Pay',
  google_pay: 'Google Pay',
  sandbox_pay: 'Sandbox Pay',
};

/** The wallets that a provider offers and this device supports. */
export function shownWallets(terms: Terms, draft: Draft, { wallets }: Settings): readonly OfferedComponent[] {
  if (draft.flow !== 'on_ramp') return [];
  return terms.components.filter(
    ({ payment_method: method, wallet, token }) =>
      method === draft.method && wallet !== null && wallets.includes(wallet) && !draft.unpayable.includes(token),
  );
}

interface WalletButtonsProps {
  /** A form for a card follows. */
  readonly isBeforeCard?: boolean;
  readonly wallets: readonly OfferedComponent[];
  readonly isOff: boolean;
  readonly t: Messages;
  readonly send: Send;
}

/** Placed first, since paying with a wallet takes one click. */
export function WalletButtons({ isBeforeCard = false, wallets, isOff, t, send }: WalletButtonsProps) {
  if (wallets.length === 0) return null;
  return (
    <div class="wallets">
      {wallets.map((one) => (
        <button
          key={one.token}
          type="button"
          class="button button-wallet"
          aria-disabled={isOff}
          onClick={() => send({ type: 'chose_wallet', component: one })}
        >
          {one.wallet === null ? null : NAMES[one.wallet]}
        </button>
      ))}
      {isBeforeCard && <p class="divider">{t.orByCard}</p>}
    </div>
  );
}
