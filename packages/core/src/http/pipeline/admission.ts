import { UnslowedLimit } from './unslowed-limit.js';

export interface Timing {
  /** Runs `run` once after `delayMs` milliseconds, unless the returned function is called first. */
  readonly later: (run: () => void, delayMs: number) => () => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

interface AdmissionLimits {
  /** Maximum number of running requests. */
  readonly inFlightMax: number;
  /** The same limit while several partners send requests; it rises while requests do not slow each other down. */
  readonly contendedMin: number;
  /** Maximum number of waiting requests, across partners. */
  readonly waitingMax: number;
  /** Maximum wait before a request is refused. */
  readonly waitMax: number;
  /** Maximum number of requests per partner, including those waiting for a slot or a provider. */
  readonly partnerMax: number;
}

/** The slot of a running request. */
export interface Slot {
  /** Releases the slot while the request waits for a provider or another system. */
  readonly outside: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Releases the slot; only the first call counts. */
  readonly leave: () => void;
}

/**
 * A request that runs longer than this is waiting for a lock or a slow store and not for a core. It no longer counts against the contended
 * limit, so that a hanging request does not block its partner.
 */
const SLOW_AFTER_MS = 100;

/** See `UnslowedLimit`. */
const CONTENDED_SLOWED_FACTOR = 2;
const FLOODED_SLOWED_FACTOR = 1.2;

/** A partner that sends nothing for one to two of these intervals no longer counts as a contender. */
const FORGOTTEN_AFTER_MS = 1_000;

interface Waiting {
  readonly settle: (slot: Slot | null) => void;
  readonly cancelTimer: () => void;
}

interface PartnerShare {
  inFlight: number;
  /** The slow ones among those in flight. */
  slow: number;
  outside: number;
  /** Oldest first. */
  readonly waiting: Waiting[];
  hasSentLately: boolean;
}

/**
 * Bounds the number of running requests and shares the slots between partners. The partner with fewer running requests goes first, so that
 * a partner with hundreds of connections delays only itself. A request that finds neither a slot nor space in the queue is refused
 * immediately; when the queue is full, the partner with the longest queue loses its newest request.
 */
export class Admission {
  private readonly shares = new Map<string, PartnerShare>();
  /** Partners with waiting requests, least recently served first. */
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

  /** Takes a slot, synchronously if one is free; null if the request must be refused. */
  enter(partnerId: string): Slot | null | Promise<Slot | null> {
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

  private begin(share: PartnerShare): Slot {
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
        // An admitted request never waits again, because money may depend on it.
        hasLeft = false;
        since = this.timing.now();
        stopCounting = this.count(share);
      }
    };
    return { outside, leave };
  }

  /** Counts a request in; returns a function that counts it out. */
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

  private queue(share: PartnerShare): Promise<Slot | null> {
    return new Promise((resolve) => {
      const one: Waiting = {
        settle: (slot) => {
          one.cancelTimer();
          resolve(slot);
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

  /** Returns false if the new request must be refused, because its own partner has the longest queue. */
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

  /** Bounds memory to active partners, so that an inactive one no longer reduces another's share. */
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
