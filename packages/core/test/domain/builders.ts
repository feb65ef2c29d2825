import { rows } from '@gateramp/conformance';
import type { Intent } from '../../src/domain/intent/intent.js';
import { DEFAULT_POLICY } from '../../src/domain/policy.js';
import { beginPurchase, type NewIntent } from '../../src/domain/purchase/begin-purchase.js';
import type { SessionPurchase } from '../../src/domain/purchase/purchase.js';
import { type NewSession, openSession } from '../../src/domain/session/open-session.js';
import type { Session } from '../../src/domain/session/session.js';
import type { Terms } from '../../src/domain/session/terms.js';

/** 2026-03-10T12:00:00.000Z; an arbitrary instant. */
export const NOW = Date.UTC(2026, 2, 10, 12);

export const SESSION_ID = '0123456789abcdef01234567';

export function terms(over: Partial<Terms> = {}): Terms {
  return {
    flow: 'on_ramp',
    amount: '100.00',
    currency: 'EUR',
    targetToken: 'USDC',
    targetNetwork: 'base',
    walletAddress: null,
    ...over,
  };
}

export function newSession(over: Partial<NewSession> = {}): NewSession {
  return {
    given: { ...rows.GIVEN, terms: terms() },
    id: SESSION_ID,
    scope: { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' },
    kyc: null,
    secretPrefix: `gsec_${SESSION_ID}_AAAA`,
    secretHash: 'f'.repeat(64),
    ...over,
  };
}

/** A new open session, with changes for the test. */
export function session(over: Partial<Session> = {}): Session {
  return { ...openSession(newSession(), NOW, DEFAULT_POLICY).session, ...over };
}

export function newIntent(over: Partial<NewIntent> = {}): NewIntent {
  return {
    id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
    operationId: 'op-1',
    txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
    taskId: 'task-1',
    provider: 'sandbox',
    attempt: { ...terms(), flow: 'on_ramp' },
    sourceToken: null,
    sourceNetwork: null,
    refundAddress: null,
    paymentMethod: 'card',
    countryCode: 'DE',
    quoteId: null,
    ...over,
  };
}

export function purchase(
  over: { readonly session?: Partial<Session>; readonly intent?: Partial<NewIntent> } = {},
): SessionPurchase {
  return beginPurchase(session(over.session), newIntent(over.intent), NOW, DEFAULT_POLICY);
}

export function withIntent(from: SessionPurchase, over: Partial<Intent>): SessionPurchase {
  return { ...from, intent: { ...from.intent, ...over } };
}

/** The receiver's view: the frozen text, parsed. */
export function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
