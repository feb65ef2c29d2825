import type { Gate } from '@gateramp/sdk-node';

/** The shop's name and the colour of its own buttons (`page/style/tokens.css`). */
const LOOK = { display_name: 'Demo shop', accent_color: '#6d28d9' } as const;

/**
 * Gives the hosted checkout the look of the shop, as a partner does it once: here before the first order. What somebody
 * has set is left as it is, and an order is sold without a look rather than not at all.
 */
export function look(gate: Gate, onError: (error: unknown) => void): () => Promise<void> {
  let given: Promise<void> | null = null;
  return () => (given ??= give(gate).catch(onError));
}

async function give(gate: Gate): Promise<void> {
  const { display_name: name, accent_color: color } = await gate.branding.retrieve();
  if (name === null && color === null) await gate.branding.update(LOOK);
}
