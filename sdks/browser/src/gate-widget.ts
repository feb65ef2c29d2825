import { ConfigError } from './errors.js';

/**
 * The retired loader of earlier versions. Its constructor throws.
 * @deprecated Use `GateRamp`.
 */
export class GateWidget {
  constructor(..._: unknown[]) {
    throw retired();
  }

  static init(..._: unknown[]): never {
    throw retired();
  }

  /** Declared for types only, so that pages written for it still compile. */
  declare readonly init: (...options: unknown[]) => void;
}

function retired(): ConfigError {
  return new ConfigError('GateWidget is deprecated: use GateRamp, publishableKey, clientSecret, mount().');
}
