import type { Screen } from '../app/screen.js';

/** The steps that can go back to the previous one. */
const STEPS: readonly Screen['at'][] = ['order', 'wallet', 'payment'];

/**
 * Lets the browser's Back button move between steps, like the checkout's own button. Each step forward adds a history entry. Only the full
 * page does this, since a frame shares the history of the embedding page. `goBack` returns false if the step cannot be left.
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
        // A step cannot be left while its payment is being sent, so the entry is restored.
        if (!goBack()) return this.#push();
      }
    });
  }

  moved(before: Screen['at'], after: Screen['at']): void {
    const from = STEPS.indexOf(before);
    if (from !== -1 && STEPS.indexOf(after) > from) this.#push();
  }

  /** Returns false if there is no entry to go back to. */
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
