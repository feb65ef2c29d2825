import { decimal, type Decimal } from '@gateramp/core/domain';
import type { CounterMove } from '@gateramp/core/ports';

/** The values after the moves, or the first counter whose balance does not allow its move. */
type CounterPlan =
  | { readonly kind: 'affordable'; readonly values: ReadonlyMap<string, Decimal> }
  | { readonly kind: 'insufficient'; readonly counter: string };

export class CounterTable {
  private readonly values = new Map<string, Decimal>();

  read(name: string): Decimal {
    return this.values.get(name) ?? '0';
  }

  /** Several moves of one counter add up; each is checked in order. */
  plan(moves: readonly CounterMove[]): CounterPlan {
    const values = new Map<string, Decimal>();
    for (const { name, delta, atLeast } of moves) {
      const next = decimal.add(values.get(name) ?? this.read(name), delta);
      if (atLeast !== null && decimal.compare(next, atLeast) < 0) return { kind: 'insufficient', counter: name };
      values.set(name, next);
    }
    return { kind: 'affordable', values };
  }

  write(values: ReadonlyMap<string, Decimal>): void {
    for (const [name, value] of values) this.values.set(name, value);
  }
}
