import type { Gate } from '@gateramp/sdk-node';

/** The shop's name and the colour of its own buttons (`page/style/tokens.css`). */
const LOOK = { display_name: 'Demo shop', accent_color: '#6d28d9' } as const;

/**
 * Gives the hosted checkout the shop's branding, before the first order. Existing branding is not changed, and a failure does not prevent
 * the order.
 */
export function look(gate: Gate, onError: (error: unknown) => void): () => Promise<void> {
  let given: Promise<void> | null = null;
  return () => (given ??= give(gate).catch(onError));
}

async function give(gate: Gate): Promise<void> {
  const { display_name: name, accent_color: color } = await gate.branding.retrieve();
  if (name === null && color === null) await gate.branding.update(LOOK);
}
