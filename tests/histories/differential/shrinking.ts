import fc from 'fast-check';
import type { Command, History } from './command.js';

/**
 * Histories that shrink fast: first the commands after the failed step are removed, then ranges of commands, the
 * longest first, and then the oddities of the remaining commands. fast-check's own arrays shrink from the front,
 * command by command, and every try runs all systems.
 */
export class ShrinkingHistories extends fc.Arbitrary<History> {
  /** The step at which a history failed. */
  private readonly failedAt = new WeakMap<History, number>();

  constructor(private readonly drawn: fc.Arbitrary<History>) {
    super();
  }

  /** Plays the history, and records the step at which it failed. */
  async watch(history: History, played: (onStep: (nth: number) => void) => Promise<void>): Promise<void> {
    let at = 0;
    try {
      await played((nth) => {
        at = nth;
      });
    } catch (error) {
      this.failedAt.set(history, at);
      throw error;
    }
  }

  /** Generates without bias, with which rare commands would be concentrated in a few histories. */
  override generate(random: fc.Random, _bias: number | undefined): fc.Value<History> {
    return new fc.Value(this.drawn.generate(random, undefined).value, null);
  }

  override canShrinkWithoutContext(_value: unknown): _value is History {
    return false;
  }

  /** The context is the length of the ranges to remove next; longer ranges could not be removed. */
  override shrink(history: History, context: unknown): fc.Stream<fc.Value<History>> {
    return new fc.Stream(this.smaller(history, typeof context === 'number' ? context : history.commands.length));
  }

  private *smaller(history: History, longest: number): IterableIterator<fc.Value<History>> {
    const { commands } = history;
    const at = this.failedAt.get(history) ?? commands.length - 1;
    if (at + 1 < commands.length) yield valueOf(history, commands.slice(0, at + 1), at + 1);
    for (
      let length = Math.min(longest, Math.floor(commands.length / 2));
      length >= 1;
      length = Math.floor(length / 2)
    ) {
      for (let from = 0; from < commands.length; from += length) {
        yield valueOf(history, [...commands.slice(0, from), ...commands.slice(from + length)], length);
      }
    }
    yield* plainer(history);
  }
}

function valueOf(history: History, commands: readonly Command[], context: number): fc.Value<History> {
  return new fc.Value({ ...history, commands }, context);
}

function* plainer(history: History): IterableIterator<fc.Value<History>> {
  const { commands, isLimited, quota } = history;
  if (isLimited) yield new fc.Value({ ...history, isLimited: false }, 0);
  if (quota !== null) yield new fc.Value({ ...history, quota: null }, 0);
  for (const [nth, command] of commands.entries()) {
    for (const plain of plainerCommands(command)) yield valueOf(history, commands.with(nth, plain), 0);
  }
}

function* plainerCommands(command: Command): IterableIterator<Command> {
  if (command.kind !== 'ask') return;
  const plain: Command = { ...command, caller: 'owner', key: { kind: 'fresh' }, twist: null };
  if (JSON.stringify(plain) !== JSON.stringify(command)) yield plain;
  const { ask } = command;
  if (ask.to === 'create' && Object.keys(ask.body).length > NEEDED.length) {
    yield {
      ...command,
      ask: { ...ask, body: Object.fromEntries(Object.entries(ask.body).filter(([name]) => NEEDED.includes(name))) },
    };
    for (const name of Object.keys(ask.body))
      if (!NEEDED.includes(name)) yield { ...command, ask: { ...ask, body: without(ask.body, name) } };
  }
  if (ask.to === 'sessions' || ask.to === 'transactions') {
    const { filters, cursor } = ask.query;
    if (cursor !== null) yield { ...command, ask: { ...ask, query: { filters, cursor: null } } };
    for (const name of Object.keys(filters))
      yield { ...command, ask: { ...ask, query: { filters: without(filters, name), cursor } } };
  }
  if ((ask.to === 'begin' || ask.to === 'quotes') && Object.keys(ask.attempt.changes).length > 0) {
    yield { ...command, ask: { ...ask, attempt: { ...ask.attempt, changes: {} } } };
  }
}

const NEEDED = ['amount', 'currency', 'return_url'];

function without(members: Readonly<Record<string, unknown>>, left: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== left));
}
