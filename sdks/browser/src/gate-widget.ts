import { ConfigError } from './errors.js';

/**
 * The loader of old pages, which is retired: it throws.
 * @deprecated Use `GateRamp`.
 */
export class GateWidget {
  constructor(..._: unknown[]) {
    throw retired();
  }

  static init(..._: unknown[]): never {
    throw retired();
  }

  /** In the types alone, so that old pages compile until they run. */
  declare readonly init: (...options: unknown[]) => void;
}

function retired(): ConfigError {
  return new ConfigError('GateWidget is deprecated: use GateRamp, publishableKey, clientSecret, mount().');
}
