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
  async ask(name: string, path: string, request: TestRequest): Promise<TestResponse> {
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const first = this.sent.get(name) ?? {
      path,
      request: { ...request, idempotencyKey: `key-of-${name.replaceAll(' ', '-')}` },
    };
    this.sent.set(name, first);
    for (let send = 0; send < SENDS_MAX; send += 1) {
      const response = await this.t.request('POST', first.path, first.request);
      if (response.json['code'] !== 'operation_in_progress') {
        this.answers.set(name, response);
        return response;
      }
      await this.letLeasesLapse();
    }
    throw new Error(`"${name}" stays in progress for ever.`);
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

interface Sent {
  readonly path: string;
  readonly request: TestRequest;
}

const SENDS_MAX = 4;
