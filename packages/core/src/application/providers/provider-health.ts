import type { Instant } from '../../domain/instant.js';
import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import type { Clock, Telemetry } from '../../ports/edge.js';

/** Kinds of provider calls. Each has its own error budget: capabilities served from memory say nothing about quotes. */
export type Question = 'capabilities' | 'quote' | 'attempt' | 'start';

interface Budget {
  /** Consecutive failures. */
  readonly errors: number;
  /** Wall-clock time until which the provider is skipped; 0 while the budget lasts. */
  readonly skippedUntil: Instant;
}

/**
 * The error budget of each provider and mode in this process. After `providerErrorsMax` consecutive failures a provider is skipped for
 * `providerSkippedFor`; then it is tried again, and one more failure skips it again. Its existing operations are not affected.
 */
export class ProviderHealth {
  private readonly budgets = new Map<string, Budget>();

  constructor(
    private readonly clock: Pick<Clock, 'wall'>,
    private readonly telemetry: Telemetry,
    private readonly policy: Pick<Policy, 'providerErrorsMax' | 'providerSkippedFor'>,
  ) {}

  isSkipped(provider: string, mode: Mode): boolean {
    const now = this.clock.wall();
    return QUESTIONS.some((question) => this.isOver(this.budgetOf(provider, mode, question), now));
  }

  succeeded(provider: string, mode: Mode, question: Question): void {
    this.budgets.delete(keyOf(provider, mode, question));
  }

  failed(provider: string, mode: Mode, question: Question): void {
    const errors = this.budgetOf(provider, mode, question).errors + 1;
    const isOver = errors >= this.policy.providerErrorsMax;
    const skippedUntil = isOver ? this.clock.wall() + this.policy.providerSkippedFor : 0;
    this.budgets.set(keyOf(provider, mode, question), { errors, skippedUntil });
    if (errors === this.policy.providerErrorsMax) {
      this.telemetry.alarm('provider_skipped', { provider, mode, question, errors });
    }
  }

  private budgetOf(provider: string, mode: Mode, question: Question): Budget {
    return this.budgets.get(keyOf(provider, mode, question)) ?? { errors: 0, skippedUntil: 0 };
  }

  /** If the wall clock is set back, the provider must not be skipped for longer than the policy allows. */
  private isOver({ skippedUntil }: Budget, now: Instant): boolean {
    const left = skippedUntil - now;
    return left > 0 && left <= this.policy.providerSkippedFor;
  }
}

const QUESTIONS: readonly Question[] = ['capabilities', 'quote', 'attempt', 'start'];

function keyOf(provider: string, mode: Mode, question: Question): string {
  return `${mode}/${provider}/${question}`;
}
