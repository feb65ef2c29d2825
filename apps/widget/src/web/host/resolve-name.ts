const TIMEOUT_MS = 15_000;

/** Resolves a name through the host of this page. Null if it has no address or the look-up failed. */
export async function resolveName(name: string, network: string): Promise<string | null> {
  const query = new URLSearchParams({ name, network });
  try {
    const response = await fetch(`/resolve?${query.toString()}`, {
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      referrerPolicy: 'no-referrer',
    });
    const answer: unknown = response.ok ? await response.json() : null;
    const address = typeof answer === 'object' && answer !== null && 'address' in answer ? answer.address : null;
    return typeof address === 'string' ? address : null;
  } catch {
    return null;
  }
}
