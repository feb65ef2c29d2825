import { operatorRefund } from '@gateramp/conformance';
import type { Duration, TestGate, TestRequest, TestResponse } from '@gateramp/testing';

/** Who acts first after a crash: the worker, or the buyer's repeated request. */
export type Recovery = 'worker first' | 'buyer first';

/**
 * A shop and its buyer, who outlive every process. Responses are remembered; unanswered requests are sent again with the same body and
 * idempotency key to the current process.
 */
export class Buyer {
  private readonly answers = new Map<string, TestResponse>();
  private readonly sent = new Map<string, Sent>();

  constructor(
    public t: TestGate,
    private readonly recovery: Recovery,
  ) {}

  /** The response to a request that is made once, however often it must be sent. */
  async ask(name: string, to: To, request: TestRequest): Promise<TestResponse> {
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const first = this.sent.get(name) ?? {
      to,
      request: { ...request, idempotencyKey: `key-of-${name.replaceAll(' ', '-')}` },
    };
    this.sent.set(name, first);
    for (let send = 0; send < SENDS_MAX; send += 1) {
      const response = await this.send(first);
      if (response.json['code'] !== 'operation_in_progress') {
        this.answers.set(name, response);
        return response;
      }
      await this.letLeasesLapse();
    }
    throw new Error(`"${name}" stays in progress for ever.`);
  }

  private send({ to, request }: Sent): Promise<TestResponse> {
    if (typeof to === 'string') return this.t.request('POST', to, request);
    return operatorRefund(this.t, { refid: to.refund, body: request.body, key: request.idempotencyKey });
  }

  /** Whether the request was sent, answered or not. */
  hasAsked(name: string): boolean {
    return this.sent.has(name);
  }

  /** The response, if there was one. */
  answered(name: string): TestResponse | null {
    return this.answers.get(name) ?? null;
  }

  /** The first action after a crash. */
  async recover(): Promise<void> {
    if (this.recovery === 'worker first') await this.t.clock.advance('2m');
  }

  /** Advances time while a worker runs due work: everything due now, then each item at its instant. */
  async workFor(duration: Duration): Promise<void> {
    await this.t.gate.runDue();
    await this.t.clock.advance(duration);
  }

  /** Advances time to `instant`, running due work; does nothing if it is already later. */
  async waitUntil(instant: number): Promise<void> {
    await this.t.clock.advance(Math.max(0, instant - this.t.clock.now('test')));
  }

  private async letLeasesLapse(): Promise<void> {
    if (this.recovery === 'worker first') await this.t.clock.advance('31s');
    else await this.t.clock.advanceTo(this.t.clock.now('test') + 31_000);
  }
}

/** The path of a request, or the transaction that an operator refunds. */
type To = string | { readonly refund: string };

interface Sent {
  readonly to: To;
  readonly request: TestRequest & { readonly idempotencyKey: string };
}

const SENDS_MAX = 4;
