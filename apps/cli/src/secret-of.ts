import { UsageFault } from './exit-codes.js';

/** A signing secret that the command was given. What it is instead is not said: it may be another secret. */
export function secretOf(secret: string | null | undefined): string {
  if (typeof secret === 'string' && /^whsec_[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageFault(
    'A signing secret is needed: --secret or GATERAMP_WEBHOOK_SECRET, "whsec_" and what follows, without spaces or quotes.',
  );
}
