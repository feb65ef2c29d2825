import type { Engine } from '../../application/engine.js';
import type { Policy } from '../../domain/policy.js';
import type { AnyEndpoint } from '../endpoint.js';
import { Admission, type Place, type Timing } from './admission.js';

/** Reads, and writes, that wait for their turn; more are refused at once with 503. For each one that may run. */
const WAITING_PER_PLACE = 4;

/** How much work this process takes on at once: over the bounds a request is refused at once rather than kept waiting. */
export class Traffic {
  /** Reads that take long, such as lists, hold up no writes. */
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
      waitingMax: WAITING_PER_PLACE * policy.requestsInFlightMax,
      waitMax: policy.requestWaitMax,
      // One partner whose provider hangs leaves room for the others.
      partnerMax: Math.ceil(policy.requestsUnansweredMax / 2),
    };
    this.reads = new Admission(limits, timing);
    this.writes = new Admission(limits, timing);
  }

  /** Counts a request until it is answered. False when there are too many in total. */
  open(): boolean {
    if (this.unanswered >= this.policy.requestsUnansweredMax) return false;
    this.unanswered += 1;
    return true;
  }

  answered(): void {
    this.unanswered -= 1;
  }

  /** A place for a request of this partner; null where it is to be refused. */
  enter({ method }: AnyEndpoint, partnerId: string): Place | null | Promise<Place | null> {
    return (method === 'GET' ? this.reads : this.writes).enter(partnerId);
  }
}

/** The engine for one request, which takes up no place while it waits for a provider. */
export function engineAt(place: Place, engine: Engine): Engine {
  const { deadlines } = engine;
  return {
    ...engine,
    deadlines: {
      within: (work, limitMs) => place.outside(deadlines.within(work, limitMs)),
      rest: (ms) => deadlines.rest(ms),
    },
  };
}
