import { consumerLane, type ConsumerLane } from '../../domain/webhook/delivery.js';
import type { EventData, EventType } from '../../domain/webhook/event-types.js';
import type { ConsumerName, ConsumerRegistry, ConsumerStore } from '../../ports/store.js';

/** An event as an in-process consumer of the host receives it: the parsed envelope. */
export type ConsumedEvent<Type extends EventType = EventType> = {
  readonly [One in Type]: {
    readonly id: string;
    readonly type: One;
    readonly created_at: number;
    readonly sequence: number | null;
    readonly livemode: boolean;
    readonly data: EventData[One];
  };
}[Type];

/** Called at least once per event; a rejection is retried like a refused webhook. */
export type Consumer<Type extends EventType = EventType> = (event: ConsumedEvent<Type>) => Promise<void> | void;

interface OwnConsumer extends ConsumerName {
  readonly consume: Consumer;
}

/** Whom events are owed to, as it was registered at one version. */
export interface KnownConsumers {
  readonly version: number;
  namesOf(type: string): readonly string[];
}

/** What the process knows. */
interface Memory {
  readonly own: Map<ConsumerLane, OwnConsumer>;
  /** Registered with the store already. That is done once a process: a consumer that is removed meanwhile stays removed. */
  readonly registered: Set<ConsumerLane>;
  found: { readonly registry: ConsumerRegistry; readonly known: KnownConsumers } | null;
}

/**
 * The named consumers of the host. Names are durable: they are stored before this process commits its first event, so that every process
 * writes what is owed to them. The functions are this process's own, and it claims what is for them and nothing else.
 */
export class Consumers {
  constructor(
    private readonly store: ConsumerStore,
    private readonly reader: Pick<ConsumerStore, 'readConsumers'> = store,
    private readonly memory: Memory = { own: new Map(), registered: new Set(), found: null },
  ) {}

  /** The same ones, the registry read within a transaction of the host's: it has a connection, and must not wait for a second one. */
  readBy(reader: Pick<ConsumerStore, 'readConsumers'>): Consumers {
    return new Consumers(this.store, reader, this.memory);
  }

  add<Type extends EventType>(type: Type, name: string, consume: Consumer<Type>): void {
    const lane = consumerLane({ name, type });
    if (this.memory.own.has(lane)) throw new TypeError(`There is already a consumer named "${name}" for ${type}.`);
    // Its lane has this type in it, so no other event comes to it.
    this.memory.own.set(lane, { type, name, consume: consume as Consumer });
  }

  find(name: string, type: string): Consumer | null {
    return this.memory.own.get(consumerLane({ name, type }))?.consume ?? null;
  }

  /** What this process may claim. */
  lanes(): readonly ConsumerLane[] {
    return [...this.memory.own.keys()];
  }

  isOwn(consumer: ConsumerName): boolean {
    return this.memory.own.has(consumerLane(consumer));
  }

  /** At once, unless the store has to be written or read first. The commit refuses what has become old. */
  known(): KnownConsumers | Promise<KnownConsumers> {
    const { own, registered, found } = this.memory;
    return found !== null && registered.size === own.size ? found.known : this.register();
  }

  /**
   * Stores the names of this process. A commit that begins once it has resolved writes what is owed to them, in
   * whatever process; one under way may not.
   */
  async register(): Promise<KnownConsumers> {
    const fresh = [...this.memory.own].filter(([lane]) => !this.memory.registered.has(lane));
    if (fresh.length > 0) await this.store.registerConsumers(fresh.map(([, { name, type }]) => ({ name, type })));
    for (const [lane] of fresh) this.memory.registered.add(lane);
    await this.refresh();
    return this.known();
  }

  async refresh(): Promise<ConsumerRegistry> {
    const registry = await this.reader.readConsumers();
    const { found } = this.memory;
    // Reads may overtake each other, and the registry only grows.
    if (found !== null && found.registry.version >= registry.version) return found.registry;
    this.memory.found = { registry, known: storedKeyResult(registry) };
    return registry;
  }
}

function storedKeyResult({ version, consumers }: ConsumerRegistry): KnownConsumers {
  const names = new Map<string, string[]>();
  for (const { type, name, isRemoved } of consumers) {
    if (!isRemoved) names.set(type, [...(names.get(type) ?? []), name]);
  }
  return { version, namesOf: (type) => names.get(type) ?? NOBODY };
}

const NOBODY: readonly string[] = [];
