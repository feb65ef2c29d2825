import type { AttemptRequest, Resolution } from '@gateramp/core/ports';
import { defaultMethod, findCorridor, isServedCountry, isServedMethod, SANDBOX_COUNTRIES } from './corridors.js';
import { addressFault } from './screening.js';

/** The attempt as the sandbox would start it, or the reason why it cannot. */
export function resolve(request: AttemptRequest): Resolution {
  const corridor = findCorridor(request);
  if ('code' in corridor) return { kind: 'refused', ...corridor };
  const paymentMethod = request.paymentMethod ?? defaultMethod(request.flow);
  if (!isServedMethod(request.flow, paymentMethod))
    return unsupported(`The sandbox does not serve ${paymentMethod} on ${request.flow}.`);
  if (!isServedCountry(request.countryCode))
    return unsupported(`The sandbox serves ${SANDBOX_COUNTRIES.join(' and ')} only.`);
  const fault = addressFault(request, corridor);
  if (fault !== null) return { kind: 'refused', code: 'wallet_address_invalid', message: fault };
  const { source, target } = corridor;
  return {
    kind: 'resolved',
    terms: {
      sourceToken: source?.token ?? null,
      sourceNetwork: source?.network ?? null,
      targetToken: target?.token ?? null,
      targetNetwork: target?.network ?? null,
      paymentMethod,
    },
  };
}

function unsupported(message: string): Resolution {
  return { kind: 'refused', code: 'corridor_not_supported', message };
}
