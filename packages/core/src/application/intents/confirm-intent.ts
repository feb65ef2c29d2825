import { err, ok, type Result } from 'neverthrow';
import { isoTime, type Instant } from '../../domain/instant.js';
import type { DocumentSide } from '../../domain/intent/identity-document.js';
import { type Intent, isInReview, type NextAction } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { beginStep } from '../../domain/purchase/begin-purchase.js';
import { ownerOf, type Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { Confirmation } from '../../ports/provider.js';
import type { Decision } from '../commit/apply.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import type { Keyed, KeyedRefusal } from '../idempotency/keyed.js';
import { providerNamed } from '../providers/route-provider.js';
import { intentForProvider } from '../quotes/find-offers.js';
import { identityFieldErrors } from './place-attempt.js';
import { holdAlarm } from '../sessions/close-session.js';
import { retrieveIntent, type RetrieveIntentRefusal } from './read-intents.js';
import { attemptStep, type BegunStep, executeStep, INTENT_ANSWERS, stepTask } from './run-step.js';

/** Why a confirmation was refused. */
export type ConfirmIntentRefusal =
  | RetrieveIntentRefusal
  | KeyedRefusal
  | Refusal<'intent_not_confirmable' | 'validation_failed'>;

/**
 * Passes the data of a required action to the provider. The data is stored nowhere; after a crash the operation is looked up instead of
 * sent again.
 */
export function confirmIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string; readonly confirmation: Confirmation },
  idempotent: Idempotent<Intent> | null,
): Keyed<Intent, ConfirmIntentRefusal> {
  return executeStep(
    engine,
    caller.token.scope,
    {
      load: () => confirmable(engine, caller.token, input),
      decide: (purchase) => ok(begin(engine, purchase)),
      step: (begun) => {
        const { intent } = begun.purchase;
        const provider = providerNamed(engine, intent.provider);
        const order = {
          operationId: intent.operationId,
          mode: intent.mode,
          now: engine.clock.now(intent),
          intent: intentForProvider(engine, intent),
          confirmation: input.confirmation,
        };
        return attemptStep(engine, begun, () => provider.confirm(order));
      },
      answers: INTENT_ANSWERS,
    },
    idempotent,
  );
}

async function confirmable(
  engine: Engine,
  token: EmbedToken,
  input: { readonly intentId: string; readonly confirmation: Confirmation },
): Promise<Result<Purchase, ConfirmIntentRefusal>> {
  const read = await retrieveIntent(engine, token, input.intentId);
  if (read.isErr()) return err(read.error);
  const { intent } = read.value;
  if (intent.stepTaskId !== null) return refuse('operation_in_progress', 'Operation already in progress');
  if (intent.status !== 'requires_action')
    return refuse('intent_not_confirmable', `The intent is ${intent.status}; there is nothing to confirm.`);
  if (intent.nextAction?.type !== actionOf(input.confirmation)) {
    return refuse(
      'intent_not_confirmable',
      `The intent waits for ${intent.nextAction?.type ?? 'nothing'}, not for ${input.confirmation.action}.`,
    );
  }
  if (input.confirmation.action === 'send_code') {
    const reason = noNewCode(intent.nextAction, engine.clock.now(intent));
    return reason === null ? read : refuse('intent_not_confirmable', reason);
  }
  if (isInReview(intent.nextAction))
    return refuse('intent_not_confirmable', 'The documents are being reviewed; there is nothing to confirm.');
  const errors = identityFieldErrors(intent.nextAction, input.confirmation, engine.clock.now(intent));
  if (errors[0] !== undefined) return refuse('validation_failed', errors[0].message, errors);
  const missing = missingDocuments(intent.nextAction);
  if (missing.length > 0)
    return refuse('intent_not_confirmable', `The intent still waits for documents: ${missing.join(', ')}.`);
  return read;
}

function actionOf({ action }: Confirmation): NextAction['type'] {
  return action === 'send_code' ? 'payment_authentication' : action;
}

/** Why no other code can be sent now; null if it can. */
function noNewCode(action: NextAction, now: Instant): string | null {
  const resendAt = action.type === 'payment_authentication' ? action.resendAt : undefined;
  if (resendAt === undefined) return 'The provider sends no other one-time code for this payment.';
  return now < resendAt ? `Another one-time code can be sent from ${isoTime(resendAt)}.` : null;
}

function missingDocuments(action: NextAction): readonly DocumentSide[] {
  const documents = action.type === 'kyc' ? action.documents : undefined;
  return documents === undefined ? [] : documents.sides.filter((side) => !documents.received.includes(side));
}

/** Commits the step and the hold of its session before the provider is called. */
function begin(engine: Engine, before: Purchase): Decision<BegunStep> {
  const { intent } = before;
  const scope = scopeOf(intent);
  const now = engine.clock.now(intent);
  const id = engine.ids.object(now);
  const task = stepTask(engine, { ...scope, id, kind: 'provider_confirm', subjectId: intent.id }, now);
  const purchase = beginStep(before, id, now, engine.policy);
  const change: Change = {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, purchase),
    tasks: [task, ...holdAlarm(engine, ownerOf(before), ownerOf(purchase), now)],
  };
  return { change, value: { purchase, task } };
}
