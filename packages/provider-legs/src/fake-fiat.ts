import { HOUR, type Instant } from '@gateramp/core/domain';
import type { PaymentDetails, PayoutDetails } from '@gateramp/core/ports';
import type { LegDocument, LegsStore } from './ports/legs-store.js';
import type { AuthorizeResult, FiatLeg, FiatMethod, LegCall, LegFailure } from './ports/legs.js';

/** Test cards of the fake processor, the same as the sandbox provider's. */
export const FAKE_CARDS = {
  succeeds: '4242424242424242',
  declines: '4000000000000002',
  needsAuthentication: '4000000000003220',
  insufficientFunds: '4000000000009995',
} as const;

/** The one-time code that authenticates a card; any other fails. */
export const FAKE_CODE = '000000';
/** The time until a bank transfer arrives at the fake bank. */
export const FAKE_TRANSFER_MS = 30_000;
/** The fake bank rejects payees with this ending of the account number. */
const REJECTED_ACCOUNT_ENDING = '0001';

/** The store and currencies of the fake processor. */
export interface FakeFiatOptions {
  readonly store: LegsStore;
  readonly currencies?: readonly string[];
}

/**
 * A card processor and a bank that move no money, for demos and tests of the other legs. Magic values control their behaviour. Their
 * results are stored, so that they survive a crash.
 */
export function fakeFiat({ store, currencies = ['EUR', 'USD'] }: FakeFiatOptions): FiatLeg {
  const books = new Books(store);
  return {
    contract: 2,
    name: 'fake',
    methods: currencies.flatMap(methodsIn),

    authorize: (order) => books.once(order, () => authorization(order.method, order.paymentDetails, order)),

    async confirm(order) {
      const { authorizationId, confirmation, now } = order;
      const after = await books.change<Authorization>(authorizationId, (known) =>
        known.state === 'awaiting_code' && confirmation.action === 'payment_authentication'
          ? { ...known, ...(confirmation.code === FAKE_CODE ? AUTHORIZED : refusedCode) }
          : known,
      );
      return resultOf(after, now);
    },

    async lookupAuthorization({ callId, now }) {
      const known = await books.load<Authorization>(callId);
      return known === null ? null : resultOf(known, now);
    },

    async capture({ authorizationId, now }) {
      const after = await books.change<Authorization>(authorizationId, (known) =>
        isAuthorized(known, now) ? { ...known, state: 'captured' } : known,
      );
      return after.state === 'captured'
        ? { kind: 'captured' }
        : { kind: 'failed', failure: failure('payment_declined', 'The authorization is no longer valid.') };
    },

    async void({ authorizationId, now }) {
      const after = await books.changeOrAdd<Authorization>(authorizationId, (known) => {
        if (known === null) return { ...NEVER_SEEN, state: 'voided' };
        // The money of a bank transfer that has arrived can only be refunded.
        if (known.state === 'captured' || (known.arrivesAt !== null && isAuthorized(known, now)))
          return { ...known, state: 'captured' };
        return { ...known, state: 'voided' };
      });
      return { kind: after.state === 'captured' ? 'captured' : 'voided' };
    },

    async refund({ callId, authorizationId, amount }) {
      const known = await books.load<Authorization>(authorizationId);
      if (known?.state !== 'captured') return { kind: 'failed', failure: failure('error', 'Nothing was captured.') };
      await books.add(callId, { amount });
      return { kind: 'refunded' };
    },

    // Its buyers have no bank, and it has no dashboard.
    movements: async () => [],

    async registerPayee({ callId, account }) {
      await books.add(callId, { isRejected: endsRejected(account) });
      return { kind: 'registered' };
    },

    async payOut({ callId, payeeId, amount }) {
      const payee = await books.load<{ readonly isRejected: boolean }>(payeeId);
      if (payee === null || payee.isRejected)
        return { kind: 'failed', failure: failure('payout_rejected', 'The bank rejected the payout.') };
      await books.add(callId, { amount });
      return { kind: 'paid' };
    },

    parseCallback: async () => ({ kind: 'unauthenticated' }),
  };
}

interface Authorization {
  readonly state: 'authorized' | 'awaiting_code' | 'awaiting_transfer' | 'captured' | 'voided' | 'declined';
  readonly code: string | null;
  readonly message: string | null;
  /** When a bank transfer arrives; null for a card. */
  readonly arrivesAt: Instant | null;
  readonly amount: string;
  readonly currency: string;
  readonly reference: string;
}

const NEVER_SEEN: Authorization = {
  state: 'voided',
  code: null,
  message: null,
  arrivesAt: null,
  amount: '0',
  currency: '',
  reference: '',
};
const AUTHORIZED = { state: 'authorized' } as const;
const refusedCode = {
  state: 'declined',
  code: 'payment_authentication_failed',
  message: 'The one-time code was wrong.',
} as const;

/** The records of the fake processor, one document per call. */
class Books {
  constructor(private readonly store: LegsStore) {}

  async load<Entry>(id: string): Promise<Entry | null> {
    const document = await this.store.load(KIND, id);
    return document === null ? null : (document.body as unknown as Entry);
  }

  /** Stores the entry unless the id exists. */
  async add(id: string, entry: object): Promise<void> {
    await this.store.commit({ documents: [documentOf(id, 1, entry)], entries: [] });
  }

  async once({ callId, now }: LegCall, make: () => Authorization): Promise<AuthorizeResult> {
    await this.add(callId, make());
    const kept = await this.load<Authorization>(callId);
    if (kept === null) throw new Error('The fake processor lost an authorization.');
    return resultOf(kept, now);
  }

  async change<Entry extends object>(id: string, decide: (known: Entry) => Entry): Promise<Entry> {
    return this.changeOrAdd<Entry>(id, (known) => {
      if (known === null) throw new Error('The fake processor does not know this authorization.');
      return decide(known);
    });
  }

  async changeOrAdd<Entry extends object>(id: string, decide: (known: Entry | null) => Entry): Promise<Entry> {
    for (;;) {
      const document = await this.store.load(KIND, id);
      const next = decide(document === null ? null : (document.body as unknown as Entry));
      const write = documentOf(id, (document?.version ?? 0) + 1, next);
      if ((await this.store.commit({ documents: [write], entries: [] })) === 'committed') return next;
    }
  }
}

const KIND = 'fake_fiat';

function documentOf(id: string, version: number, entry: object): LegDocument {
  const body = JSON.parse(JSON.stringify(entry)) as LegDocument['body'];
  return { kind: KIND, id, version, status: 'kept', dueAt: null, body };
}

function methodsIn(currency: string): readonly FiatMethod[] {
  const limits = { currency, minAmount: '1.00', maxAmount: '10000.00', feeBps: 100, feeFixed: '0.00' };
  return [
    { ...limits, method: 'card', direction: 'in', refundable: true, settlesWithinSeconds: 5 },
    { ...limits, method: 'bank_transfer', direction: 'in', refundable: true, settlesWithinSeconds: 60 },
    { ...limits, method: 'bank_transfer', direction: 'out', refundable: false, settlesWithinSeconds: 60 },
  ];
}

function authorization(
  method: FiatMethod['method'],
  details: PaymentDetails | null,
  order: { readonly amount: string; readonly currency: string; readonly reference: string; readonly now: Instant },
): Authorization {
  const { amount, currency, reference, now } = order;
  const base = { code: null, message: null, arrivesAt: null, amount, currency, reference };
  if (method === 'bank_transfer') return { ...base, state: 'awaiting_transfer', arrivesAt: now + FAKE_TRANSFER_MS };
  switch (details !== null && 'cardNumber' in details ? details.cardNumber.replace(/[ -]/g, '') : null) {
    case FAKE_CARDS.succeeds:
      return { ...base, ...AUTHORIZED };
    case FAKE_CARDS.needsAuthentication:
      return { ...base, state: 'awaiting_code' };
    case FAKE_CARDS.insufficientFunds:
      return { ...base, state: 'declined', code: 'insufficient_funds', message: 'The card has insufficient funds.' };
    default:
      return { ...base, state: 'declined', code: 'payment_declined', message: 'The card was declined.' };
  }
}

function isAuthorized({ state, arrivesAt }: Authorization, now: Instant): boolean {
  return state === 'authorized' || (state === 'awaiting_transfer' && arrivesAt !== null && now >= arrivesAt);
}

function resultOf(known: Authorization, now: Instant): AuthorizeResult {
  if (isAuthorized(known, now) || known.state === 'captured') return { kind: 'authorized', expiresAt: null };
  switch (known.state) {
    case 'awaiting_code':
      return {
        kind: 'requires_action',
        nextAction: { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
      };
    case 'awaiting_transfer':
      return { kind: 'requires_action', nextAction: transferOf(known) };
    case 'declined':
      return {
        kind: 'failed',
        failure: failure(known.code ?? 'payment_declined', known.message ?? 'The card was declined.'),
      };
    default:
      return { kind: 'voided' };
  }
}

function transferOf({ amount, currency, reference, arrivesAt }: Authorization) {
  return {
    type: 'bank_transfer',
    iban: 'DE02120300000000202051',
    bic: 'BYLADEM1001',
    accountHolder: 'Gateramp Test Bank',
    reference: reference.slice(-12).toUpperCase(),
    amount,
    currency,
    expiresAt: (arrivesAt ?? 0) + 24 * HOUR,
  } as const;
}

function endsRejected(account: PayoutDetails): boolean {
  const number = account.type === 'ach' ? account.accountNumber : account.iban;
  return number.replace(/\s/g, '').endsWith(REJECTED_ACCOUNT_ENDING);
}

function failure(code: string, message: string): LegFailure {
  return { code, message, retryable: true };
}
