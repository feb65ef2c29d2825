import type { Gate } from '@gateramp/sdk-node';

/** A provider feature that a situation may need. `sandbox` stands for the magic amounts and cards that only the sandbox supports. */
export type Ability = 'card' | 'bank_transfer' | 'saved_card' | 'sandbox';

/** The features of this server's providers; null if they cannot be read. */
export async function abilities(gate: Gate): Promise<readonly Ability[] | null> {
  try {
    const { data } = await gate.capabilities.paymentMethods();
    const methods = data.filter(({ flows }) => flows.includes('on_ramp'));
    const can: Readonly<Record<Ability, boolean>> = {
      card: methods.some(({ code }) => code === 'card'),
      bank_transfer: methods.some(({ code }) => code === 'bank_transfer'),
      saved_card: methods.some(({ savable }) => savable),
      sandbox: methods.some(({ components }) => components.some(({ provider }) => provider === 'sandbox')),
    };
    return ABILITIES.filter((ability) => can[ability]);
  } catch {
    return null;
  }
}

const ABILITIES = ['card', 'bank_transfer', 'saved_card', 'sandbox'] as const satisfies readonly Ability[];
