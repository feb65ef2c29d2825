import type { Provider } from '@gateramp/core/ports';
import type { Metrics } from './metrics.js';

/** The calls of the port. A provider may leave the last six out. */
const CALLS = [
  'capabilities',
  'quote',
  'checkQuote',
  'resolve',
  'start',
  'confirm',
  'cancel',
  'lookup',
  'parseCallback',
  'receiveDocument',
  'refund',
  'lookupRefund',
  'listSavedMethods',
  'forgetSavedMethod',
  'findTransfers',
] as const satisfies readonly (keyof Provider)[];

/** The same provider, with errors of its calls counted. */
export function countedProvider<Counted extends Provider>(provider: Counted, { providerErrors }: Metrics): Counted {
  const counted = { ...provider };
  for (const call of CALLS) {
    // Every call of the port takes one or two arguments and returns a promise; the types are those of the port.
    const original = provider[call]?.bind(provider) as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
    if (original === undefined) continue;
    const labels = { provider: provider.name, call };
    // Initialized to zero: a series that first appears with its first error shows no increase.
    providerErrors.inc(labels, 0);
    const wrapped = async (...given: readonly unknown[]): Promise<unknown> => {
      try {
        return await original(...given);
      } catch (error) {
        providerErrors.inc(labels);
        throw error;
      }
    };
    Object.assign(counted, { [call]: wrapped });
  }
  return counted;
}
