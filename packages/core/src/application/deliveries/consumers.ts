import { consumerLane, type ConsumerLane } from '../../domain/webhook/delivery.js';
import type { EventData, EventType } from '../../domain/webhook/event-types.js';
import type { ConsumerName, ConsumerRegistry, ConsumerStore } from '../../ports/store.js';

/** An event as an in-process consumer receives it: the parsed envelope. */
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

/** Called at least once per event; rejections are retried like failed webhooks. */
export type Consumer<Type extends EventType = EventType> = (event: ConsumedEvent<Type>) => Promise<void> | void;

interface OwnConsumer extends ConsumerName {
  readonly consume: Consumer;
}

/** The registered consumers at one version of the registry. */
export interface KnownConsumers {
  readonly version: number;
  namesOf(type: string): readonly string[];
}

/** State shared by all views of the consumers in this process. */
interface Memory {
  readonly own: Map<ConsumerLane, OwnConsumer>;
  /** Lanes already stored. Each is stored once per process, so that a consumer removed meanwhile stays removed. */
  readonly registered: Set<ConsumerLane>;
  found: { readonly registry: ConsumerRegistry; readonly known: KnownConsumers } | null;
}

/**
 * The named consumers of the host. Names are durable: they are stored before this process commits its first event, so that every process
 * writes their deliveries. Functions belong to the process, which claims only deliveries that it has a function for.
 */
export class Consumers {
  constructor(
    private readonly store: ConsumerStore,
    private readonly reader: Pick<ConsumerStore, 'readConsumers'> = store,
    private readonly memory: Memory = { own: new Map(), registered: new Set(), found: null },
  ) {}

  /**
   * The same consumers, with the registry read through a transaction of the host: it already holds a connection and must not wait for a
   * second one.
   */
  readBy(reader: Pick<ConsumerStore, 'readConsumers'>): Consumers {
    return new Consumers(this.store, reader, this.memory);
  }

  add<Type extends EventType>(type: Type, name: string, consume: Consumer<Type>): void {
    const lane = consumerLane({ name, type });
    if (this.memory.own.has(lane)) throw new TypeError(`There is already a consumer named "${name}" for ${type}.`);
    // The lane includes this type, so the function receives no other events.
    this.memory.own.set(lane, { type, name, consume: consume as Consumer });
  }

  find(name: string, type: string): Consumer | null {
    return this.memory.own.get(consumerLane({ name, type }))?.consume ?? null;
  }

  /** The consumer lanes that this process may claim. */
  lanes(): readonly ConsumerLane[] {
    return [...this.memory.own.keys()];
  }

  isOwn(consumer: ConsumerName): boolean {
    return this.memory.own.has(consumerLane(consumer));
  }

  /** Synchronous unless the store must be written or read first. The commit refuses an outdated registry. */
  known(): KnownConsumers | Promise<KnownConsumers> {
    const { own, registered, found } = this.memory;
    return found !== null && registered.size === own.size ? found.known : this.register();
  }

  /**
   * Stores the names of this process. Commits that begin after it resolves write deliveries for them, in every process; a concurrent commit
   * may not.
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
    // Reads may overtake each other; the registry's version only increases.
    if (found !== null && found.registry.version >= registry.version) return found.registry;
    this.memory.found = { registry, known: knownConsumers(registry) };
    return registry;
  }
}

function knownConsumers({ version, consumers }: ConsumerRegistry): KnownConsumers {
  const names = new Map<string, string[]>();
  for (const { type, name, isRemoved } of consumers) {
    if (!isRemoved) names.set(type, [...(names.get(type) ?? []), name]);
  }
  return { version, namesOf: (type) => names.get(type) ?? NO_NAMES };
}

const NO_NAMES: readonly string[] = [];
