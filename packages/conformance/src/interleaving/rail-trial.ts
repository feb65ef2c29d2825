import assert from 'node:assert/strict';
import { sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { MINUTE } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestDeadlines, type TestGate, type TestResponse } from '@gateramp/testing';
import { NO_CONTENTION_LIMIT, parkedPorts } from './parked-ports.js';
import { chanceFrom, Turns, type Actor } from './turns.js';
import { isExpected } from './verdict.js';

/** Events around a rails payment while it is created, waits for its money and receives it. */
export const RAIL_PARTS = [
  'partner',
  'partner who cancels',
  'partner who reads',
  'simulation of success',
  'callback of success',
  'callback of failure',
  'time past the deposit',
  'end of patience',
  'worker',
  'worker after the leases have lapsed',
  'crash',
] as const;

export interface RailRole {
  readonly part: (typeof RAIL_PARTS)[number];
  readonly process: 'A' | 'B';
  readonly hesitation: number;
  readonly quote: number;
  readonly key: number;
}

/** Quotes of one kind, clients that execute them, and disturbances, in an order that the seed alone decides. */
export interface RailTrial {
  readonly kind: 'pay_in' | 'pay_out';
  readonly quotes: number;
  readonly roles: readonly RailRole[];
  readonly seed: number;
}

type Json = TestResponse['json'];

const CALLBACK_SECRET = 'rail-trial-callback-secret';
const WALLET = '0x00000000000000000000000000000000000000aa';
const BENEFICIARY = { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' };
const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE', payment_method: 'bank_transfer' };

/** Runs one trial and checks its result; the error of a failed trial contains its trace. */
export async function playRailTrial(store: Store, trial: RailTrial): Promise<void> {
  const scene = await RailScene.open(store, trial);
  try {
    await scene.turns.run(trial.roles.map((role, index) => scene.actor(role, index)));
    await scene.expectBooksRight();
  } catch (error) {
    throw new Error(`${String(error)}\n${scene.turns.story.join('\n')}`, { cause: error });
  }
}

class RailScene {
  readonly turns: Turns;
  private readonly answers: TestResponse[] = [];
  private hasExpiredDeadlines = false;
  /** Payments whose money was sent, or that the provider has reported on: for others no money arrives. */
  private readonly reported = new Set<string>();
  /** Payments whose cancellation was confirmed to the partner. */
  private readonly cancelled = new Set<string>();
  private readonly processes: Readonly<Record<'A' | 'B', TestGate>>;
  private events = 0;

  private constructor(
    /** A process that never waits for a turn. */
    private readonly still: TestGate,
    private readonly kind: RailTrial['kind'],
    private readonly quotes: readonly string[],
    /** The deadlines of calls to a provider. */
    private readonly deadlines: TestDeadlines,
    seed: number,
  ) {
    this.turns = new Turns(chanceFrom(seed));
    const process = (name: 'A' | 'B') => still.restart(parkedPorts(this.turns, name, still.ports));
    this.processes = { A: process('A'), B: process('B') };
  }

  static async open(store: Store, { kind, quotes, seed }: RailTrial): Promise<RailScene> {
    const deadlines = testDeadlines();
    const made = await createTestGate({
      ports: { store, deadlines },
      policy: NO_CONTENTION_LIMIT,
      seed: `rails/${seed}`,
    });
    const still = made.restart({
      providers: [sandboxProvider({ ledger: made.ledger, callbackSecret: CALLBACK_SECRET })],
    });
    const ids: string[] = [];
    for (let n = 0; n < quotes; n += 1) {
      const body = { ...ASK, side: kind === 'pay_in' ? 'on_ramp' : 'off_ramp' };
      const quote = await still.request('POST', '/v1/quotes', { key: still.keys.secret.test, body });
      assert.equal(quote.status, 201, quote.text);
      ids.push(String(quote.json['id']));
    }
    return new RailScene(still, kind, ids, deadlines, seed);
  }

  actor(role: RailRole, index: number): Actor {
    return {
      name: `${role.part} ${index}`,
      process: role.part === 'crash' ? 'fate' : role.process,
      act: async () => {
        for (let turn = 0; turn < role.hesitation; turn += 1) await this.turns.turn('hesitates');
        await this.play(this.processes[role.process], role);
      },
    };
  }

  private async play(t: TestGate, { part, quote, key }: RailRole): Promise<void> {
    switch (part) {
      case 'partner':
        await this.create(t, this.quotes[quote % this.quotes.length] ?? '', `key-${key}`);
        return;
      case 'partner who cancels': {
        const id = await this.some(quote);
        if (id === null) return;
        const done = await this.ask(t, 'POST', `${this.path}/${id}/cancel`);
        if (done.status === 200) this.cancelled.add(id);
        return;
      }
      case 'partner who reads':
        await this.ask(t, 'GET', this.path);
        return;
      case 'simulation of success': {
        const id = await this.some(quote);
        if (id === null) return;
        this.reported.add(id);
        await this.ask(t, 'POST', `/v1/test_helpers/rails/${id}/simulate`, { scenario: 'succeed' });
        return;
      }
      case 'callback of success':
      case 'callback of failure': {
        const id = await this.some(quote);
        // Providers report only operations that they have received.
        if (id !== null && (await this.still.ledger.read(`op_${id}`)) !== null)
          await this.callback(t, id, part === 'callback of success' ? 'succeeded' : 'failed');
        return;
      }
      case 'time past the deposit':
        return this.pass(31 * MINUTE);
      case 'end of patience':
        this.deadlines.expire();
        this.hasExpiredDeadlines = true;
        return;
      case 'worker':
        return t.gate.runDue();
      case 'worker after the leases have lapsed':
        await this.pass(31_000);
        return t.gate.runDue();
      case 'crash':
        this.turns.kill('A');
    }
  }

  private create(t: TestGate, quoteId: string, idempotencyKey: string): Promise<TestResponse> {
    const own =
      this.kind === 'pay_in' ? { wallet_address: WALLET } : { refund_address: WALLET, beneficiary: BENEFICIARY };
    return this.ask(t, 'POST', this.path, { quote_id: quoteId, ...own }, idempotencyKey);
  }

  private async callback(t: TestGate, id: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    this.reported.add(id);
    const body = JSON.stringify({ event_id: `event-${(this.events += 1)}`, operation_id: `op_${id}`, outcome });
    for (;;) {
      const headers = { 'x-sandbox-signature': signSandboxCallback(body, CALLBACK_SECRET, t.gate.clock.wall()) };
      const answer = await t.request('POST', '/v1/providers/sandbox/callbacks', { headers, body });
      this.answers.push(answer);
      // Providers repeat callbacks that were not acknowledged.
      if (answer.status !== 503) return;
    }
  }

  private get path(): string {
    return `/v1/rails/${this.kind}s`;
  }

  /** An existing payment, read without waiting for a turn. */
  private async some(n: number): Promise<string | null> {
    const payments = await this.payments();
    return payments.length === 0 ? null : String(payments[n % payments.length]?.['id']);
  }

  private async payments(): Promise<readonly Json[]> {
    const listed = await this.still.request('GET', `${this.path}?limit=100`, { key: this.still.keys.secret.test });
    assert.equal(listed.status, 200, listed.text);
    // The data of a list.
    return listed.json['data'] as readonly Json[];
  }

  private async ask(
    t: TestGate,
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<TestResponse> {
    const answer = await t.request(method, path, {
      key: t.keys.secret.test,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    this.answers.push(answer);
    return answer;
  }

  private async pass(byMs: number): Promise<void> {
    await this.turns.turn('lets time pass');
    await this.still.clock.advanceTo(this.still.clock.now('test') + byMs);
  }

  /** Each quote was executed at most once, each payment has ended, and the provider has moved what the records say. */
  async expectBooksRight(): Promise<void> {
    for (const rest of ['10m', '50h', '10m'] as const) await this.still.clock.advance(rest);
    const payments = await this.payments();
    const used = payments.map((payment) => payment['quote_id']);
    assert.equal(new Set(used).size, used.length, 'a quote was taken up twice');
    for (const payment of payments) await this.expectPaymentRight(payment);
    for (const answer of this.answers) {
      assert.ok(isExpected(answer, this.hasExpiredDeadlines), `answered ${answer.status}: ${answer.text}`);
      if (answer.status === 201)
        assert.ok(
          payments.some((payment) => payment['id'] === answer.json['id']),
          'an answer names a payment that is not there',
        );
    }
  }

  private async expectPaymentRight(payment: Json): Promise<void> {
    const { still } = this;
    const id = String(payment['id']);
    const status = String(payment['status']);
    assert.ok(['succeeded', 'failed', 'cancelled'].includes(status), `a payment stays ${status}`);
    const path = `/v1/transactions/${String(payment['tx_refid'])}`;
    const transaction = (await still.request('GET', path, { key: still.keys.secret.test })).json;
    const kinds = (await still.ledger.effects(`op_${id}`, still.clock.now('test'))).map(({ kind }) => kind);
    assert.equal(new Set(kinds).size, kinds.length, `one operation did ${kinds.join(', ')}`);
    const has = (...some: readonly string[]): boolean => kinds.some((kind) => some.includes(kind));
    const isKept = has('delivery', 'payout') || (has('charge', 'deposit') && !has('refund', 'chargeback'));
    assert.equal(
      isKept,
      transaction['status'] === 'completed',
      `money kept: ${isKept}; ${String(transaction['status'])}`,
    );
    assert.equal(
      isKept,
      status === 'succeeded' || transaction['settled_after_close'] === true,
      `money kept: ${isKept}; its payment is ${status}`,
    );
    if (isKept) assert.ok(this.reported.has(id), 'money is kept that was never sent');
    if (this.cancelled.has(id))
      assert.notEqual(status, 'succeeded', 'a payment whose cancellation was confirmed succeeds');
    this.expectNotifiedOnce(id, status);
  }

  private expectNotifiedOnce(id: string, status: string): void {
    const events = new Map(
      this.still
        .deliveries()
        .filter(({ type, data }) => type === `${this.kind}.updated` && data['id'] === id)
        .map((one) => [one.id, String(one.data['status'])]),
    );
    const statuses = [...events.values()];
    assert.equal(new Set(statuses).size, statuses.length, `notified of ${statuses.join(', ')}`);
    assert.ok(statuses.includes(status), `it ended ${status}, and its events say ${statuses.join(', ')}`);
  }
}
