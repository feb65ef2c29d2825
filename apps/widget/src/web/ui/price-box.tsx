import type { Draft } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';
import { formatSide, shortDecimal, formatDecimal } from '../money/format-amount.js';
import type { Quote, Side } from '../wire/types.js';
import { Countdown } from './countdown.js';
import { networkName } from './network-name.js';

interface PriceBoxProps {
  readonly draft: Draft;
  readonly quote: Quote | null;
  readonly locale: string;
  readonly t: Messages;
  /** Who fixed the amount; null: nobody has. */
  readonly boundBy: string | null;
}

/** Both sides of the price, what it costs, and how long it holds. */
export function PriceBox({ draft, quote, locale, t, boundBy }: PriceBoxProps) {
  return (
    <>
      {quote === null ? (
        <p class="quiet price-wait">{draft.isAsking ? t.gettingPrice : ''}</p>
      ) : (
        <Price draft={draft} quote={quote} locale={locale} t={t} boundBy={boundBy} />
      )}
      {/* Always there, so that what comes into it is read out. */}
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

function Price({ draft, quote, locale, t, boundBy }: PriceBoxProps & { readonly quote: Quote }) {
  const { source, destination, source_total: total, fees, fee_total: feeTotal } = quote;
  const gives = draft.flow === 'on_ramp' ? t.youPay : t.youSend;
  const fee = (amount: string): string => formatSide({ ...source, amount }, locale);
  return (
    <section class="price" aria-label={t.summary}>
      <dl class="sides">
        <SideRow title={gives} side={{ ...source, amount: total }} locale={locale} t={t} note={boundBy} />
        <SideRow title={t.youReceive} side={destination} locale={locale} t={t} note={null} />
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

interface SideRowProps {
  readonly title: string;
  readonly side: Side;
  readonly locale: string;
  readonly t: Messages;
  readonly note: string | null;
}

function SideRow({ title, side, locale, t, note }: SideRowProps) {
  return (
    <div class="side">
      <dt>{title}</dt>
      <dd>
        <bdi class="amount">{formatSide(side, locale)}</bdi>
        {side.network !== null && <span class="quiet note">{t.onNetwork(networkName(side.network))}</span>}
        {note !== null && <span class="quiet note">{note}</span>}
      </dd>
    </div>
  );
}

export function Row({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div class="row">
      <dt>{title}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}
