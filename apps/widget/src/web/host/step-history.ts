import type { Screen } from '../app/screen.js';

/** Steps that lead back to the one before. */
const STEPS: readonly Screen['at'][] = ['order', 'wallet', 'payment'];

/**
 * Has the browser's Back lead from step to step, as the button of the checkout does. Each step forward is an entry of the history; only
 * the full page has one of its own. `goBack` answers whether the step may be left.
 */
export class StepHistory {
  readonly #history: History;
  #depth: number;

  constructor({ self, goBack }: { readonly self: Window; readonly goBack: () => boolean }) {
    this.#history = self.history;
    this.#depth = depthOf(self.history.state);
    self.addEventListener('popstate', ({ state }) => {
      let steps = this.#depth - depthOf(state);
      this.#depth -= steps;
      for (; steps > 0; steps -= 1) {
        // A payment that is being sent is not left: the entry is put back.
        if (!goBack()) return this.#push();
      }
    });
  }

  moved(before: Screen['at'], after: Screen['at']): void {
    const from = STEPS.indexOf(before);
    if (from !== -1 && STEPS.indexOf(after) > from) this.#push();
  }

  /** False: there is no entry to go back to. */
  back(): boolean {
    if (this.#depth === 0) return false;
    this.#history.back();
    return true;
  }

  #push(): void {
    this.#depth += 1;
    const kept: unknown = this.#history.state;
    this.#history.pushState({ ...(kept ?? {}), depth: this.#depth }, '');
  }
}

export function depthOf(state: unknown): number {
  const depth = typeof state === 'object' && state !== null && 'depth' in state ? state.depth : 0;
  return typeof depth === 'number' ? depth : 0;
}
