import { type RailPayment } from '../generated/money.js';
import { type GateIntent, type TestClock } from '../generated/resources.js';
import { type Simulate, type SimulateRails } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { Resource } from './resource.js';

/** The clock and simulated buyers of the test mode, if the service enables them. */
export class TestHelpers extends Resource {
  clock(options?: CallOptions): GatePromise<TestClock> {
    return this.ask({ method: 'GET', path: '/v1/test_helpers/clock' }, options);
  }

  /** Advances the clock of the test mode; everything that becomes due is processed before the call resolves. */
  advanceClock(seconds: number, options?: CallOptions): GatePromise<TestClock> {
    const body = { seconds };
    return this.ask({ method: 'POST', path: '/v1/test_helpers/clock/advance', body, isKeyed: true }, options);
  }

  /** Simulates a buyer, who drives an attempt of the session through the real states, or the bank of a buyer who has paid. */
  simulate(
    sessionId: string,
    scenario: Simulate['scenario'],
    { amount, ...options }: CallOptions & Pick<Simulate, 'amount'> = {},
  ): GatePromise<GateIntent> {
    const at = path`/v1/test_helpers/gate_sessions/${sessionId}/simulate`;
    return this.ask({ method: 'POST', path: at, body: { scenario, amount }, isKeyed: true }, options);
  }

  /** Simulates the bank or the chain of a pay-in or pay-out. */
  simulateRails(id: string, scenario: SimulateRails['scenario'], options?: CallOptions): GatePromise<RailPayment> {
    const at = path`/v1/test_helpers/rails/${id}/simulate`;
    return this.ask({ method: 'POST', path: at, body: { scenario }, isKeyed: true }, options);
  }
}
