import type { ComponentChildren } from 'preact';
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
  /** The pickers of what is sent and received; null where there is nothing to choose. */
  readonly pickers?: { readonly source: ComponentChildren; readonly target: ComponentChildren };
  readonly send: Send;
}

/** Both sides of the price, its fees and its remaining validity. The pickers stay in place while a price is on its way. */
export function PriceBox(props: PriceBoxProps) {
  return (
    <>
      <Price {...props} />
      <Renewed {...props} />
    </>
  );
}

function Price({ draft, quote, locale, t, boundBy, pickers, send }: PriceBoxProps) {
  const isPayout = draft.flow === 'off_ramp';
  const worth = draft.flow === 'swap' && draft.quotes !== null ? worthOf(draft.quotes, locale, t) : null;
  const source = pickers?.source ?? null;
  const target = pickers?.target ?? null;
  const side = { locale, t };
  return (
    <section class="price" aria-label={t.summary}>
      {(quote !== null || draft.isAsking || source !== null || target !== null) && (
        <dl class="sides">
          <SideBox
            {...side}
            title={draft.flow === 'on_ramp' ? t.youPay : t.youSend}
            side={quote === null ? null : { ...quote.source, amount: quote.source_total }}
            notes={[worth, isPayout ? null : boundBy]}
            picker={source}
          />
          <SideBox
            {...side}
            title={t.youReceive}
            side={quote === null ? null : quote.destination}
            notes={[isPayout ? boundBy : null]}
            picker={target}
          />
        </dl>
      )}
      {quote === null ? (
        <PriceWait key={draft.ask} draft={draft} t={t} send={send} />
      ) : (
        <Fees quote={quote} lapsesAt={draft.lapsesAt} locale={locale} t={t} />
      )}
    </section>
  );
}

/** Always rendered, so that screen readers announce text added to it. */
function Renewed({ draft, quote, locale, t }: PriceBoxProps) {
  return (
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
  );
}

interface FoldedPriceProps extends Omit<PriceBoxProps, 'boundBy' | 'pickers'> {
  /** Shown below the price once it is opened. */
  readonly children: ComponentChildren;
}

/** The price in one line that expands. Shown in full while there is no price. */
export function FoldedPrice({ children, ...given }: FoldedPriceProps) {
  const [isOpen, setOpen] = useState(false);
  const { draft, quote, locale, t } = given;
  const props = { ...given, boundBy: null };
  if (quote === null) return <PriceBox {...props} />;
  const { source, source_total: total, destination } = quote;
  return (
    <>
      <details class="folded" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="unseen">{t.summary}: </span>
          <span class="folded-sides">
            <bdi>{shortSide({ ...source, amount: total }, locale)}</bdi>
            <span class="arrow" aria-hidden="true" />
            <bdi>{shortSide(destination, locale)}</bdi>
          </span>
          {draft.lapsesAt !== null && <Countdown until={draft.lapsesAt} />}
        </summary>
        <Price {...props} />
        {children}
      </details>
      <Renewed {...props} />
    </>
  );
}

/** Up to four decimals of crypto, never rounded up; the opened price shows them all. */
function shortSide(side: Side, locale: string): string {
  return formatSide(side.network === null ? side : { ...side, amount: shortDecimal(side.amount, 4) }, locale);
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
    <div class="wait-text">
      <p class="quiet" role="status">
        {isLate ? t.slowPrice : waitText(draft, t)}
      </p>
      {isLate && <QuietButton onClick={() => send({ type: 'retried' })}>{t.tryAgain}</QuietButton>}
    </div>
  );
}

/** Quotes without a price mean that no payment method is available. */
function waitText({ isAsking, quotes }: Draft, t: Messages): string {
  if (isAsking) return t.gettingPrice;
  return quotes === null ? '' : t.unavailableTitle;
}

interface FeesProps extends Pick<PriceBoxProps, 'locale' | 't'> {
  readonly quote: Quote;
  readonly lapsesAt: number | null;
}

function Fees({ quote, lapsesAt, locale, t }: FeesProps) {
  const { source, destination, fees, fee_total: feeTotal } = quote;
  const fee = (amount: string): string => formatSide({ ...source, amount }, locale);
  return (
    <details class="more">
      <summary>
        <span>
          {t.fees} <bdi class="amount">{fee(feeTotal)}</bdi>
        </span>
        {lapsesAt !== null && (
          <span class="quiet">
            {t.priceHeld} <Countdown until={lapsesAt} />
          </span>
        )}
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
  );
}

/** The fiat amount of the order, since a swap shows it on neither side. */
function worthOf({ amount, currency }: Quotes, locale: string, t: Messages): string {
  return t.worth(formatFiat(amount, currency, locale));
}

interface SideBoxProps extends Pick<PriceBoxProps, 'locale' | 't'> {
  readonly title: string;
  /** Null while it is not known. */
  readonly side: Side | null;
  readonly notes: readonly (string | null)[];
  readonly picker: ComponentChildren;
}

function SideBox({ title, side, locale, t, notes, picker }: SideBoxProps) {
  const amount = side === null ? '' : formatSide(side, locale);
  const network = side === null || side.network === null ? null : t.onNetwork(networkName(side.network));
  return (
    <div class="side">
      <dt>
        <span>{title}</span>
        {[network, ...notes].map((note) => note !== null && <span class="note">{note}</span>)}
      </dt>
      <dd>
        {side === null ? (
          <i class="bone" />
        ) : (
          <bdi class={`amount${amount.length > 16 ? ' amount-long' : ''}`}>{amount}</bdi>
        )}
        {picker ?? (side !== null && <Coin code={side.currency} network={side.network} />)}
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
