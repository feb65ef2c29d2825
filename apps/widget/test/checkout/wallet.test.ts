import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../src/web/address/read-address.js';
import type { EmbedSession, Flow } from '../../src/web/wire/types.js';
import {
  afterAttempt,
  anIntent,
  answerQuotes,
  AT,
  atOrder,
  atPayment,
  DEPOSIT,
  play,
  refusedBy,
  submitted,
  typed,
  WALLET,
} from '../support/checkout.js';

describe('the wallet step', () => {
  it('is skipped if the session fixes the wallet', () => {
    expect(play(atOrder({ flow: 'on_ramp', wallet_address: WALLET }), submitted).app.screen.at).toBe('payment');
    const swap = play(atOrder({ flow: 'swap', wallet_address: WALLET }), submitted);
    expect(swap.app.screen.at).toBe('wallet');
  });

  it.each([
    ['', 'required'],
    ['0x1234', 'not_an_address'],
    ['0x52908400098527886E0F7030069857D2E4169Ee7', 'wrong_checksum'],
    ['ada.eth', 'a_name'],
    ['0x0000000000000000000000000000000000000000', 'burn_address'],
    ['0x000000000000000000000000000000000000dEaD', 'burn_address'],
    ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'token_contract'],
    ['ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453', 'token_contract'],
    ['ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913/approve?address=' + WALLET, 'not_an_address'],
  ])('rejects an invalid address with its error: %s', (wallet, error) => {
    const { app } = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet }), submitted);
    expect(app.screen).toMatchObject({ at: 'wallet', errors: { wallet: error } });
  });

  it('stores the address on the device only at the buyer’s request', () => {
    const filled = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: ` ${WALLET}` }));
    const remembers = ({ done }: typeof filled) => done.filter((effect) => effect.do === 'remember');
    expect(remembers(play(filled, submitted))).toEqual([]);
    const asked = play(filled, { type: 'chose_to_remember', isRemembered: true }, submitted);
    expect(remembers(asked)).toEqual([{ do: 'remember', addresses: [{ network: 'base', address: WALLET }] }]);
  });

  it.each([
    `  ${WALLET}\n`,
    `0X${WALLET.slice(2)}`,
    `ethereum:${WALLET}`,
    `ethereum:pay-${WALLET}@8453?value=1e18`,
    `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?uint256=1&address=${WALLET}`,
  ])('reads the formats that wallets copy: %j', (wallet) => {
    const { app } = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet }), submitted);
    expect(app.screen).toMatchObject({ at: 'payment', draft: { wallet: WALLET } });
  });

  it.each([
    ['wallet', atOrder({ flow: 'on_ramp' }), submitted],
    ['payment', atPayment('on_ramp'), { type: 'left_field', field: 'cvc' }],
  ] as const)('and the payment step read the session if it has ended: %s', (at, from, on) => {
    const lapsed = play(from, on, { type: 'elapsed', timer: 'quotes' });
    expect(lapsed.app.screen.at).toBe(at);
    const ended = play(lapsed, { type: 'quotes_answered', ask: 2, at: AT, answer: refusedBy('session_not_open') });
    expect([ended.app.screen.at, ended.effects]).toEqual(['opening', [{ do: 'read_session' }]]);
  });

  it('goes back to the order with the input kept', () => {
    const back = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: 'half' }), { type: 'went_back' });
    expect(back.app.screen).toMatchObject({ at: 'order', draft: { wallet: 'half' } });
  });
});

describe('an address that the service refuses', () => {
  const refusal = (flow: Flow, named: readonly string[] = [], session: Partial<EmbedSession> = {}) =>
    play(atPayment(flow, session), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('wallet_address_invalid', named),
    });

  it.each([
    ['on_ramp', [], { wallet: 'address_refused' }],
    ['off_ramp', [], { refund: 'address_refused' }],
    ['swap', [], { wallet: 'address_refused', refund: 'address_refused' }],
    ['swap', ['refund_address'], { refund: 'address_refused' }],
  ] as const)('is marked at its field, with the input kept: %s %j', (flow, named, errors) => {
    const { app } = refusal(flow, named);
    expect(app.screen).toMatchObject({ at: 'wallet', errors });
    expect(app.screen).toHaveProperty('draft.wallet', flow === 'off_ramp' ? '' : WALLET);
    expect(Object.keys(app.screen.at === 'wallet' ? app.screen.errors : {})).toEqual(Object.keys(errors));
  });

  it('refuses the whole form if the session fixes it', () => {
    const { app } = refusal('on_ramp', [], { wallet_address: WALLET });
    expect(app.screen).toMatchObject({ at: 'payment', form: { refusal: { code: 'wallet_address_invalid' } } });
  });
});

describe('a price lost offline on the wallet step', () => {
  it('keeps the step and the input, and is requested again', () => {
    const typing = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: WALLET }));
    const lapsed = play(typing, { type: 'elapsed', timer: 'quotes' });
    const away = play(lapsed, { type: 'quotes_answered', ask: 2, at: AT, answer: refusedBy('unreachable') });
    expect(away.app.screen).toMatchObject({
      at: 'wallet',
      draft: { wallet: WALLET, refusal: { code: 'unreachable' } },
    });
    expect(away.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 5000 }]);
    for (const event of [{ type: 'elapsed', timer: 'poll' }, { type: 'went_online' }, submitted] as const) {
      const back = play(away, event);
      expect(back.app.screen).toMatchObject({ at: 'wallet', draft: { wallet: WALLET, refusal: null } });
      expect(back.effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
    }
  });
});

it('the address of an earlier deposit is rejected', () => {
  const deposit = afterAttempt('off_ramp', { status: 'requires_action', next_action: DEPOSIT });
  const answer = { ok: true, value: anIntent({ flow: 'off_ramp', status: 'cancelled' }) } as const;
  const again = answerQuotes(play(deposit, { type: 'intent_answered', call: 'cancel', answer }));
  const refund = DEPOSIT.address.toUpperCase().replace('0X', '0x');
  const { app } = play(again, submitted, ...typed({ refund }), submitted);
  expect(app.screen).toMatchObject({ at: 'wallet', errors: { refund: 'deposit_address' } });
});

describe('a name in place of an address', () => {
  const named = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: ' ada.eth ' }));
  const asked = { type: 'name_asked', field: 'wallet', name: 'ada.eth' } as const;
  const resolved = (address: string | null, name = 'ada.eth') =>
    ({ type: 'name_resolved', field: 'wallet', name, address }) as const;
  const confirmed = { type: 'name_confirmed', field: 'wallet' } as const;

  it.each([submitted, { type: 'left_field', field: 'wallet' } as const])('is looked up: $type', (event) => {
    const left = play(named, event);
    expect(left.effects).toEqual([{ do: 'resolve_name', field: 'wallet', name: 'ada.eth', network: 'base' }]);
    const looking = play(left, asked);
    expect(looking.app.screen).toMatchObject({ errors: {}, names: { wallet: { name: 'ada.eth', address: null } } });
    expect(play(looking, event).effects).toEqual([]);
  });

  it('is replaced by its address only after the buyer confirms it', () => {
    const found = play(named, submitted, asked, resolved(WALLET), submitted);
    expect(found.app.screen).toMatchObject({
      at: 'wallet',
      draft: { wallet: ' ada.eth ' },
      names: { wallet: { address: WALLET } },
      errors: { wallet: 'name_unconfirmed' },
    });
    const taken = play(found, confirmed);
    expect(taken.app.screen).toMatchObject({ draft: { wallet: WALLET }, names: {}, errors: {} });
    expect(play(taken, submitted).app.screen.at).toBe('payment');
  });

  it('is refused if it has no address or resolves to an unusable one', () => {
    const unknown = play(named, submitted, asked, resolved(null));
    expect(unknown.app.screen).toMatchObject({ names: {}, errors: { wallet: 'name_not_found' } });
    const burnt = play(named, submitted, asked, resolved('0x0000000000000000000000000000000000000000'));
    expect(burnt.app.screen).toMatchObject({ names: {}, errors: { wallet: 'burn_address' } });
  });

  it('is abandoned once something else is typed', () => {
    const typing = play(named, submitted, asked, ...typed({ wallet: '0x12' }));
    expect(typing.app.screen).toMatchObject({ draft: { wallet: '0x12' }, names: {}, errors: {} });
    expect(play(typing, resolved(WALLET)).app.screen).toEqual(typing.app.screen);
    expect(play(typing, confirmed).app.screen).toEqual(typing.app.screen);
  });

  it('stays an error without a resolver', () => {
    expect(play(named, submitted, resolved(WALLET)).app.screen).toMatchObject({ errors: { wallet: 'a_name' } });
  });
});

describe('an address with its chain', () => {
  const CHAINS = {
    ethereum: ['1', 'eth'],
    base: ['8453', 'base'],
    polygon: ['137', 'matic'],
    arbitrum: ['42161', 'arb1'],
    optimism: ['10', 'oeth'],
    bsc: ['56', 'bnb'],
    avalanche: ['43114', 'avax'],
    // No network of ours.
    'Chain 100': ['100', 'gno'],
  } as const;
  const network = fc.constantFrom('ethereum', 'base', 'polygon', 'arbitrum', 'optimism', 'bsc', 'avalanche');
  const address = fc.stringMatching(/^0x[0-9a-f]{40}$/);
  const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const written = fc
    .tuple(address, fc.constantFrom(...(Object.keys(CHAINS) as (keyof typeof CHAINS)[])), fc.nat(200))
    .chain(([account, theirs, zeros]) => {
      const [id, short] = CHAINS[theirs];
      const amount = `1${'0'.repeat(zeros)}`;
      return fc.tuple(
        fc.constant(account),
        fc.constant(theirs),
        fc.constantFrom(
          `ethereum:${account}@${id}`,
          `ethereum:pay-${account}@0x${Number(id).toString(16)}?value=${amount}`,
          `ethereum:${token}@${id}/transfer?uint256=${amount}&address=${account}`,
          `${short}:${account}`,
          `\u200e${short}:${account}\n`,
          `eip155:${id}:${account}`,
        ),
      );
    });

  test.prop([written, network])(
    'is accepted on that network, and refused on another',
    ([account, theirs, text], ours) => {
      const reading = readAddress(text, ours);
      if (theirs === ours) expect(reading).toEqual({ value: account, shown: account });
      else
        expect(['error' in reading && reading.error]).toEqual([
          expect.stringMatching(`^another_network (${theirs}|gno)$`),
        ]);
    },
  );

  test.prop([address, network])('without one is accepted on every network', (account, ours) => {
    for (const text of [account, `ethereum:${account}`, `ethereum:${token}/transfer?address=${account}&uint256=1`])
      expect(readAddress(text, ours)).toEqual({ value: account, shown: account });
  });

  const spelled = address.chain((account) =>
    fc.tuple(
      fc.constant(account),
      fc
        .array(fc.constantFrom('', '', '', ' ', '\n', '\u200b', '\u2066', '\u00ad'), { minLength: 42, maxLength: 42 })
        .map((gaps) => [...account].map((one, at) => `${one}${gaps[at] ?? ''}`).join('')),
    ),
  );
  test.prop([spelled])('is read however it was broken up', ([account, text]) => {
    expect(readAddress(text, 'base')).toEqual({ value: account, shown: account });
  });

  test.prop([
    address,
    fc.constantFrom('My address: ', 'Wallet ', 'آدرس: '),
    fc.constantFrom('', ' (work)', ' thanks!'),
  ])('is read between words', (account, before, after) => {
    expect(readAddress(`${before}${account}${after}`, 'base')).toEqual({ value: account, shown: account });
  });

  test.prop([address, fc.integer({ min: 2, max: 41 }), fc.constantFrom('O', 'l', 'а', 'g', '•')])(
    'names a character that no address has',
    (account, at, odd) => {
      const text = account.slice(0, at) + odd + account.slice(at + 1);
      expect(readAddress(text, 'base')).toEqual({ error: `cannot_read ${odd}` });
    },
  );

  test.prop([fc.string({ unit: 'binary', maxLength: 60 }), address])(
    'is never read as another one',
    (noise, account) => {
      for (const text of [noise, noise + account, account + noise]) {
        const reading = readAddress(text, 'base');
        if (!('error' in reading)) expect(reading.value).toBe(account);
      }
    },
  );

  it('keeps what a name is made of', () => {
    const { effects } = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: ' \u200e٠٠٧.eth' }), {
      type: 'left_field',
      field: 'wallet',
    });
    expect(effects).toEqual([{ do: 'resolve_name', field: 'wallet', name: '٠٠٧.eth', network: 'base' }]);
  });

  it.each(['wallet', 'refund'] as const)('of another network stays as typed: %s', (field) => {
    const text = `ethereum:${WALLET}@1`;
    const order = field === 'wallet' ? atOrder({ flow: 'on_ramp' }) : atOrder({ flow: 'off_ramp' });
    const { app } = play(order, submitted, ...typed({ [field]: text }), { type: 'left_field', field });
    expect(app.screen).toMatchObject({ draft: { [field]: text }, errors: { [field]: 'another_network ethereum' } });
  });
});
