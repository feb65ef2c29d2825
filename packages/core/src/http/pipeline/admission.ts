import { UnslowedLimit } from './unslowed-limit.js';

export interface Timing {
  /** Runs `run` once after so many milliseconds unless the function it gives is called first. */
  readonly later: (run: () => void, delayMs: number) => () => void;
  /** Milliseconds on a clock that never steps back. */
  readonly now: () => number;
}

interface AdmissionLimits {
  /** Requests that run at once. */
  readonly inFlightMax: number;
  /** The same while several partners send requests, raised while that slows none of them down. */
  readonly contendedMin: number;
  /** Requests that wait for a place, of all partners. */
  readonly waitingMax: number;
  /** How long one waits before it is refused. */
  readonly waitMax: number;
  /** Requests of one partner, those that wait for a place or for a provider included. */
  readonly partnerMax: number;
}

/** A request's place among those that run. */
export interface Place {
  /** While the request waits for a provider or another system, it takes up no place. */
  readonly outside: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Called once or more; the first call counts. */
  readonly leave: () => void;
}

/**
 * A request that runs for longer waits for a lock or a slow store rather than for a core. It no longer counts against the contended
 * limit, so one that hangs does not stop its partner.
 */
const SLOW_AFTER_MS = 100;

/** See `UnslowedLimit`. */
const CONTENDED_SLOWED_FACTOR = 2;
const FLOODED_SLOWED_FACTOR = 1.2;

/** A partner that sends nothing for one to two of these no longer counts as a contender. */
const FORGOTTEN_AFTER_MS = 1_000;

interface Waiting {
  readonly settle: (place: Place | null) => void;
  readonly cancelTimer: () => void;
}

interface PartnerShare {
  inFlight: number;
  /** Of those in flight. */
  slow: number;
  outside: number;
  /** Oldest first. */
  readonly waiting: Waiting[];
  hasSentLately: boolean;
}

/**
 * Bounds the requests that run at once and shares the places by partner. The partner with fewer running goes first, so one partner with
 * hundreds of connections waits for itself and not others for it. What finds neither a place nor room to wait is refused at once;
 * when the room is full the partner with the longest queue loses its newest.
 */
export class Admission {
  private readonly shares = new Map<string, PartnerShare>();
  /** Those with requests waiting, the one that was served last at the end. */
  private queues: PartnerShare[] = [];
  private inFlight = 0;
  private slow = 0;
  private waiting = 0;
  private isSweeping = false;
  private readonly contended: UnslowedLimit;
  private readonly flooded: UnslowedLimit;

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly timing: Timing,
  ) {
    this.contended = new UnslowedLimit(limits.contendedMin, limits.inFlightMax, CONTENDED_SLOWED_FACTOR);
    this.flooded = new UnslowedLimit(1, limits.inFlightMax, FLOODED_SLOWED_FACTOR);
  }

  /** A place, at once where there is one; null when the request is to be refused. */
  enter(partnerId: string): Place | null | Promise<Place | null> {
    const share = this.shareOf(partnerId);
    share.hasSentLately = true;
    if (share.inFlight + share.outside + share.waiting.length >= this.limits.partnerMax) return null;
    if (share.waiting.length === 0 && this.hasRoomFor(share, this.limit.value)) return this.begin(share);
    return this.makeRoomToWait(share) ? this.queue(share) : null;
  }

  private shareOf(partnerId: string): PartnerShare {
    const known = this.shares.get(partnerId);
    if (known !== undefined) return known;
    const share: PartnerShare = { inFlight: 0, slow: 0, outside: 0, waiting: [], hasSentLately: true };
    this.shares.set(partnerId, share);
    this.sweepLater();
    return share;
  }

  private hasRoomFor({ inFlight, slow }: PartnerShare, limit: number): boolean {
    if (this.inFlight >= this.limits.inFlightMax) return false;
    const contenders = this.shares.size;
    return (
      contenders === 1 ||
      this.inFlight - this.slow < limit ||
      inFlight - slow < Math.max(1, Math.floor(limit / contenders))
    );
  }

  /** A partner that fills half of the queue waits long under any limit, so the latency of the others takes precedence. */
  private get limit(): UnslowedLimit {
    const isFlooded = this.queues.some(({ waiting }) => waiting.length * 2 >= this.limits.waitingMax);
    return isFlooded ? this.flooded : this.contended;
  }

  private begin(share: PartnerShare): Place {
    let stopCounting = this.count(share);
    let since = this.timing.now();
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      this.limit.observe(this.timing.now() - since);
      stopCounting();
      this.beginWaiting();
    };
    const outside = async <Value>(work: Promise<Value>): Promise<Value> => {
      if (hasLeft) return work;
      hasLeft = true;
      stopCounting();
      share.outside += 1;
      this.beginWaiting();
      try {
        return await work;
      } finally {
        share.outside -= 1;
        // It is not made to wait again: it has been admitted, and money may depend on it.
        hasLeft = false;
        since = this.timing.now();
        stopCounting = this.count(share);
      }
    };
    return { outside, leave };
  }

  /** Counts a request in and returns what counts it out. */
  private count(share: PartnerShare): () => void {
    let isSlow = false;
    const add = (inFlight: 1 | 0 | -1, slow: 1 | 0 | -1): void => {
      share.inFlight += inFlight;
      this.inFlight += inFlight;
      share.slow += slow;
      this.slow += slow;
    };
    const cancelTimer = this.timing.later(() => {
      isSlow = true;
      add(0, 1);
      this.beginWaiting();
    }, SLOW_AFTER_MS);
    add(1, 0);
    return () => {
      cancelTimer();
      add(-1, isSlow ? -1 : 0);
    };
  }

  private queue(share: PartnerShare): Promise<Place | null> {
    return new Promise((resolve) => {
      const one: Waiting = {
        settle: (place) => {
          one.cancelTimer();
          resolve(place);
        },
        cancelTimer: this.timing.later(() => {
          this.remove(share, one);
          resolve(null);
        }, this.limits.waitMax),
      };
      if (share.waiting.push(one) === 1) this.queues.push(share);
      this.waiting += 1;
    });
  }

  /** False when the newcomer is the one to go: its own partner has the longest queue. */
  private makeRoomToWait(share: PartnerShare): boolean {
    if (this.waiting < this.limits.waitingMax) return true;
    const longest = this.queues.reduce(
      (one, other) => (other.waiting.length > one.waiting.length ? other : one),
      share,
    );
    const newest = longest.waiting.at(-1);
    if (longest.waiting.length <= share.waiting.length + 1 || newest === undefined) return false;
    this.remove(longest, newest);
    newest.settle(null);
    return true;
  }

  private remove(share: PartnerShare, one: Waiting): void {
    share.waiting.splice(share.waiting.indexOf(one), 1);
    this.waiting -= 1;
    if (share.waiting.length === 0) this.queues = this.queues.filter((other) => other !== share);
  }

  private beginWaiting(): void {
    for (;;) {
      const limit = this.limit.value;
      const share = this.queues.find((one) => this.hasRoomFor(one, limit));
      const first = share?.waiting[0];
      if (share === undefined || first === undefined) return;
      this.remove(share, first);
      if (share.waiting.length > 0) this.queues = [...this.queues.filter((one) => one !== share), share];
      first.settle(this.begin(share));
    }
  }

  /** Memory is of those who send now, and a partner that has stopped no longer halves what another may have. */
  private sweepLater(): void {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.timing.later(() => {
      this.isSweeping = false;
      for (const [partnerId, share] of this.shares) {
        if (share.hasSentLately || share.inFlight + share.outside + share.waiting.length > 0)
          share.hasSentLately = false;
        else this.shares.delete(partnerId);
      }
      this.beginWaiting();
      if (this.shares.size > 0) this.sweepLater();
    }, FORGOTTEN_AFTER_MS);
  }
}
