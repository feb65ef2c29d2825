import { useEffect, useState } from 'preact/hooks';
import type { Send } from '../app/run.js';
import type { Draft } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';
import { formatDecimal, formatFiat, formatSide, shortDecimal } from '../money/format-amount.js';
import type { Quote, Quotes, Side } from '../wire/types.js';
import { QuietButton } from './buttons.js';
import { Coin } from './coin.js';
import { Countdown } from './countdown.js';
import { networkName } from './network-name.js';

interface PriceBoxProps {
  readonly draft: Draft;
  readonly quote: Quote | null;
  readonly locale: string;
  readonly t: Messages;
  /** A sentence on who fixed the amount; null if it is not fixed, or if the sentence is shown elsewhere. */
  readonly boundBy: string | null;
  readonly send: Send;
}

/** Both sides of the price, its fees and its remaining validity. */
export function PriceBox({ draft, quote, locale, t, boundBy, send }: PriceBoxProps) {
  return (
    <>
      {quote === null ? (
        <PriceWait key={draft.ask} draft={draft} t={t} send={send} />
      ) : (
        <Price draft={draft} quote={quote} locale={locale} t={t} boundBy={boundBy} />
      )}
      {/* Always rendered, so that screen readers announce text added to it. */}
      <p class="renewed" role="status">
        {draft.isRenewed && quote !== null && (
          <>
            {t.priceRenewed}
            <span class="unseen">
              {' '}
              {t.youReceive}: {formatSide(quote.destination, locale)}
            </span>
          </>
        )}
      </p>
    </>
  );
}

const SLOW_MS = 3000;

/** Prices usually arrive within a second; a slow one gets a retry button. */
function PriceWait({ draft, t, send }: Pick<PriceBoxProps, 'draft' | 't' | 'send'>) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  const isLate = isSlow && draft.isAsking;
  return (
    <div class="price price-wait">
      {draft.isAsking && (
        <>
          <div class="side">
            <i class="bone bone-short" />
            <i class="bone" />
          </div>
          <div class="side">
            <i class="bone bone-short" />
            <i class="bone" />
          </div>
        </>
      )}
      <div class="wait-text">
        <p class="quiet" role="status">
          {isLate ? t.slowPrice : waitText(draft, t)}
        </p>
        {isLate && <QuietButton onClick={() => send({ type: 'retried' })}>{t.tryAgain}</QuietButton>}
      </div>
    </div>
  );
}

/** Quotes without a price mean that no payment method is available. */
function waitText({ isAsking, quotes }: Draft, t: Messages): string {
  if (isAsking) return t.gettingPrice;
  return quotes === null ? '' : t.unavailableTitle;
}

function Price({ draft, quote, locale, t, boundBy }: Omit<PriceBoxProps, 'send'> & { readonly quote: Quote }) {
  const { source, destination, source_total: total, fees, fee_total: feeTotal } = quote;
  const gives = draft.flow === 'on_ramp' ? t.youPay : t.youSend;
  const isPayout = draft.flow === 'off_ramp';
  const worth = draft.flow === 'swap' && draft.quotes !== null ? worthOf(draft.quotes, locale, t) : null;
  const fee = (amount: string): string => formatSide({ ...source, amount }, locale);
  return (
    <section class="price" aria-label={t.summary}>
      <dl class="sides">
        <SideRow
          title={gives}
          side={{ ...source, amount: total }}
          locale={locale}
          t={t}
          notes={[worth, isPayout ? null : boundBy]}
        />
        <SideRow title={t.youReceive} side={destination} locale={locale} t={t} notes={[isPayout ? boundBy : null]} />
      </dl>
      <details class="more">
        <summary>
          <span>{t.fees}</span> <bdi class="amount">{fee(feeTotal)}</bdi>
        </summary>
        <dl class="rows">
          {fees.map(({ type, amount }) => (
            <Row key={type} title={t.feeTypes[type] ?? t.otherFee} value={fee(amount)} />
          ))}
          <Row
            title={t.rate}
            value={t.rateText(
              source.currency,
              formatDecimal(shortDecimal(quote.exchange_rate, 6), locale),
              destination.currency,
            )}
          />
        </dl>
      </details>
      {draft.lapsesAt !== null && (
        <p class="held">
          <span>{t.priceHeld}</span> <Countdown until={draft.lapsesAt} />
        </p>
      )}
    </section>
  );
}

/** The fiat amount of the order, since a swap shows it on neither side. */
function worthOf({ amount, currency }: Quotes, locale: string, t: Messages): string {
  return t.worth(formatFiat(amount, currency, locale));
}

interface SideRowProps {
  readonly title: string;
  readonly side: Side;
  readonly locale: string;
  readonly t: Messages;
  readonly notes: readonly (string | null)[];
}

function SideRow({ title, side, locale, t, notes }: SideRowProps) {
  const amount = formatSide(side, locale);
  return (
    <div class="side">
      <dt>{title}</dt>
      <dd>
        <bdi class={`amount${amount.length > 16 ? ' amount-long' : ''}`}>{amount}</bdi>
        {side.network !== null && <span class="quiet note">{t.onNetwork(networkName(side.network))}</span>}
        {notes.map((note) => note !== null && <span class="quiet note">{note}</span>)}
        <Coin code={side.currency} network={side.network} />
      </dd>
    </div>
  );
}

interface RowProps {
  readonly title: string;
  readonly value: string;
  /** Shows the value left to right in every language. */
  readonly isCode?: boolean;
}

export function Row({ title, value, isCode = false }: RowProps) {
  return (
    <div class="row">
      <dt>{title}</dt>
      <dd>
        {isCode ? (
          <bdi dir="ltr" class="address">
            {value}
          </bdi>
        ) : (
          <bdi>{value}</bdi>
        )}
      </dd>
    </div>
  );
}
