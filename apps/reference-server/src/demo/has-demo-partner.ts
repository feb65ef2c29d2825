import { isLoopback } from '@gateramp/core/domain';
import type { Seed } from '../config-seed-file.js';

/** Whether the server keeps the demo partner. Its keys are published, so it exists only where no other machine reaches the server. */
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

/** Whether `GATE_HOST` is this machine alone; every address (`0.0.0.0`, `::`) is not. */
export function bindsLoopbackOnly(host: string): boolean {
  return isLoopback(host) || host === '::1';
}
