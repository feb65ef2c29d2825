/** An event as an in-process consumer of the host receives it: the parsed envelope. */
export interface ConsumedEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: number;
  readonly sequence: number | null;
  readonly livemode: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Called at least once per event; a rejection is retried like a refused webhook. */
export type Consumer = (event: ConsumedEvent) => Promise<void> | void;

/** The host's named consumers. The name is durable: deliveries carry it across restarts. */
export class Consumers {
  private readonly byName = new Map<string, { readonly type: string; readonly consume: Consumer }>();

  add(type: string, name: string, consume: Consumer): void {
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
      throw new TypeError('A consumer name is 1 to 64 lower-case letters, digits and hyphens.');
    }
    if (this.byName.has(name)) throw new TypeError(`There is already a consumer named "${name}".`);
    this.byName.set(name, { type, consume });
  }

  namesOf(type: string): readonly string[] {
    if (this.byName.size === 0) return [];
    return [...this.byName].filter(([, entry]) => entry.type === type).map(([name]) => name);
  }

  find(name: string): Consumer | null {
    return this.byName.get(name)?.consume ?? null;
  }
}
