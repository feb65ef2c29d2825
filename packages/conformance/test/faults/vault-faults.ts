import type { KycVault } from '@gateramp/core/ports';
import { over } from './over.js';

/** Each makes one mistake, over any vault. */
export const vaultFaults = {
  'a sweep of both modes': (inner: KycVault) =>
    over(inner, {
      sweep: async (_, now) => void (await Promise.all([inner.sweep('test', now), inner.sweep('live', now)])),
    }),

  'a sweep that comes late': (inner: KycVault) => over(inner, { sweep: (mode, now) => inner.sweep(mode, now - 1) }),

  'a package that was only marked as deleted': (inner: KycVault) => over(inner, { forget: async () => undefined }),
} satisfies Record<string, (inner: KycVault) => KycVault>;
