import type { Engine } from '../../application/engine.js';
import type { Policy } from '../../domain/policy.js';
import type { AnyEndpoint } from '../endpoint.js';
import { Admission, type Slot, type Timing } from './admission.js';

/** Reads, and writes, that may wait for each slot; more are refused immediately with 503. */
const WAITING_PER_SLOT = 4;

/** Bounds the work of this process: requests over the limits are refused immediately instead of waiting. */
export class Traffic {
  /** Slow reads, such as lists, must not delay writes. */
  private readonly reads: Admission;
  private readonly writes: Admission;
  private unanswered = 0;

  constructor(
    private readonly policy: Policy,
    timing: Timing,
  ) {
    const limits = {
      inFlightMax: policy.requestsInFlightMax,
      contendedMin: policy.requestsContendedMin,
      waitingMax: WAITING_PER_SLOT * policy.requestsInFlightMax,
      waitMax: policy.requestWaitMax,
      // A partner whose provider hangs must leave room for others.
      partnerMax: Math.ceil(policy.requestsUnansweredMax / 2),
    };
    this.reads = new Admission(limits, timing);
    this.writes = new Admission(limits, timing);
  }

  /** Counts a request until it is answered. Returns false if there are too many in total. */
  open(): boolean {
    if (this.unanswered >= this.policy.requestsUnansweredMax) return false;
    this.unanswered += 1;
    return true;
  }

  answered(): void {
    this.unanswered -= 1;
  }

  /** A slot for a request of this partner; null if it must be refused. */
  enter({ method }: AnyEndpoint, partnerId: string): Slot | null | Promise<Slot | null> {
    return (method === 'GET' ? this.reads : this.writes).enter(partnerId);
  }
}

/** The engine for one request, which occupies no slot while it waits for a provider. */
export function engineAt(slot: Slot, engine: Engine): Engine {
  const { deadlines } = engine;
  return {
    ...engine,
    deadlines: {
      within: (work, limitMs) => slot.outside(deadlines.within(work, limitMs)),
      rest: (ms) => deadlines.rest(ms),
    },
  };
}
