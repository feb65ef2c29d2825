import type { Gate } from './gate.js';

/** A sign-in that was refused. It contains no code, token or answer. */
export interface RefusedSignIn {
  readonly method: SignInMethod;
  /** Why, for the audit trail: one printable line. */
  readonly reason: string;
  /** Who it was, if that is proven, such as by the signature of a provider. */
  readonly actor?: string;
  /** The invitation that the link names. Anyone can write such a link, so this proves nothing. */
  readonly invitation?: NamedInvitation | null;
}

interface NamedInvitation {
  readonly partnerId: string | null;
  readonly id: string;
}

type SignInMethod = 'link' | 'passkey' | 'enrolment' | 'oidc' | 'authorize';

/** Entries of each method in an hour of the installation. Strangers cause refusals at will, and the trail is never shortened. */
const PER_HOUR = 10;
const HOUR = 3_600_000;
/** A timer that is early would begin no hour. */
const LATE = 1_000;
const ACTION = 'console_sign_in.refuse';
const UNKNOWN = 'unknown';
/** More than the entries of one hour that matter. */
const LISTED_MAX = 500;

/** The time, and timers that do not keep a process alive. */
interface Timing {
  readonly now: () => number;
  readonly later: (run: () => void, delayMs: number) => void;
}

/** What a process knows of one method in the present hour. */
interface Count {
  leftOut: number;
  isFull: boolean;
}

/**
 * Records refused sign-ins in the audit trail: `PER_HOUR` of each method, then one entry with the number of the others for each process.
 * No sign-in waits for that or fails because of it. What could not be written is counted with the others; a crash loses the count.
 */
export class RefusedSignIns {
  private readonly counts = new Map<SignInMethod, Count>();
  /** Named people are asked about with every request of a page, so each of their refusals is written once an hour. */
  private readonly named = new Set<string>();
  private hour = 0;
  private waiting = 0;
  private isTimed = false;
  private written: Promise<void> = Promise.resolve();

  constructor(
    private readonly gate: Gate,
    private readonly timing: Timing,
  ) {}

  /** Never throws, and never waits. */
  note(refused: RefusedSignIn): void {
    this.startHour();
    const count = this.countOf(refused.method);
    const name = refused.actor === undefined ? null : `${refused.method} ${refused.reason} ${refused.actor}`;
    if (count.isFull || this.waiting >= PER_HOUR || (name !== null && this.named.has(name))) {
      this.leaveOut(count, 1);
      return;
    }
    if (name !== null) this.named.add(name);
    this.write(count, 1, () => this.record(refused, count));
  }

  /** Resolves when what was noted is written. */
  idle(): Promise<void> {
    return this.written;
  }

  private countOf(method: SignInMethod): Count {
    const count = this.counts.get(method) ?? { leftOut: 0, isFull: false };
    this.counts.set(method, count);
    return count;
  }

  /** Begins a new hour, and writes how many were left out of the one before. */
  private startHour(): void {
    const hour = Math.floor(this.timing.now() / HOUR);
    if (hour === this.hour) return;
    this.hour = hour;
    this.named.clear();
    for (const [method, count] of this.counts) {
      count.isFull = false;
      const { leftOut } = count;
      count.leftOut = 0;
      const reason = `${leftOut} more refused sign-ins in an hour, which have no entries of their own`;
      if (leftOut > 0) this.write(count, leftOut, () => this.add({ method, reason }));
    }
  }

  private leaveOut(count: Count, many: number): void {
    count.leftOut += many;
    if (this.isTimed) return;
    this.isTimed = true;
    this.timing.later(
      () => {
        this.isTimed = false;
        this.startHour();
      },
      (this.hour + 1) * HOUR - this.timing.now() + LATE,
    );
  }

  private write(count: Count, many: number, work: () => Promise<void>): void {
    this.waiting += 1;
    this.written = this.written
      .then(work)
      .catch(() => this.leaveOut(count, many))
      .finally(() => {
        this.waiting -= 1;
      });
  }

  private async record(refused: RefusedSignIn, count: Count): Promise<void> {
    // Other processes record too, so the trail itself has the count.
    const from = this.hour * HOUR;
    const entries = await this.gate.admin.audit.list({ action: ACTION, from, limit: LISTED_MAX });
    count.isFull ||= entries.filter(({ target }) => target.id === refused.method).length >= PER_HOUR;
    if (count.isFull) this.leaveOut(count, 1);
    else await this.add(refused);
  }

  private async add({ method, reason, actor = UNKNOWN, invitation = null }: RefusedSignIn): Promise<void> {
    const access = invitation === null ? undefined : await this.accessOf(invitation);
    const type = access?.kind === 'portal' ? 'partner_user' : 'operator';
    const named =
      access === undefined ? '' : `. It names the ${access.state} access ${access.id} of ${access.actor.id}`;
    await this.gate.admin.as({ type, id: actor }, { reason: `${reason}${named}`.slice(0, REASON_MAX) }).audit.record({
      action: ACTION,
      target: { type: 'console_sign_in', id: method },
      partnerId: access?.partnerId ?? null,
      mode: access?.mode ?? null,
      before: null,
      after: null,
    });
  }

  private async accessOf({ partnerId, id }: NamedInvitation) {
    if (partnerId !== null && (await this.gate.admin.findPartner(partnerId)) === null) return undefined;
    return (await this.gate.console.list(partnerId)).find((one) => one.id === id);
  }
}

const REASON_MAX = 500;

const ofGate = new WeakMap<Gate, RefusedSignIns>();

/** Records in the audit trail that the host refused a sign-in, a bounded number each hour. Returns at once. */
export function recordRefusedSignIn(gate: Gate, refused: RefusedSignIn): void {
  let refusals = ofGate.get(gate);
  if (refusals === undefined) {
    refusals = new RefusedSignIns(gate, {
      now: () => gate.clock.now('live'),
      later: (run, delayMs) => void setTimeout(run, delayMs).unref(),
    });
    ofGate.set(gate, refusals);
  }
  refusals.note(refused);
}

/** The invitation that the code of a link names, `gci_<id>.<partner>.<secret>`; null if it names none. */
export function invitationIn(code: string): NamedInvitation | null {
  const [, id, partner] = /^gci_([0-9a-f]{24})\.([^.]{0,800})\./.exec(code) ?? [];
  if (id === undefined || partner === undefined) return null;
  try {
    return { id, partnerId: partner === '' ? null : decodeURIComponent(partner) };
  } catch {
    return null;
  }
}
