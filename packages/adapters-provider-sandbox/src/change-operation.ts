import { changeRow, type SandboxLedger } from './ledger.js';
import type { SandboxOperation } from './operation.js';
import { keepCard } from './saved-cards.js';

/** Changes an operation in the ledger. When money begins to move, its card is saved if the buyer has consented. */
export async function changeOperation(
  ledger: SandboxLedger,
  operationId: string,
  decide: (operation: SandboxOperation | null) => SandboxOperation,
): Promise<SandboxOperation> {
  const { before, operation } = await changeRow(ledger, operationId, decide);
  const hasBegun = operation.state.step === 'moving' && before?.state.step !== 'moving';
  const consented = hasBegun ? operation.plan?.saves : undefined;
  if (consented !== undefined) await keepCard(ledger, operation, consented);
  return operation;
}
