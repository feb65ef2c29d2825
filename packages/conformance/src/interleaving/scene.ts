import { sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import type { Session } from '@gateramp/core/domain';
import type { Provider, RefundingProvider, Store } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestDeadlines, type TestGate, type TestResponse } from '@gateramp/testing';
import { operatorRefund } from '../operator-refund.js';
import { NO_CONTENTION_LIMIT, parkedPorts } from './parked-ports.js';
import { Turns, chanceFrom } from './turns.js';

const CALLBACK_SECRET = 'interleaving-callback-secret';
const WALLET = '0x00000000000000000000000000000000000000aa';

/** The kind of purchase, and the action that the buyer's provider requires. */
export type Purchase = 'card' | 'card with a code' | 'card with identity' | 'sale' | 'swap';

/** One session, its checkout, and the processes that serve it. */
export class Scene {
  readonly answers: TestResponse[] = [];
  /** A provider timed out, so requests may have been answered 503. */
  hasExpiredDeadlines = false;
  /** Operations with reports out of order, which may contradict earlier or later ones. */
  readonly reported = new Set<string>();
  /** Intents whose cancellation was confirmed to a buyer. */
  readonly cancelled = new Set<string>();
  /** Answers to requests with a key, by request and key. */
  readonly keyed = new Map<string, TestResponse[]>();
  /** Refunds whose return was reported and acknowledged. */
  readonly returned = new Set<string>();
  private events = 0;

  private constructor(
    readonly turns: Turns,
    /** A process that never waits for a turn. */
    readonly still: TestGate,
    readonly processes: Readonly<Record<'A' | 'B', TestGate>>,
    readonly sessionId: string,
    private readonly embed: Readonly<Record<string, string>>,
    private readonly purchase: Purchase,
    /** The deadlines of calls to a provider. */
    readonly deadlines: TestDeadlines,
  ) {}

  static async open(
    store: Store,
    purchase: Purchase,
    seed: number,
    minutesLeft: number,
    through: (provider: RefundingProvider) => Provider = (provider) => provider,
  ): Promise<Scene> {
    const deadlines = testDeadlines();
    const made = await createTestGate({
      ports: { store, deadlines },
      policy: NO_CONTENTION_LIMIT,
      seed: `interleaving/${seed}`,
    });
    const providers = [through(sandboxProvider({ ledger: made.ledger, callbackSecret: CALLBACK_SECRET }))];
    const still = made.restart({ providers });
    const turns = new Turns(chanceFrom(seed));
    const process = (name: 'A' | 'B') => still.restart(parkedPorts(turns, name, still.ports));
    const created = await still.createSession({
      amount: amountOf(purchase),
      ...(purchase === 'sale' ? { flow: 'off_ramp' } : {}),
      ...(purchase === 'swap' ? { flow: 'swap' } : {}),
    });
    const expiresAt = Date.parse(created.expires_at);
    await still.clock.advance(expiresAt - minutesLeft * 60_000 - still.clock.now('test'));
    const embed = { 'x-embed-token': await still.embed(created) };
    return new Scene(turns, still, { A: process('A'), B: process('B') }, created.id, embed, purchase, deadlines);
  }

  begin(t: TestGate, key?: string): Promise<TestResponse> {
    return this.ask(t, 'POST', '/v1/embed/intents', {
      headers: this.embed,
      body: bodyOf(this.purchase),
      ...keyed(key),
    });
  }

  look(t: TestGate, intentId: string): Promise<TestResponse> {
    return this.ask(t, 'GET', `/v1/embed/intents/${intentId}`, { headers: this.embed });
  }

  confirm(t: TestGate, intentId: string, action: string, key?: string): Promise<TestResponse> {
    const path = `/v1/embed/intents/${intentId}/confirm`;
    return this.ask(t, 'POST', path, { headers: this.embed, body: CONFIRMATIONS[action], ...keyed(key) });
  }

  async cancelIntent(t: TestGate, intentId: string): Promise<TestResponse> {
    const answer = await this.ask(t, 'POST', `/v1/embed/intents/${intentId}/cancel`, { headers: this.embed });
    if (answer.status === 200) this.cancelled.add(intentId);
    return answer;
  }

  cancelSession(t: TestGate): Promise<TestResponse> {
    return this.ask(t, 'POST', `/v1/gate_sessions/${this.sessionId}/cancel`, { key: t.keys.secret.test });
  }

  retrieve(t: TestGate): Promise<TestResponse> {
    return this.ask(t, 'GET', `/v1/gate_sessions/${this.sessionId}`, { key: t.keys.secret.test });
  }

  list(t: TestGate, status: string): Promise<TestResponse> {
    return this.ask(t, 'GET', `/v1/gate_sessions?status=${status}`, { key: t.keys.secret.test });
  }

  async refund(t: TestGate, refid: string, body: unknown, key: string): Promise<TestResponse> {
    const answer = await operatorRefund(t, { refid, body, key });
    this.noted(answer, `${key} of a refund`);
    return answer;
  }

  simulate(t: TestGate, scenario: string): Promise<TestResponse> {
    const path = `/v1/test_helpers/gate_sessions/${this.sessionId}/simulate`;
    return this.ask(t, 'POST', path, { key: t.keys.secret.test, body: { scenario } });
  }

  async callback(
    t: TestGate,
    operationId: string,
    outcome: 'succeeded' | 'failed' | 'refunded' | 'charged_back' | 'dispute_won' | 'refund_returned',
    members: Readonly<Record<string, unknown>> = {},
  ): Promise<TestResponse> {
    this.reported.add(operationId);
    const eventId = `event-${(this.events += 1)}`;
    const body = JSON.stringify({ event_id: eventId, operation_id: operationId, outcome, ...members });
    for (;;) {
      const headers = { 'x-sandbox-signature': signSandboxCallback(body, CALLBACK_SECRET, t.gate.clock.wall()) };
      const answer = await this.ask(t, 'POST', '/v1/providers/sandbox/callbacks', { headers, body });
      // Providers repeat callbacks that were not acknowledged. Only a concurrent change of the purchase causes a refusal, so this ends.
      if (answer.status !== 503) return answer;
    }
  }

  /** The live intent in the store, read without waiting for a turn. */
  async live(): Promise<{ readonly id: string; readonly operationId: string } | null> {
    const { intentId } = await this.session();
    if (intentId === null) return null;
    return this.still.store.find('intent', this.scope, intentId);
  }

  async session(): Promise<Session> {
    const session = await this.still.store.find('session', this.scope, this.sessionId);
    if (session === null) throw new Error('The session is missing.');
    return session;
  }

  get scope() {
    return { partnerId: this.still.partner.id, mode: 'test' as const };
  }

  private async ask(
    t: TestGate,
    method: string,
    path: string,
    request: Parameters<TestGate['request']>[2],
  ): Promise<TestResponse> {
    const answer = await t.request(method, path, request);
    const key = request?.idempotencyKey;
    this.noted(answer, key === undefined ? null : `${key} at ${path}`);
    return answer;
  }

  private noted(answer: TestResponse, name: string | null): void {
    this.answers.push(answer);
    if (name !== null) this.keyed.set(name, [...(this.keyed.get(name) ?? []), answer]);
  }
}

function keyed(key: string | undefined) {
  return key === undefined ? {} : { idempotencyKey: key };
}

function amountOf(purchase: Purchase): string {
  return purchase === 'card with identity' ? '14.50' : '100.00';
}

function bodyOf(purchase: Purchase): Readonly<Record<string, unknown>> {
  const terms = { amount: amountOf(purchase), currency: 'EUR' };
  if (purchase === 'sale') {
    const payout = { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' };
    return {
      ...terms,
      flow: 'off_ramp',
      payment_method: 'bank_transfer',
      refund_address: WALLET,
      payout_details: payout,
    };
  }
  if (purchase === 'swap') {
    const sold = { source_token: 'ETH', source_network: 'ethereum', refund_address: WALLET };
    const bought = { target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
    return { ...terms, flow: 'swap', payment_method: 'crypto', ...sold, ...bought };
  }
  const card = purchase === 'card with a code' ? '4000000000003220' : '4242424242424242';
  const details = { card_number: card, expiry: '12/39', cvc: '123' };
  return { ...terms, flow: 'on_ramp', payment_method: 'card', wallet_address: WALLET, payment_details: details };
}

const CONFIRMATIONS: Readonly<Record<string, unknown>> = {
  kyc: {
    action: 'kyc',
    kyc: { first_name: 'Ada', last_name: 'Example', date_of_birth: '1990-01-01', document_number: 'X123' },
  },
  payment_authentication: { action: 'payment_authentication', code: '000000' },
  crypto_deposit: { action: 'crypto_deposit' },
};
