import type { Ask, Rail } from '../command.js';
import { pick, type Known, type KnownRail } from '../known.js';
import type { Target } from './target.js';

export function takeUp({ rail, quote: nth, body }: Extract<Ask, { to: 'takeUp' }>, known: Known): Target | null {
  const side = rail === 'pay_in' ? 'on_ramp' : 'off_ramp';
  // Sometimes a quote of the other side.
  const some = nth > 8 ? known.fixedQuotes : known.fixedQuotes.filter((one) => one.side === side);
  const quote = pick(some, nth);
  if (quote === null) return null;
  const own =
    rail === 'pay_in'
      ? { wallet_address: WALLET }
      : {
          refund_address: WALLET,
          beneficiary: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Løvelace' },
        };
  return { who: quote.who, method: 'POST', path: `/v1/rails/${rail}s`, body: { quote_id: quote.id, ...own, ...body } };
}

const WALLET = '0x00000000000000000000000000000000000000aa';

export function railsOf({ rails }: Known, rail: Rail): readonly KnownRail[] {
  return rails.filter((one) => one.rail === rail);
}

export function ofRail(
  ask: Extract<Ask, { to: 'rail' | 'cancelRail' | 'simulateRail' }>,
  payment: KnownRail | null,
): Target | null {
  if (payment === null) return null;
  const { who, rail, id } = payment;
  const path = `/v1/rails/${rail}s/${id}`;
  if (ask.to === 'rail') return { who, path };
  if (ask.to !== 'simulateRail') return { who, method: 'POST', path: `${path}/cancel` };
  return { who, method: 'POST', path: `/v1/test_helpers/rails/${id}/simulate`, body: { scenario: ask.scenario } };
}
