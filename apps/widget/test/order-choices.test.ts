import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../src/web/app/reduce.js';
import { choicesOf } from '../src/web/screens/order/choices.js';
import {
  answerQuotes,
  AT,
  atOrder,
  FIRST,
  OPENED,
  play,
  refusedBy,
  submitted,
  typed,
  type Checkout,
} from './support/checkout.js';

const looking = (): Checkout => answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } }));
const paused: AppEvent = { type: 'elapsed', timer: 'typing' };
const chose = (of: 'currency' | 'source' | 'target', value: string): AppEvent => ({ type: 'chose', of, value });
const bodyOf = ({ effects }: Checkout) => effects.find((effect) => effect.do === 'ask_quotes')?.body;

function choices({ app }: Checkout, of: 'currency' | 'source' | 'target'): readonly string[] {
  return app.terms !== null && app.screen.at === 'order' ? choicesOf(app.terms, app.screen.draft, of) : [];
}

describe('without a session', () => {
  it('an asset that cannot be delivered is not offered for purchases, and can still be sold', () => {
    const unavailable = [
      { flow: 'on_ramp', used_as: 'target', network: 'base', currency: 'EUR' },
      { flow: 'on_ramp', used_as: 'target', network: 'ethereum', currency: 'USD' },
    ] as const;
    const { capabilities } = OPENED;
    const assets = capabilities.assets.map((one) => (one.code === 'USDC' ? { ...one, unavailable } : one));
    const opened = { ...OPENED, isBound: false, capabilities: { ...capabilities, assets } };
    const buying = answerQuotes(play(FIRST, { type: 'opened', opened }));
    expect(choices(buying, 'target')).not.toContain('USDC/base');
    expect(choices(buying, 'target')).toContain('USDC/ethereum');
    const selling = answerQuotes(play(buying, { type: 'chose_flow', flow: 'off_ramp' }));
    expect(choices(selling, 'source')).toContain('USDC/base');
  });

  it('an amount is priced when the buyer pauses, not at each key', () => {
    const typing = play(looking(), ...typed({ amount: '2' }), ...typed({ amount: '25,5' }));
    expect(typing.effects).toEqual([{ do: 'wait', timer: 'typing', ms: 500 }]);
    expect(typing.app.screen).toMatchObject({ draft: { quotes: null, amount: '25,5' } });
    expect(bodyOf(play(typing, paused))).toMatchObject({ amount: '25.5', currency: 'EUR' });
    expect(bodyOf(play(typing, submitted))).toMatchObject({ amount: '25.5' });
  });

  it('a late answer for a previous amount is ignored', () => {
    const typing = play(looking(), ...typed({ amount: '25.50' }), paused, ...typed({ amount: '26' }));
    expect(answerQuotes(typing).app.screen).toEqual(typing.app.screen);
  });

  it.each([
    ['', 'required'],
    ['ten', 'not_an_amount'],
    ['1.234', 'two_amounts'],
  ])('an invalid amount is refused at its field, without a request: %j', (amount, error) => {
    const { app, effects } = play(looking(), ...typed({ amount }), paused);
    expect([app.screen, effects]).toEqual([expect.objectContaining({ errors: { amount: error } }), []]);
  });

  it.each(['amount_below_minimum', 'amount_above_maximum'])(
    'a limit error of the service is shown at the field: %s',
    (code) => {
      const asked = play(looking(), ...typed({ amount: '0.01' }), paused);
      const ask = asked.app.screen.at === 'order' ? asked.app.screen.draft.ask : 0;
      const { app } = play(asked, { type: 'quotes_answered', ask, at: AT, answer: refusedBy(code) });
      expect(app.screen).toMatchObject({ at: 'order', errors: { amount: code }, draft: { refusal: null } });
      expect(play({ app, effects: [], done: [] }, ...typed({ amount: '1' })).app.screen).toMatchObject({ errors: {} });
    },
  );

  it('another currency is priced at once, with the typed amount', () => {
    const dollars = play(looking(), ...typed({ amount: '25.50' }), chose('currency', 'USD'));
    expect(bodyOf(dollars)).toMatchObject({ amount: '25.50', currency: 'USD' });
    expect(play(looking(), chose('currency', 'GBP')).effects).toEqual([]);
  });

  it('the page’s amount replaces the typed one', () => {
    const typing = play(looking(), ...typed({ amount: '25.50' }), { type: 'configured', config: { amount: '7.00' } });
    expect(bodyOf(typing)).toMatchObject({ amount: '7.00' });
  });
});

describe('in a session', () => {
  it('amount and currency are fixed, and cannot be chosen', () => {
    const order = atOrder({ flow: 'on_ramp' });
    expect(play(order, ...typed({ amount: '1.00' })).app.screen).toEqual(order.app.screen);
    expect(choices(order, 'currency')).toEqual([]);
    expect(play(order, chose('currency', 'USD')).effects).toEqual([]);
  });

  it('open terms are chosen from the options on offer and used for the purchase', () => {
    const order = atOrder({ flow: 'on_ramp' });
    expect(choices(order, 'target')).toEqual(['USDC/base', 'USDC/ethereum', 'ETH/ethereum']);
    const ether = play(order, chose('target', 'ETH/ethereum'));
    expect(bodyOf(ether)).toMatchObject({ amount: '100.00', target_token: 'ETH', target_network: 'ethereum' });
  });

  it('fixed terms limit the options: a token to its networks, and both to none', () => {
    expect(choices(atOrder({ flow: 'on_ramp', target_token: 'USDC' }), 'target')).toEqual([
      'USDC/base',
      'USDC/ethereum',
    ]);
    const bound = atOrder({ flow: 'on_ramp', target_token: 'USDC', target_network: 'base' });
    expect(choices(bound, 'target')).toEqual(['USDC/base']);
    expect(play(bound, chose('target', 'ETH/ethereum')).effects).toEqual([]);
  });

  it('the buyer chooses the asset to sell, and no asset is swapped into itself', () => {
    const sale = play(atOrder({ flow: 'off_ramp' }), chose('source', 'ETH/ethereum'));
    expect(bodyOf(sale)).toMatchObject({ source_token: 'ETH', source_network: 'ethereum', target_token: null });
    const swap = answerQuotes(play(atOrder({ flow: 'swap' }), chose('target', 'USDC/base')));
    const flipped = play(swap, chose('source', 'USDC/base'));
    expect(bodyOf(flipped)).toMatchObject({ source_token: 'USDC', target_token: null });
    expect(choices(flipped, 'target')).toEqual(['USDC/ethereum', 'ETH/ethereum']);
    expect(choices(atOrder({ flow: 'swap', target_token: 'USDC', target_network: 'base' }), 'source')).not.toContain(
      'USDC/base',
    );
  });

  it('another flow starts with the service’s default assets', () => {
    const sale = play(atOrder(), chose('target', 'ETH/ethereum'), { type: 'chose_flow', flow: 'swap' });
    expect(bodyOf(sale)).toMatchObject({ flow: 'swap', source_token: null, target_token: null });
  });
});

describe('an amount that cannot be read', () => {
  const look = (amount: string) => play(looking(), ...typed({ amount }));

  it.each([
    ['a lot', 'not_an_amount'],
    ['1.000', 'two_amounts'],
    ['$50', 'cannot_read $'],
    ['', 'required'],
  ])('never gets the price of another amount, whatever is chosen meanwhile: %j', (amount, error) => {
    for (const event of [
      chose('currency', 'USD'),
      { type: 'chose_flow', flow: 'off_ramp' },
      { type: 'elapsed', timer: 'quotes' },
      { type: 'retried' },
    ] as const) {
      // In dollars, `$50` can be read.
      if (amount === '$50' && event.type === 'chose') continue;
      const { app, effects } = play(look(amount), event);
      expect(effects).toEqual([]);
      expect(app.screen).toMatchObject({ draft: { amount, quotes: null, isAsking: false } });
      expect(play({ app, effects, done: [] }, { type: 'left_field', field: 'amount' }).app.screen).toMatchObject({
        errors: { amount: error },
        draft: { amount },
      });
    }
  });

  it('is shown as it was read when the field is left', () => {
    const { app, effects } = play(look('EUR 1.234,50'), { type: 'left_field', field: 'amount' });
    expect(effects[0]).toMatchObject({ body: { amount: '1234.50' } });
    expect(app.screen).toMatchObject({ draft: { amount: '1234,50' }, errors: {} });
  });
});
