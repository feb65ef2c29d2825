import { isLoopback } from '@gateramp/core/domain';
import type { Seed } from '../seed/seed-file.js';

/** Whether the server has the demo partner. Its keys are public, so it exists only if no other machine can reach the server. */
export function hasDemoPartner({
  demo,
  seed,
  host,
}: {
  readonly demo: boolean;
  readonly seed: Seed | null;
  readonly host: string;
}): boolean {
  return demo && seed === null && bindsLoopbackOnly(host);
}

/** Whether `GATE_HOST` limits the server to this machine; the wildcard addresses (`0.0.0.0`, `::`) do not. */
export function bindsLoopbackOnly(host: string): boolean {
  return isLoopback(host) || host === '::1';
}
