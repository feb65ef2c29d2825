import type { Mode } from '@gateramp/core';
import type { Intent } from '@gateramp/core/domain';
import type { RowWrite } from '@gateramp/core/ports';
import { VersionedTable } from './versioned-table.js';

/** Intents, indexed also by their operation at the provider. */
export class IntentTable extends VersionedTable<Intent> {
  private readonly byOperation = new Map<string, Intent>();

  constructor() {
    super((intent) => intent.id);
  }

  findByOperation(mode: Mode, provider: string, operationId: string): Intent | null {
    return this.byOperation.get(operationName({ mode, provider, operationId })) ?? null;
  }

  override write(write: RowWrite<Intent>): Intent | null {
    const former = super.write(write);
    if (former !== null) this.byOperation.delete(operationName(former));
    this.byOperation.set(operationName(write.row), write.row);
    return former;
  }
}

function operationName({ mode, provider, operationId }: Pick<Intent, 'mode' | 'provider' | 'operationId'>): string {
  return `${mode}/${provider}/${operationId}`;
}
