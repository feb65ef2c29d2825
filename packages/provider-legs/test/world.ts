import { decimal, type Intent } from '@gateramp/core/domain';
import type { CallbackReading, ProviderAnswer, StartOrder, StepAnswer } from '@gateramp/core/ports';
import {
  FAKE_CARDS,
  fakeChain,
  fakeFiat,
  fixedPrices,
  fixedSpread,
  legs,
  memoryLegsStore,
  type ChainLeg,
  type ExchangeLeg,
  type FakeChain,
  type FiatCallback,
  type FiatLeg,
  type IdentityLeg,
  type LegsProvider,
  type LegsStore,
  type ScreeningLeg,
} from '@gateramp/provider-legs';

export const START = Date.UTC(2027, 0, 1);
/** A request for quotes, without its scope and time. */
export const QUOTE_REQUEST = {
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  sourceToken: null,
  sourceNetwork: null,
  targetToken: 'USDC',
  targetNetwork: 'base',
  paymentMethod: null,
  countryCode: 'DE',
} as const;
export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
export const REFUND_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** Pays an amount to the deposit address of a call. */
export async function deposit(
  chain: FakeChain,
  callId: string,
  { amount, asset = 'USDC', at }: { readonly amount: string; readonly asset?: string; readonly at: number },
): Promise<void> {
  const { address } = await chain.depositAddress({ callId, mode: 'test', now: at, network: 'base' });
  chain.pay(address, { asset, network: 'base', amount }, at);
}

/** A screening leg whose results tests set, by the moment of the check. */
export function fakeScreening(): FakeScreening {
  const blocked = new Set<Moment>();
  const held = new Set<Moment>();
  return {
    name: 'fake',
    block: (moment) => void blocked.add(moment),
    hold: (moment) => void held.add(moment),
    release: () => held.clear(),
    screen: async ({ moment }) =>
      held.has(moment) ? { kind: 'pending', checkAfterMs: 1_000 } : { kind: blocked.has(moment) ? 'blocked' : 'clear' },
  };
}

type Moment = 'before_payment' | 'before_send';

interface FakeScreening extends ScreeningLeg {
  block(moment: Moment): void;
  /** Keeps the result pending until `release`. */
  hold(moment: Moment): void;
  release(): void;
}

/** An exchange leg that fails while `isFailing`. */
interface FakeExchange extends ExchangeLeg {
  isFailing: boolean;
}

interface FakeFiat extends FiatLeg {
  /** While set, refunds throw: before they are made, or after they were made, so that only the response is lost. */
  silence: 'before' | 'after' | null;
  /** While true, the processor does not answer about movements outside. */
  isBlind: boolean;
  /** The rest of a captured payment of that amount, after refunds and chargebacks. */
  leftOf(captured: string): string;
  /** Refunds by hand at the processor, by their ids. A callback about one may be lost. */
  readonly byHand: Map<string, ByHand>;
}

type ByHand = Extract<FiatCallback, { kind: 'refunded_outside' | 'outside_refund_failed' }>;
type Chargeback = Extract<FiatCallback, { kind: 'charged_back' }>;

/** Adds disputes, returned refunds and refunds by hand to a fiat leg. The body of a callback is the `FiatCallback` that it reports. */
function bankedFiat(processor: FiatLeg): FakeFiat {
  const refunded = new Map<string, string>();
  const returned = new Set<string>();
  const disputed = new Map<string, Chargeback>();
  const byHand = new Map<string, ByHand>();
  const isOut = ({ kind }: ByHand) => kind === 'refunded_outside';
  const won = new Set<string>();
  const refusal = (code: string) =>
    ({ kind: 'failed', failure: { code, message: 'No refund.', retryable: false } }) as const;
  const fiat: FakeFiat = {
    ...processor,
    silence: null,
    isBlind: false,
    byHand,
    leftOf: (captured) =>
      [
        ...[...refunded].filter(([id]) => !returned.has(id)).map(([, amount]) => amount),
        ...[...disputed.values()].map(({ amount }) => amount),
        ...[...byHand.values()].filter(isOut).map(({ amount }) => amount),
      ].reduce(decimal.subtract, captured),
    async refund(order) {
      if (fiat.silence === 'before') throw new Error('The processor does not answer.');
      if (returned.has(order.callId)) return refusal('refund_returned');
      if (
        !refunded.has(order.callId) &&
        [...disputed.values()].some((one) => one.authorizationId === order.authorizationId)
      )
        return refusal('charge_disputed');
      const isGone = [...byHand.values()].some((one) => isOut(one) && one.authorizationId === order.authorizationId);
      if (!refunded.has(order.callId) && isGone) return refusal('charge_already_refunded');
      const result = await processor.refund(order);
      if (result.kind === 'refunded') refunded.set(order.callId, order.amount);
      if (fiat.silence === 'after') throw new Error('The processor does not answer.');
      return result;
    },
    async movements({ authorizationId }) {
      if (fiat.isBlind) throw new Error('The processor does not answer.');
      return [...disputed.values(), ...byHand.values()].filter((one) => one.authorizationId === authorizationId);
    },
    async parseCallback({ rawBody }) {
      const said = JSON.parse(Buffer.from(rawBody).toString()) as FiatCallback;
      if (said.kind === 'charged_back') {
        // Callbacks may arrive in any order.
        if (!won.has(said.disputeId)) disputed.set(said.disputeId, said);
      }
      if (said.kind === 'dispute_won') {
        won.add(said.disputeId);
        disputed.delete(said.disputeId);
      }
      if (said.kind === 'refunded_outside' && !byHand.has(said.refundId)) byHand.set(said.refundId, said);
      if (said.kind === 'outside_refund_failed') byHand.set(said.refundId, said);
      if (said.kind === 'refund_failed') returned.add(said.refundId);
      return said;
    },
  };
  return fiat;
}

/** An exchange leg for two tokens at fixed prices. */
export function fakeExchange(): FakeExchange {
  const market = fixedSpread({
    pairs: [
      { asset: 'USDC', currency: 'EUR' },
      { asset: 'ETH', currency: 'EUR' },
    ],
    sources: [fixedPrices({ 'USDC/EUR': '0.92', 'ETH/EUR': '3000' })],
    spreadBps: 50,
  });
  const exchange: FakeExchange = {
    ...market,
    isFailing: false,
    execute: (order) =>
      exchange.isFailing
        ? Promise.resolve({ kind: 'failed', failure: { code: 'no_stock', message: 'Sold out.', retryable: true } })
        : market.execute(order),
  };
  return exchange;
}

export interface World {
  readonly store: LegsStore;
  readonly chain: FakeChain;
  readonly fiat: FakeFiat;
  readonly exchange: FakeExchange;
  readonly screening: ReturnType<typeof fakeScreening>;
  readonly provider: LegsProvider;
  readonly alarms: string[];
  now: number;
  /** Advances the clock second by second, with a round of the worker after each. */
  pass(seconds: number): Promise<void>;
  lookup(operationId?: string): Promise<ProviderAnswer | null>;
}

export function world(store: LegsStore = memoryLegsStore()): World {
  const chain = fakeChain();
  const fiat = bankedFiat(fakeFiat({ store }));
  const screening = fakeScreening();
  const exchange = fakeExchange();
  const alarms: string[] = [];
  const provider = providerOf({ store, chain, fiat, screening, exchange }, (name) => alarms.push(name));
  const made: World = {
    store,
    chain,
    fiat,
    exchange,
    screening,
    provider,
    alarms,
    now: START,
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        made.now += 1_000;
        await provider.work('test', made.now);
      }
    },
    lookup: (operationId = 'op1') => provider.lookup({ operationId, mode: 'test', now: made.now }),
  };
  return made;
}

export function providerOf(
  {
    store,
    chain,
    fiat,
    screening,
    exchange,
    identity,
  }: Pick<World, 'store'> & {
    readonly identity?: IdentityLeg;
    readonly fiat: FiatLeg;
    readonly exchange: ExchangeLeg;
    readonly chain: ChainLeg;
    readonly screening: ScreeningLeg;
  },
  alarm: (name: string) => void,
): LegsProvider {
  return legs({
    fiat,
    chain,
    exchange,
    screening,
    identity: identity ?? null,
    store,
    names: { countries: [{ code: 'DE', name: 'Germany' }], currencies: { EUR: 'Euro' }, assets: {} },
    alarm,
  });
}

const INTENT: Intent = {
  id: 'intent1',
  sessionId: 'session1',
  partnerId: 'partner1',
  mode: 'test',
  version: 1,
  flow: 'on_ramp',
  status: 'created',
  amount: '100.00',
  currency: 'EUR',
  sourceToken: null,
  sourceNetwork: null,
  targetToken: 'USDC',
  targetNetwork: 'base',
  walletAddress: WALLET,
  refundAddress: null,
  paymentMethod: 'card',
  countryCode: 'DE',
  quoteId: null,
  provider: 'legs',
  operationId: 'op1',
  stepTaskId: null,
  nextAction: null,
  failure: null,
  attempt: 1,
  txRefid: 'gtx_1',
  createdAt: START,
  updatedAt: START,
  expiresAt: null,
};

/** The start order of a purchase by card, with changes to the intent. */
export function buy(now: number, changed: Partial<Intent> = {}, card: string = FAKE_CARDS.succeeds): StartOrder {
  return {
    operationId: 'op1',
    mode: 'test',
    now,
    intent: { ...INTENT, ...changed },
    rails: null,
    kycPreVerified: false,
    paymentDetails: { cardNumber: card, expiry: '12/30', cvc: '123' },
    payoutDetails: null,
  };
}

const ON_CHAIN = { sourceToken: 'USDC', sourceNetwork: 'base', refundAddress: REFUND_ADDRESS } as const;

/** The start order of a sale of USDC. */
export function sell(now: number, iban = 'DE89370400440532013000'): StartOrder {
  const terms = { flow: 'off_ramp', ...ON_CHAIN, targetToken: null, targetNetwork: null, walletAddress: null } as const;
  return {
    ...buy(now, { ...terms, paymentMethod: 'bank_transfer' }),
    paymentDetails: null,
    payoutDetails: { type: 'iban', iban, accountHolder: 'Test Buyer' },
  };
}

/** The start order of a swap of USDC for ETH. */
export function swap(now: number): StartOrder {
  const terms = {
    flow: 'swap',
    ...ON_CHAIN,
    targetToken: 'ETH',
    targetNetwork: 'base',
    paymentMethod: 'crypto',
  } as const;
  return { ...buy(now, terms), paymentDetails: null };
}

/** A dispute of the payment, as the processor reports it. */
export interface FakeDispute {
  readonly amount?: string;
  readonly disputeId?: string;
  /** Only of a chargeback. */
  readonly isLost?: boolean;
}

/** Sends the callback for a chargeback of the payment or a part of it. */
export function chargeBack(provider: LegsProvider, now: number, dispute: FakeDispute = {}): Promise<CallbackReading> {
  return callBack(provider, now, { kind: 'charged_back', ...disputeOf(dispute) });
}

/** Sends the callback for a dispute that was won. */
export function winDispute(provider: LegsProvider, now: number, dispute: FakeDispute = {}): Promise<CallbackReading> {
  return callBack(provider, now, { kind: 'dispute_won', ...disputeOf(dispute) });
}

/** Sends the callback for a refund that the buyer's bank sent back. */
export function returnRefund(provider: LegsProvider, now: number, refundId: string): Promise<CallbackReading> {
  const eventId = `${refundId}-failed`;
  return callBack(provider, now, { kind: 'refund_failed', eventId, authorizationId: 'op1-authorize', refundId });
}

/** A refund of the payment by hand at the processor, and its end. */
export interface FakeOutsideRefund {
  readonly amount?: string;
  readonly refundId?: string;
  readonly kind?: ByHand['kind'];
}

const byHandOf = ({ amount = '100.00', refundId = 're_1', kind = 'refunded_outside' }: FakeOutsideRefund) =>
  ({ kind, eventId: `${refundId}-${kind}`, authorizationId: 'op1-authorize', refundId, amount }) as const;

/** Refunds the payment by hand at the processor, and sends the callback. */
export function refundByHand(provider: LegsProvider, now: number, refund: FakeOutsideRefund = {}) {
  return callBack(provider, now, byHandOf(refund));
}

/** Refunds the payment by hand at the processor, whose callback is lost. */
export function refundUnnoticed({ fiat }: Pick<World, 'fiat'>, refund: FakeOutsideRefund = {}): void {
  const made = byHandOf(refund);
  fiat.byHand.set(made.refundId, made);
}

/** Sends a callback that says only that something about the payment changed. */
export function reportChange(provider: LegsProvider, now: number): Promise<CallbackReading> {
  return callBack(provider, now, { kind: 'changed', eventId: 'changed', callId: 'op1-authorize' });
}

const disputeOf = ({ amount = '100.00', disputeId = 'dispute1', ...end }: FakeDispute) =>
  ({ eventId: disputeId, authorizationId: 'op1-authorize', disputeId, amount, ...end }) as const;

function callBack(provider: LegsProvider, now: number, said: FiatCallback): Promise<CallbackReading> {
  const rawBody = Buffer.from(JSON.stringify(said));
  return provider.parseCallback({ mode: 'test', now: Date.now(), modeNow: now, headers: {}, rawBody });
}

export function answered(answer: StepAnswer | null): ProviderAnswer {
  if (answer === null || 'kind' in answer) throw new Error('The provider has not answered.');
  return answer;
}

/** The debt to buyers, of all operations or of one. Empty once an operation has ended. */
export async function owedToCustomers({ store }: Pick<World, 'store'>, operationId: string | null = null) {
  return (await store.balances(operationId)).filter(({ account }) => account === 'customer');
}

/** The balance of one account; zero without postings. */
export async function balance({ store }: Pick<World, 'store'>, account: string, currency: string): Promise<string> {
  const found = (await store.balances(null)).find((one) => one.account === account && one.currency === currency);
  return decimal.normalise(found?.amount ?? '0');
}
