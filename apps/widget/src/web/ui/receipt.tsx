import { useRef } from 'preact/hooks';
import { isWebAddress } from '../host/web-address.js';
import { dayAndTimeText } from '../i18n/times.js';
import type { Messages } from '../i18n/en.js';
import { formatDecimal, formatFiat, formatSide, shortDecimal } from '../money/format-amount.js';
import { knownStages } from '../screens/progress/known-stages.js';
import type { Intent, Receipt as Money, ReceiptSide } from '../wire/types.js';
import { shortAddress } from './address.js';
import { QuietButton } from './buttons.js';
import { Coin } from './coin.js';
import { networkName } from './network-name.js';
import { Row } from './price-box.js';
import { StageList } from './stage-list.js';

export interface ReceiptProps {
  readonly intent: Intent;
  readonly locale: string;
  readonly t: Messages;
}

/** The receipt: amounts paid and received, fees, destination and date. It can be printed. */
export function Receipt({ intent, locale, t }: ReceiptProps) {
  const { flow, transaction, tx_refid: refid } = intent;
  const stages = knownStages(intent);
  const tracker = useRef<HTMLDetailsElement>(null);
  const print = (): void => {
    // Opened before printing, since it cannot be opened on paper.
    if (tracker.current !== null) tracker.current.open = true;
    window.print();
  };
  return (
    <section class="receipt" aria-label={t.receipt}>
      {transaction === null ? (
        <dl class="rows">
          <Row title={t.amount} value={formatFiat(intent.amount, intent.currency, locale)} />
          <Row title={t.reference} value={refid} />
        </dl>
      ) : (
        <>
          <div class="receipt-sides">
            <SideLine
              title={flow === 'on_ramp' ? t.paid : t.sentAway}
              side={transaction.source}
              locale={locale}
              t={t}
            />
            <SideLine title={t.received} side={transaction.destination} locale={locale} t={t} />
          </div>
          <dl class="rows">
            <MoneyRows intent={intent} transaction={transaction} locale={locale} t={t} />
            <Row title={t.reference} value={refid} />
          </dl>
          <TransactionLink transaction={transaction} t={t} />
        </>
      )}
      {intent.stages !== null && (
        <details ref={tracker} class="tracker">
          <summary>{t.steps}</summary>
          <StageList {...intent} stages={stages} locale={locale} t={t} />
        </details>
      )}
      <QuietButton onClick={print}>{t.print}</QuietButton>
    </section>
  );
}

function SideLine({ title, side, locale, t }: Omit<ReceiptProps, 'intent'> & { title: string; side: ReceiptSide }) {
  const { amount, currency, network } = side;
  if (currency === null) return null;
  return (
    <div class="receipt-side">
      <Coin code={currency} network={network} isSmall />
      <p>
        <span class="quiet fine">{title}</span>
        <bdi class="amount">{amount === null ? currency : formatSide({ amount, currency, network }, locale)}</bdi>
        {network !== null && <span class="quiet fine">{t.onNetwork(networkName(network))}</span>}
      </p>
    </div>
  );
}

function MoneyRows({ intent, transaction, locale, t }: ReceiptProps & { readonly transaction: Money }) {
  const {
    source,
    destination,
    fees,
    fee_total: feeTotal,
    exchange_rate: rate,
    completed_at: completedAt,
  } = transaction;
  const feeCurrency = fees[0]?.currency ?? source.currency;
  const wallet = intent.flow === 'off_ramp' ? null : intent.wallet_address;
  return (
    <>
      {feeTotal !== null && feeCurrency !== null && (
        <Row
          title={t.fees}
          value={formatSide(
            {
              amount: feeTotal,
              currency: feeCurrency,
              network: feeCurrency === source.currency ? source.network : null,
            },
            locale,
          )}
        />
      )}
      {rate !== null && source.currency !== null && destination.currency !== null && (
        <Row
          title={t.rate}
          value={t.rateText(source.currency, formatDecimal(shortDecimal(rate, 6), locale), destination.currency)}
        />
      )}
      {intent.payment_method !== null && <Row title={t.paidWith} value={t.method[intent.payment_method]} />}
      {wallet !== null && <Row title={t.toWallet} value={shortAddress(wallet)} isCode />}
      {completedAt !== null && <Row title={t.date} value={dayAndTimeText(completedAt, locale)} />}
    </>
  );
}

/** The hash of the on-chain transaction, with a link to a block explorer. */
export function TransactionLink({ transaction, t }: { readonly transaction: Money | null; readonly t: Messages }) {
  const { tx_hash: hash, tx_url: url } = transaction ?? {};
  if (!hash) return null;
  return (
    <p class="transaction">
      <span class="quiet">{t.transaction}</span>{' '}
      <bdi dir="ltr" class="address" title={hash}>
        {shortAddress(hash)}
      </bdi>
      {url && isWebAddress(url) && (
        <a class="link" href={url} target="_blank" rel="noopener noreferrer">
          {t.viewOnExplorer}
          <span class="unseen"> {t.inNewTab}</span>
        </a>
      )}
    </p>
  );
}
