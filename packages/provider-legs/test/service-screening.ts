import type { ScreeningLeg } from '@gateramp/provider-legs';

interface ServiceOptions {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs?: number;
}

/** Calls a screening service. The call id is its idempotency key, so that a repeated call returns the first result. */
export function serviceScreening({ url, token, timeoutMs = 3_000 }: ServiceOptions): ScreeningLeg {
  return {
    contract: 2,
    name: 'screening-service',
    async screen({ callId, address, asset, network, moment }) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'idempotency-key': callId,
        },
        body: JSON.stringify({ call_id: callId, address, asset, network, moment }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      // Throw unless the result of this call is known, and the call is made again. Nothing else may count as a clearance.
      if (!response.ok) throw new Error(`The screening service responded with ${response.status}.`);
      const { call_id: answered, result } = (await response.json()) as { call_id?: unknown; result?: unknown };
      if (answered !== callId) throw new Error('The screening service responded to another call.');
      if (result === 'clear' || result === 'blocked') return { kind: result };
      if (result === 'pending') return { kind: 'pending', checkAfterMs: 5_000 };
      throw new Error('The screening service responded with an unknown result.');
    },
  };
}
