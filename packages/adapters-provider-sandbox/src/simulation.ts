import { decimal, isRecord, type ConfirmableAction, type Flow, type Instant } from '@gateramp/core/domain';
import type { Confirmation, PayoutDetails } from '@gateramp/core/ports';
import type { BankAction, SandboxControl, SandboxDetails, Scenario } from '@gateramp/extensions/sandbox';
import { SANDBOX_CARDS, SANDBOX_OTP_CODE } from './cards.js';
import { defaultMethod } from './corridors.js';
import { changeOperation } from './change-operation.js';
import { digest } from './digest.js';
import { amountLeft } from './disputes.js';
import { disputesOf, refundsOf } from './effects.js';
import { changeRow, type SandboxLedger } from './ledger.js';
import { REJECTED_DOCUMENT } from './confirmation.js';
import { endReview, force, newOperation, type SandboxOperation } from './operation.js';
import type { Pages } from './pages/pages.js';
import { SETTLEMENT_ERROR, type SettleDelays } from './plan.js';
import { cardsText, restoreCards } from './saved-cards.js';
import { report, type ReportedOutcome } from './report.js';
import { SANDBOX_ACH, SANDBOX_IBANS } from './screening.js';

/** The controls for test helpers: they write to the same ledger that `lookup` reads. */
export function sandboxControl(
  provider: string,
  { ledger, delays, pages }: { readonly ledger: SandboxLedger; readonly delays: SettleDelays; readonly pages: Pages },
): SandboxControl {
  return {
    provider,
    details: testDetails,
    confirmation: testConfirmation,
    async plan(operationId, plan, now) {
      await changeOperation(ledger, operationId, (operation) =>
        force(operation ?? newOperation(operationId, 'test', now), plan, delays, now),
      );
    },
    async review(operationId, verdict, now) {
      await changeOperation(ledger, operationId, (operation) => {
        if (operation === null) throw new Error('An operation is started before its documents can be reviewed.');
        return endReview(operation, verdict, pages, now);
      });
    },
    async settle(operationId, outcome, now) {
      await changeOperation(ledger, operationId, (operation) => {
        if (operation === null || operation.state.step === 'planned')
          throw new Error('An operation is started before it can be settled.');
        return report(operation, updateOf(operation, outcome), now);
      });
    },
    async bank(operationId, action, amount, now) {
      let problem: string | null = null;
      await changeOperation(ledger, operationId, (operation) => {
        if (operation === null) throw new Error('An operation is started before its payment can settle.');
        const update = bankUpdate(operation, { action, amount, now });
        problem = typeof update === 'string' ? update : null;
        return typeof update === 'string' ? operation : report(operation, update, now);
      });
      return problem;
    },
    async save(operationId) {
      const operation = await ledger.read(operationId);
      return operation === null ? null : JSON.stringify(operation);
    },
    async restore(saved, { operationId, laterMs, customer }) {
      // Written by `save`.
      const operation = savingFor(later(JSON.parse(saved), laterMs) as SandboxOperation, customer);
      await changeRow(ledger, operationId, (known) => known ?? withPagesOf({ ...operation, operationId }, pages));
    },
    saveCustomer: (customer) => cardsText(ledger, customer),
    restoreCustomer: (saved, customer) => restoreCards(ledger, saved, customer),
  };
}

/** The members of an operation that are instants. */
const INSTANTS: ReadonlySet<string> = new Set([
  'at',
  'endsAt',
  'expiresAt',
  'returnedAt',
  'since',
  'until',
  'updatedAt',
  'wonAt',
]);

/** The same value with all instants later. */
function later(value: unknown, byMs: number): unknown {
  if (Array.isArray(value)) return value.map((one) => later(one, byMs));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      INSTANTS.has(name) && typeof one === 'number' ? one + byMs : later(one, byMs),
    ]),
  );
}

/** Pages find an operation by its id, so the buyer of a restored one is sent to pages of its own. */
function withPagesOf(operation: SandboxOperation, pages: Pages): SandboxOperation {
  const { state, operationId } = operation;
  if (state.step !== 'awaiting') return operation;
  const { action } = state;
  if (action.type === 'redirect')
    return { ...operation, state: { ...state, action: { ...action, url: pages.authenticationUrl(operationId) } } };
  if (action.type === 'provider_component')
    return { ...operation, state: { ...state, action: { ...action, clientSecret: pages.clientSecret(operationId) } } };
  return operation;
}

/** The card is saved later, when money begins to move: then for the customer that the buyer has since the return. */
function savingFor(operation: SandboxOperation, customer: string | null): SandboxOperation {
  const { plan } = operation;
  if (customer === null || plan?.saves === undefined) return operation;
  return { ...operation, plan: { ...plan, saves: { ...plan.saves, customer } } };
}

/** The bank's action as a provider update, or why it is not possible. */
function bankUpdate(
  operation: SandboxOperation,
  { action, amount, now }: { readonly action: BankAction; readonly amount: string | null; readonly now: Instant },
): ReportedOutcome | string {
  switch (action) {
    case 'charged_back': {
      const left = amountLeft(operation);
      if (left === null) return 'Nothing of this payment is left that the bank could take back.';
      const taken = amount ?? left;
      if (decimal.compare(taken, left) > 0) return `At most ${left} of this payment can be charged back.`;
      return { kind: 'charged_back', dispute: { id: disputeId(operation), amount: taken, status: 'open' } };
    }
    case 'dispute_won': {
      const dispute = disputesOf(operation).findLast(({ wonAt }) => wonAt === null);
      return dispute === undefined
        ? 'This payment has no dispute that could be won.'
        : { kind: 'dispute_won', dispute: { id: dispute.id, amount: dispute.amount } };
    }
    case 'refund_returned': {
      const refund = refundsOf(operation).findLast(
        ({ endsAt, failure, returnedAt = null }) => endsAt <= now && failure === null && returnedAt === null,
      );
      return refund === undefined
        ? 'This payment has no refund that the bank could send back.'
        : { kind: 'refund_returned', refundId: refund.refundId };
    }
  }
}

const disputeId = ({ operationId, disputes = [] }: SandboxOperation) =>
  `dp_${digest('dispute', operationId, String(disputes.length)).slice(0, 24)}`;

/** An operation that was going to fail anyway fails as planned. */
function updateOf(operation: SandboxOperation, outcome: 'processing' | 'succeeded' | 'failed'): ReportedOutcome {
  if (outcome === 'succeeded') return { kind: 'succeeded' };
  if (outcome === 'processing') return { kind: 'processing', stage: 'conversion' };
  return { kind: 'failed', failure: operation.plan?.failure ?? SETTLEMENT_ERROR };
}

const TEST_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** The engine adds everything that the session determines; these details work for every corridor of the flow. */
function testDetails(scenario: Scenario, flow: Flow, currency: string): SandboxDetails {
  return {
    paymentMethod: defaultMethod(flow),
    paymentDetails: flow === 'on_ramp' ? { cardNumber: cardFor(scenario), expiry: '12/99', cvc: '123' } : null,
    payoutDetails: flow === 'off_ramp' ? testAccount(currency) : null,
    walletAddress: flow === 'off_ramp' ? null : TEST_WALLET,
    refundAddress: flow === 'on_ramp' ? null : TEST_WALLET,
  };
}

function testAccount(currency: string): PayoutDetails {
  const accountHolder = 'Test Buyer';
  return currency === 'USD'
    ? { type: 'ach', routingNumber: SANDBOX_ACH.routing, accountNumber: SANDBOX_ACH.pays, accountHolder }
    : { type: 'iban', iban: SANDBOX_IBANS.pays, accountHolder };
}

/** A scenario that stops before money moves uses the card that requires a code: crypto flows stop at their deposit anyway. */
function cardFor(scenario: Scenario): string {
  switch (scenario) {
    case 'decline':
      return SANDBOX_CARDS.declines;
    case 'late_settlement':
    case 'abandon':
      return SANDBOX_CARDS.needsAuthentication;
    case 'succeed':
    case 'kyc_required':
    case 'kyc_rejected':
    case 'processing':
    case 'settlement_error':
    case 'charged_back':
    case 'dispute_won':
    case 'refund_returned':
      return SANDBOX_CARDS.succeeds;
  }
}

function testConfirmation(scenario: Scenario, action: ConfirmableAction['type']): Confirmation {
  switch (action) {
    case 'kyc': {
      const documentNumber = scenario === 'kyc_rejected' ? REJECTED_DOCUMENT : 'T22000129';
      return { action, kyc: { firstName: 'Test', lastName: 'Buyer', dateOfBirth: '1990-01-01', documentNumber } };
    }
    case 'payment_authentication':
      return { action, code: SANDBOX_OTP_CODE };
    case 'crypto_deposit':
    case 'redirect':
    case 'provider_component':
      return { action };
  }
}
