import assert from 'node:assert/strict';
import type { DocumentSide, IdentityCheck } from '@gateramp/core/domain';
import type { Confirmation, OperationOrder, Provider, StartOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The provider under test, for the laws of document checks. */
export interface ProviderDocumentSubject {
  /** A new operation each time. */
  create(): Promise<ProviderDocumentOnTrial>;
}

/** A provider, and a start that it answers with a `kyc` action that has `documents`. */
export interface ProviderDocumentOnTrial {
  readonly provider: Pick<Provider, 'start' | 'confirm' | 'cancel' | 'lookup'> &
    Required<Pick<Provider, 'receiveDocument'>>;
  readonly order: StartOrder;
  /** A picture that will be accepted, and one that will be rejected. */
  readonly pictures: { readonly accepted: Uint8Array; readonly rejected: Uint8Array };
  readonly mediaType: 'image/jpeg' | 'image/png' | 'image/webp' | 'application/pdf';
  /** Ends the review of the submitted documents. */
  readonly endReview: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The engine's requirements for providers that request documents. */
export const providerDocumentLaws: readonly Law<ProviderDocumentSubject>[] = lawsOnTrial<ProviderDocumentOnTrial>(
  'Identity documents of a provider',
  {
    async 'are requested by side, with no side received'(trial) {
      const { documents } = await requestedAction(trial);
      assert.ok(documents !== undefined && documents.sides.length > 0);
      assert.deepEqual([documents.received, documents.inReview], [[], false]);
    },
    async 'change no state on arrival, first or repeated'(trial) {
      const action = await requestedAction(trial);
      for (const side of [...sidesOf(action), ...sidesOf(action)]) await receive(trial, side);
      assert.deepEqual(actionIn(await looked(trial)), action);
    },
    async 'are reviewed once they are submitted; submitting them again changes nothing'(trial) {
      const action = await requestedAction(trial);
      for (const side of sidesOf(action)) await receive(trial, side);
      const submitted = await submit(trial);
      assert.deepEqual((await submit(trial)).outcome, submitted.outcome);
      const inReview = actionIn(submitted)?.documents?.inReview;
      assert.ok(submitted.outcome.kind !== 'requires_action' || inReview !== false, 'They are reviewed.');
      await trial.endReview();
      const reviewed = await looked(trial);
      assert.notEqual(reviewed?.outcome.kind, 'failed');
      assert.notEqual(actionIn(reviewed)?.type, 'kyc');
    },
    async 'keep the latest picture of each side'(trial) {
      const sides = sidesOf(await requestedAction(trial));
      const [first] = sides;
      assert.ok(first !== undefined);
      await receive(trial, first, 'rejected');
      for (const side of sides) await receive(trial, side);
      await submit(trial);
      await trial.endReview();
      assert.notEqual((await looked(trial))?.outcome.kind, 'failed');
    },
    async 'fail the attempt with kyc_rejected when they are rejected'(trial) {
      for (const side of sidesOf(await requestedAction(trial))) await receive(trial, side, 'rejected');
      await submit(trial);
      await trial.endReview();
      const reviewed = await looked(trial);
      assert.ok(reviewed?.outcome.kind === 'failed', reviewed?.outcome.kind);
      assert.equal(reviewed.outcome.failure.code, 'kyc_rejected');
    },
    async 'change nothing after the operation was cancelled'(trial) {
      const sides = sidesOf(await requestedAction(trial));
      for (const side of sides) await receive(trial, side);
      await submit(trial);
      const { provider } = trial;
      const cancelled = await provider.cancel(operationOf(trial));
      if (cancelled.outcome.kind !== 'cancelled') return;
      for (const side of sides) await receive(trial, side).catch(() => undefined);
      await trial.endReview();
      assert.equal((await looked(trial))?.outcome.kind, 'cancelled');
    },
  },
);

type Answered = Awaited<ReturnType<Provider['lookup']>>;

async function requestedAction({ provider, order }: ProviderDocumentOnTrial): Promise<IdentityCheck> {
  const answer = await provider.start(order);
  assert.ok('outcome' in answer, 'The start reaches the provider.');
  const action = actionIn(answer);
  assert.ok(action?.documents !== undefined, 'The start asks for documents.');
  return action;
}

function actionIn(answer: Answered): IdentityCheck | null {
  if (answer?.outcome.kind !== 'requires_action') return null;
  const { nextAction } = answer.outcome;
  return nextAction.type === 'kyc' ? nextAction : null;
}

function sidesOf({ documents }: IdentityCheck): readonly DocumentSide[] {
  return documents?.sides ?? [];
}

async function receive(
  trial: ProviderDocumentOnTrial,
  side: DocumentSide,
  picture: 'accepted' | 'rejected' = 'accepted',
): Promise<void> {
  const { provider, pictures, mediaType } = trial;
  const bytes = pictures[picture];
  assert.deepEqual(await provider.receiveDocument({ ...operationOf(trial), side, mediaType, bytes }), {
    kind: 'received',
  });
}

const SUBMITTED: Confirmation = {
  action: 'kyc',
  kyc: { firstName: null, lastName: null, dateOfBirth: null, documentNumber: null, documents: 'submitted' },
};

async function submit(trial: ProviderDocumentOnTrial) {
  const { provider, order } = trial;
  const answer = await provider.confirm({ ...operationOf(trial), intent: order.intent, confirmation: SUBMITTED });
  assert.ok('outcome' in answer, 'The confirmation reaches the provider.');
  return answer;
}

const looked = (trial: ProviderDocumentOnTrial) => trial.provider.lookup(operationOf(trial));

/** `order.now` is read each time, since ending the review may change it. */
function operationOf({ order: { operationId, mode, now } }: ProviderDocumentOnTrial): OperationOrder {
  return { operationId, mode, now };
}
