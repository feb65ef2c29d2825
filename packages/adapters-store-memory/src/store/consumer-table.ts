import type { ConsumerName, ConsumerRegistry } from '@gateramp/core/ports';

/** All in-process consumers that were ever registered. */
export class ConsumerTable {
  private registry: ConsumerRegistry = { version: 0, consumers: [] };

  get version(): number {
    return this.registry.version;
  }

  read(): ConsumerRegistry {
    return this.registry;
  }

  register(consumers: readonly ConsumerName[]): void {
    for (const { name, type } of consumers) {
      const others = this.registry.consumers.filter((one) => one.name !== name || one.type !== type);
      const known = this.registry.consumers.find((one) => one.name === name && one.type === type);
      if (known?.isRemoved !== false) this.change([...others, { name, type, isRemoved: false }]);
    }
  }

  remove(name: string): void {
    const isThere = this.registry.consumers.some((one) => one.name === name && !one.isRemoved);
    if (isThere)
      this.change(this.registry.consumers.map((one) => (one.name === name ? { ...one, isRemoved: true } : one)));
  }

  private change(consumers: ConsumerRegistry['consumers']): void {
    this.registry = { version: this.registry.version + 1, consumers };
  }
}
