import type { Dispatcher } from 'undici';
import type { Policy } from '../../domain/policy.js';
import type { WebhookAnswer } from '../../ports/edge.js';
import { DeliveryFault, deliveryErrorOf } from './delivery-fault.js';
import { keptText } from './kept-text.js';
import type { NameWish } from './name-lookups.js';

export type AnswerLimits = Pick<Policy, 'responseKeepBytes' | 'responseReadBytesMax'>;

/** The verdict is in the headers; a body that still drips after so long is cut. */
const BODY_GRACE_MS = 1_000;

/**
 * One request as undici reports it, from dispatch to answer. It ends within `timeoutMs` whatever the receiver does, also while there is no
 * connection yet. The status decides and the body is a courtesy (spec: Delivery rules 1): once there is a status, however the body ends, an
 * answer is an answer. Bodies that end in time are read through, so that their connection can be used again; no more than what is kept is
 * held of them.
 *
 * Its methods are those that undici calls the old ones: they are handed no headers, which the new ones parse without use.
 */
export class Posting implements Dispatcher.DispatchHandler {
  private abort: ((reason: Error) => void) | null = null;
  private status: number | null = null;
  private kept: Buffer[] | null = null;
  private read = 0;
  private timer: NodeJS.Timeout;
  private endsAt: number;
  private hasEnded = false;

  constructor(
    private readonly limits: AnswerLimits,
    timeoutMs: number,
    private readonly wish: NameWish,
    private readonly resolve: (answer: WebhookAnswer) => void,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(() => this.cut(), timeoutMs);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    // Given up on while it waited for its connection: it must not go out after its end was reported.
    if (this.hasEnded) abort(new DeliveryFault('timeout'));
  }

  onHeaders(status: number): boolean {
    if (status < 200 || this.hasEnded) return true;
    this.status = status;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.cut(), Math.min(BODY_GRACE_MS, this.endsAt - performance.now()));
    return true;
  }

  onData(chunk: Buffer): boolean {
    const room = this.limits.responseKeepBytes - this.read;
    // Copied, as a chunk is part of a larger buffer that would live as long.
    if (room > 0) (this.kept ??= []).push(Buffer.from(chunk.subarray(0, room)));
    this.read += chunk.length;
    if (this.read >= this.limits.responseReadBytesMax) this.cut();
    return true;
  }

  onComplete(): void {
    this.end(null);
  }

  onError(error: unknown): void {
    this.end(error);
  }

  /** Ends it from this side. */
  private cut(): void {
    const hasNoAddress = this.abort === null && this.wish.isPending();
    const reason = new DeliveryFault(hasNoAddress ? 'dns' : 'timeout');
    this.end(reason);
    this.abort?.(reason);
  }

  private end(error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.wish.end();
    this.resolve(this.status === null ? refusalOf(error) : this.answerOf(this.status));
  }

  private answerOf(status: number): WebhookAnswer {
    return {
      responseStatus: status,
      responseBody: this.kept === null ? '' : keptText(Buffer.concat(this.kept), this.limits.responseKeepBytes),
      error: status >= 300 && status < 400 ? 'redirect_not_followed' : null,
    };
  }
}

/** There was no answer. */
export function refusalOf(error: unknown): WebhookAnswer {
  return { responseStatus: null, responseBody: null, error: deliveryErrorOf(error) };
}
