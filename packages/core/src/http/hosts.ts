import type { Result } from 'neverthrow';
import type { ErrorCode } from '../domain/error-code.js';
import { checkHost, type PresentedKey } from '../domain/keys/api-key.js';
import { type Mode, MODES } from '../domain/mode.js';
import type { Refusal } from '../domain/refusal.js';

/** A mounted handler. The two of the checkout are named after their modes; an extension may bring one of its own. */
export interface Host {
  /** Unique among the hosts of a gate. */
  readonly name: string;
  readonly mode: Mode;
  /** Refuses a key of the other mode, before any look-up. */
  readonly checkKey: (key: PresentedKey) => Result<PresentedKey, Refusal>;
  /** The code of that refusal. */
  readonly wrongMode: ErrorCode;
  /** Statuses that differ from the usual ones. */
  readonly statuses?: Partial<Readonly<Record<ErrorCode, number>>>;
  /** Its public address, and what it serves. */
  readonly server: { readonly url: string; readonly description: string };
}

/** The hosts of the checkout, by mode. */
export const CHECKOUT: Readonly<Record<Mode, Host>> = {
  test: {
    name: 'test',
    mode: 'test',
    checkKey: (key) => checkHost(key, 'test'),
    wrongMode: 'live_key_on_sandbox',
    server: { url: 'https://sandbox.gateramp.example', description: 'test mode' },
  },
  live: {
    name: 'live',
    mode: 'live',
    checkKey: (key) => checkHost(key, 'live'),
    wrongMode: 'test_key_on_live',
    server: { url: 'https://api.gateramp.example', description: 'live mode' },
  },
};

/** The checkout product has the same routes on both hosts (spec: Versioning 3). */
export const CHECKOUT_HOSTS: readonly Host[] = MODES.map((mode) => CHECKOUT[mode]);

/** Test helpers do not exist on the live host. */
export const TEST_HOST: readonly Host[] = [CHECKOUT.test];

/** Every host, also those of extensions. */
export const ALL_HOSTS = 'all';

/** The hosts that have the route; others respond with 404. */
export type Hosts = readonly Host[] | typeof ALL_HOSTS;

/** Whether the host has the endpoint. */
export function servesOn({ hosts }: { readonly hosts: Hosts }, host: Host): boolean {
  return hosts === ALL_HOSTS || hosts.includes(host);
}

/**
 * Why a gate cannot be mounted this way; null if it can. JavaScript hosts get no type errors, and without this check a missing gate would
 * fail at the first payment, and an unknown mode would respond with 404 to everything.
 */
export function mountProblem(gate: unknown, options: unknown): string | null {
  if (!isGate(gate)) return 'gate is missing; pass the value that createGate(…) returns.';
  return modeProblem(options, modesOf(gate));
}

/** Why the mode in the mount options does not fit the host; null if it does. */
export function modeProblem(options: unknown, modes: readonly Mode[] = MODES): string | null {
  const mode = typeof options === 'object' && options !== null && 'mode' in options ? options.mode : undefined;
  if (modes.some((one: Mode) => one === mode)) return null;
  const known = modes.map((one) => `'${one}'`).join(' or ');
  return `mode must be ${known}, not ${JSON.stringify(mode) ?? 'undefined'}: it selects which keys this host accepts.`;
}

function isGate(value: unknown): value is { readonly handle: unknown } {
  return typeof value === 'object' && value !== null && 'handle' in value && typeof value.handle === 'function';
}

/** A wrapped gate may have no `modes`; it then serves both. */
function modesOf(gate: object): readonly Mode[] {
  const modes: unknown = 'modes' in gate ? gate.modes : undefined;
  return Array.isArray(modes) ? MODES.filter((mode) => modes.includes(mode)) : MODES;
}
