import assert from 'node:assert/strict';
import type { OperationOrder, Provider, StartOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The form in which the buyer is handed over to the provider. */
export type Handover = 'redirect' | 'provider_component';

/** The provider under test, for the laws of redirects and provider components. */
export interface ProviderHandoverSubject {
  /** A new operation each time. */
  create(): Promise<ProviderHandoverOnTrial>;
}

/** A provider, a start that it answers with a `redirect` or a `provider_component`, and the buyer's approval. */
export interface ProviderHandoverOnTrial {
  readonly provider: Pick<Provider, 'start' | 'confirm' | 'cancel' | 'lookup'>;
  readonly order: StartOrder;
  /** The action that `start` requires. */
  readonly action: Handover;
  /** Performs the buyer's part there, and approves. */
  readonly approve: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The engine's requirements for actions that buyers complete at the provider, whose confirmation contains no data. */
export const providerHandoverLaws: readonly Law<ProviderHandoverSubject>[] = lawsOnTrial<ProviderHandoverOnTrial>(
  'Handovers of a provider',
  {
    async 'return the same action until the buyer has finished, however often they are confirmed or looked up'(trial) {
      const action = await actionOf(trial);
      for (const answer of [await confirmed(trial), await confirmed(trial), await looked(trial)]) {
        assert.equal(answer?.outcome.kind, 'requires_action');
        if (answer?.outcome.kind === 'requires_action') assert.deepEqual(answer.outcome.nextAction, action);
      }
    },
    async "continue after the buyer's approval, by a confirmation or a lookup; a second one changes nothing"(trial) {
      await actionOf(trial);
      await trial.approve();
      assert.notEqual((await confirmed(trial)).outcome.kind, 'requires_action');
      const before = await looked(trial);
      await confirmed(trial);
      assert.deepEqual(await looked(trial), before);
    },
    async 'move no money after a cancel, whatever the buyer does there'(trial) {
      await actionOf(trial);
      assert.equal((await trial.provider.cancel(operationOf(trial))).outcome.kind, 'cancelled');
      await trial.approve().catch(() => undefined);
      assert.equal((await confirmed(trial)).outcome.kind, 'cancelled');
      assert.equal((await looked(trial))?.outcome.kind, 'cancelled');
    },
    async 'have a deadline in the future, and name the provider of a component'(trial) {
      const { order } = trial;
      const action = await actionOf(trial);
      assert.ok(action.expiresAt > order.now);
      if (action.type === 'provider_component') assert.equal(action.provider, order.intent.provider);
    },
  },
);

async function actionOf({ provider, order, action }: ProviderHandoverOnTrial) {
  const answer = await provider.start(order);
  assert.ok('outcome' in answer && answer.outcome.kind === 'requires_action', 'The start asks for an action.');
  const { nextAction } = answer.outcome;
  assert.ok(nextAction.type === 'redirect' || nextAction.type === 'provider_component', nextAction.type);
  assert.equal(nextAction.type, action);
  return nextAction;
}

async function confirmed(trial: ProviderHandoverOnTrial) {
  const { provider, order, action } = trial;
  const answer = await provider.confirm({ ...operationOf(trial), intent: order.intent, confirmation: { action } });
  assert.ok('outcome' in answer, 'The confirmation reaches the provider.');
  return answer;
}

const looked = (trial: ProviderHandoverOnTrial) => trial.provider.lookup(operationOf(trial));

function operationOf({ order: { operationId, mode, now } }: ProviderHandoverOnTrial): OperationOrder {
  return { operationId, mode, now };
}
