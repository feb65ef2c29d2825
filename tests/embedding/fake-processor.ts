import { createHmac } from 'node:crypto';
import type { Mode } from '@gateramp/core';
import { decimal } from '@gateramp/core/domain';

/** A payment at the processor. `reference` is the merchant's, and unique: a repeated charge returns the payment. */
export interface Payment {
  readonly reference: string;
  readonly status: 'awaiting_code' | 'processing' | 'paid' | 'declined' | 'cancelled';
  readonly amount: string;
  readonly currency: string;
}

/** A refund at the processor. A repeated one returns the first. */
export interface Refund {
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly amount: string;
}

interface Reference {
  readonly mode: Mode;
  readonly reference: string;
}

type RefundReference = Reference & { readonly refund: string };
type Charge = Reference & Pick<Payment, 'amount' | 'currency'> & { readonly card: string };
type Stored<Thing> = Thing & { readonly since: number };

/** Cards and the one-time code. */
export const CARDS = { paid: '4242424242424242', declined: '4000000000000002', withCode: '4000000000003220' };
export const CODE = '000000';

const STATUS_BY_CARD: Readonly<Record<string, Payment['status']>> = {
  [CARDS.paid]: 'processing',
  [CARDS.withCode]: 'awaiting_code',
};
const SETTLES_MS = 10_000;

/** Signs the bodies of callbacks, per mode. */
export const SECRETS = { test: 'secret_test', live: 'secret_live' };

export function signature(secret: string, rawBody: Uint8Array): string {
  return createHmac('sha256', secret).update(rawBody).digest('hex');
}

/** A processor in memory that charges cards and delivers crypto. Its connection can fail, and it counts the money that it moved. */
export class FakeProcessor {
  now = Date.UTC(2027, 0, 1);
  failure: 'none' | 'refused' | 'lost_requests' | 'lost_answers' = 'none';
  private readonly payments = new Map<string, Stored<Payment>>();
  private readonly refunds = new Map<string, Stored<Refund> & { readonly of: string }>();
  private events = 0;

  charge({ mode, reference, amount, currency, card }: Charge): Promise<Payment> {
    const status = STATUS_BY_CARD[card] ?? 'declined';
    return this.request(() =>
      this.change(mode, reference, (known) => known ?? { reference, amount, currency, status }),
    );
  }

  authenticate({ mode, reference, code }: Reference & { readonly code: string }): Promise<Payment> {
    const status = code === CODE ? 'processing' : 'declined';
    return this.request(() =>
      this.change(mode, reference, (known) => {
        if (known === null) throw new Error('404: no such payment.');
        return known.status === 'awaiting_code' ? { ...known, status } : known;
      }),
    );
  }

  /** Closes a payment that has taken no money. One that it has never seen is closed too: a later charge returns it cancelled. */
  cancel({ mode, reference }: Reference): Promise<Payment> {
    return this.request(() =>
      this.change(mode, reference, (known) => {
        if (known === null) return { reference, amount: '0', currency: '', status: 'cancelled' };
        return known.status === 'awaiting_code' ? { ...known, status: 'cancelled' } : known;
      }),
    );
  }

  find({ mode, reference }: Reference): Promise<Payment | null> {
    return this.request(() => this.payment(mode, reference));
  }

  refund({ mode, reference, refund, amount }: RefundReference & { readonly amount: string }): Promise<Refund> {
    return this.request(() => {
      const of = `${mode}/${reference}`;
      const known = this.refunds.get(`${of}/${refund}`);
      if (known !== undefined) return this.refundNow(known);
      const payment = this.payment(mode, reference);
      const back = total([...this.refunds.values()].filter((one) => one.of === of && one.status !== 'failed'));
      const isPossible = payment?.status === 'paid' && decimal.compare(decimal.add(back, amount), payment.amount) <= 0;
      const made = { status: isPossible ? 'pending' : 'failed', amount, of, since: this.now } as const;
      this.refunds.set(`${of}/${refund}`, made);
      return made;
    });
  }

  findRefund({ mode, reference, refund }: RefundReference): Promise<Refund | null> {
    return this.request(() => {
      const known = this.refunds.get(`${mode}/${reference}/${refund}`);
      return known === undefined ? null : this.refundNow(known);
    });
  }

  /** The body of the next callback about a payment. */
  event(mode: Mode, reference: string): Uint8Array {
    const { status } = this.payment(mode, reference) ?? { status: 'paid' };
    return Buffer.from(JSON.stringify({ id: `evt_${(this.events += 1)}`, reference, status }));
  }

  money(): { readonly taken: string; readonly returned: string } {
    return {
      taken: total([...this.payments.values()].filter(({ status }) => status === 'processing' || status === 'paid')),
      returned: total([...this.refunds.values()].filter(({ status }) => status !== 'failed')),
    };
  }

  private async request<Answer>(carryOut: () => Answer): Promise<Answer> {
    const { failure } = this;
    await new Promise((resolve) => setImmediate(resolve));
    if (failure === 'refused') throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    if (failure === 'lost_requests') throw new Error('timeout');
    const answer = carryOut();
    await new Promise((resolve) => setImmediate(resolve));
    if (failure === 'lost_answers') throw new Error('timeout');
    return answer;
  }

  private payment(mode: Mode, reference: string): Payment | null {
    const known = this.payments.get(`${mode}/${reference}`);
    if (known === undefined) return null;
    return known.status === 'processing' && this.hasSettled(known) ? { ...known, status: 'paid' } : known;
  }

  private change(mode: Mode, reference: string, decide: (known: Payment | null) => Payment): Payment {
    const known = this.payments.get(`${mode}/${reference}`) ?? null;
    const decided = decide(known);
    if (decided !== known) this.payments.set(`${mode}/${reference}`, { ...decided, since: this.now });
    return this.payment(mode, reference) ?? decided;
  }

  private refundNow(refund: Stored<Refund>): Refund {
    return refund.status === 'pending' && this.hasSettled(refund) ? { ...refund, status: 'succeeded' } : refund;
  }

  private hasSettled({ since }: Stored<unknown>): boolean {
    return this.now >= since + SETTLES_MS;
  }
}

function total(rows: readonly { readonly amount: string }[]): string {
  return rows.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
}
