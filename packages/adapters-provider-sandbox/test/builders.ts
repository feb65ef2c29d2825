import type { Intent } from '@gateramp/core/domain';
import type { AttemptRequest, OperationOrder, PaymentDetails, QuoteRequest, StartOrder } from '@gateramp/core/ports';
import { SANDBOX_CARDS, SANDBOX_IBANS } from '../src/index.js';

export const NOW = Date.UTC(2026, 0, 15, 12);
export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
export const SANCTIONED = '0x00000000000000000000000000000000dead0001';
export const KYC = { firstName: 'Ada', lastName: 'Byron', dateOfBirth: '1985-12-10', documentNumber: 'L01X00T47' };

export function card(cardNumber: string = SANDBOX_CARDS.succeeds): PaymentDetails {
  return { cardNumber, expiry: '12/30', cvc: '123' };
}

export function intent(changes: Partial<Intent> = {}): Intent {
  return {
    id: '65f0c0ffee65f0c0ffee0002',
    sessionId: '65f0c0ffee65f0c0ffee0003',
    partnerId: '65f0c0ffee65f0c0ffee0001',
    mode: 'test',
    version: 1,
    flow: 'on_ramp',
    status: 'created',
    amount: '100.00',
    currency: 'EUR',
    sourceToken: null,
    sourceNetwork: null,
    targetToken: null,
    targetNetwork: null,
    walletAddress: WALLET,
    refundAddress: null,
    paymentMethod: 'card',
    countryCode: 'DE',
    quoteId: null,
    provider: 'sandbox',
    operationId: 'op_1',
    stepTaskId: null,
    nextAction: null,
    failure: null,
    attempt: 1,
    txRefid: 'gtx_1',
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: null,
    ...changes,
  };
}

export function start(changes: Partial<Intent> = {}, rest: Partial<StartOrder> = {}): StartOrder {
  const subject = intent(changes);
  return {
    operationId: subject.operationId,
    mode: 'test',
    now: NOW,
    intent: subject,
    rails: null,
    kycPreVerified: false,
    returnUrl: null,
    paymentDetails: subject.flow === 'on_ramp' && subject.paymentMethod === 'card' ? card() : null,
    payoutDetails:
      subject.flow === 'off_ramp' ? { type: 'iban', iban: SANDBOX_IBANS.pays, accountHolder: 'Ada Byron' } : null,
    ...rest,
  };
}

export function startWithCard(cardNumber: string, changes: Partial<Intent> = {}): StartOrder {
  return start(changes, { paymentDetails: card(cardNumber) });
}

export const OFF_RAMP: Partial<Intent> = {
  flow: 'off_ramp',
  paymentMethod: 'bank_transfer',
  walletAddress: null,
  refundAddress: WALLET,
};
export const SWAP: Partial<Intent> = { flow: 'swap', paymentMethod: 'crypto', refundAddress: WALLET };

export function at(afterMs: number, operationId = 'op_1'): OperationOrder {
  return { operationId, mode: 'test', now: NOW + afterMs };
}

/** An attempt that leaves everything open except the target of its crypto. */
export function attemptRequest(changes: Partial<AttemptRequest> = {}): AttemptRequest {
  return { ...quoteRequest(), walletAddress: WALLET, refundAddress: null, ...changes };
}

export function quoteRequest(changes: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    scope: { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' },
    flow: 'on_ramp',
    amount: '100.00',
    currency: 'EUR',
    sourceToken: null,
    sourceNetwork: null,
    targetToken: null,
    targetNetwork: null,
    paymentMethod: null,
    countryCode: 'DE',
    now: NOW,
    ...changes,
  };
}
