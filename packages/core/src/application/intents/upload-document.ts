import { err, ok, type Result } from 'neverthrow';
import type { IdentityCheck, Intent, RequestedDocuments } from '../../domain/intent/intent.js';
import {
  type DocumentMediaType,
  type DocumentSide,
  documentSide,
  DOCUMENT_SIDES,
} from '../../domain/intent/identity-document.js';
import { scopeOf } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import type { DocumentAnswer, DocumentOrder } from '../../ports/provider.js';
import { TryAgain } from '../commit/apply.js';
import { execute, freshValue } from '../commit/execute.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { notReached } from '../providers/call-providers.js';
import { providerNamed } from '../providers/route-provider.js';
import { retrieveIntent, type RetrieveIntentRefusal } from './read-intents.js';

type UploadDocumentRefusal =
  | RetrieveIntentRefusal
  | Refusal<'intent_not_confirmable' | 'operation_in_progress' | 'validation_failed'>;

/** A document image to pass to the provider. */
interface DocumentUpload {
  readonly intentId: string;
  readonly side: string;
  readonly mediaType: DocumentMediaType;
  readonly bytes: Uint8Array;
  /** Called with the hand-over, which may outlast the upload: the bytes stay in memory until a slow provider answers. */
  readonly heldBy: (handOver: Promise<unknown>) => void;
}

/** Checks, before the bytes of an upload are read, that the intent requests this side. */
export async function awaitsDocument(
  engine: Engine,
  { token }: { readonly token: EmbedToken },
  { intentId, ...upload }: Pick<DocumentUpload, 'intentId' | 'side'>,
): Promise<Result<Purchase, UploadDocumentRefusal>> {
  const side = documentSide(upload.side);
  return side === null ? unknownSide() : requesting(engine, token, intentId, side);
}

/**
 * Passes one side of an identity document to the intent's provider and then records its arrival. The bytes are stored nowhere. The provider
 * replaces earlier uploads of the side, so an upload whose response was lost can simply be repeated.
 */
export async function uploadDocument(
  engine: Engine,
  { token }: { readonly token: EmbedToken },
  { intentId, mediaType, bytes, heldBy, ...upload }: DocumentUpload,
): Promise<Result<Intent, UploadDocumentRefusal>> {
  const side = documentSide(upload.side);
  if (side === null) return unknownSide();
  const load = () => requesting(engine, token, intentId, side);
  const before = await load();
  if (before.isErr()) return err(before.error);
  const { intent } = before.value;
  await handOver(engine, intent, { side, mediaType, bytes, heldBy });
  return freshValue(
    await execute(engine, {
      load,
      decide: (purchase) => {
        const now = engine.clock.now(intent);
        const next = { ...purchase, intent: { ...received(purchase.intent, side), updatedAt: now } };
        const change = { ...emptyChange(scopeOf(intent), now), ...purchaseWrites(purchase, next) };
        return ok({ change, value: next.intent });
      },
    }),
  );
}

function unknownSide(): Result<never, Refusal<'validation_failed'>> {
  const message = `side must be one of ${DOCUMENT_SIDES.join(', ')}`;
  return refuse('validation_failed', message, [{ field: 'side', code: 'invalid', message }]);
}

/** Loads the intent if it still requests this side. */
async function requesting(
  engine: Engine,
  token: EmbedToken,
  intentId: string,
  side: DocumentSide,
): Promise<Result<Purchase, UploadDocumentRefusal>> {
  const read = await retrieveIntent(engine, token, intentId);
  if (read.isErr()) return err(read.error);
  const { intent } = read.value;
  if (intent.stepTaskId !== null) return refuse('operation_in_progress', 'Operation already in progress');
  const documents = requestedDocuments(intent);
  if (documents === null)
    return refuse('intent_not_confirmable', `The intent is ${intent.status} and asks for no documents.`);
  if (documents.inReview)
    return refuse('intent_not_confirmable', 'The documents are being reviewed; none can be replaced now.');
  if (!documents.sides.includes(side))
    return refuse('intent_not_confirmable', `The intent asks for ${documents.sides.join(', ')}, not for ${side}.`);
  return read;
}

function requestedDocuments({ status, nextAction }: Intent): RequestedDocuments | null {
  return status === 'requires_action' && nextAction?.type === 'kyc' ? (nextAction.documents ?? null) : null;
}

/** If the provider does not accept the document, its arrival is not recorded and the buyer uploads it again. */
async function handOver(
  engine: Engine,
  intent: Intent,
  { heldBy, ...document }: Pick<DocumentOrder, 'side' | 'mediaType' | 'bytes'> & Pick<DocumentUpload, 'heldBy'>,
): Promise<void> {
  const { operationId, mode, provider: name } = intent;
  const provider = providerNamed(engine, name);
  if (provider.receiveDocument === undefined)
    throw new Error(`The provider ${name} asks for documents, but has no receiveDocument to give them to.`);
  const order = { operationId, mode, now: engine.clock.now(intent), ...document };
  const taken = take(engine, { provider: name, mode }, provider.receiveDocument(order));
  heldBy(taken);
  const waited = await engine.deadlines.within(taken, engine.policy.providerAnswerTimeout);
  if (waited.kind !== 'done' || !waited.value) throw new TryAgain(NOT_DELIVERED);
}

const NOT_DELIVERED = 'The document could not be delivered to the provider; upload it again.';

/** Whether the provider received it. The reason for a failure is only reported to the operator. */
async function take(
  engine: Engine,
  fields: Readonly<Record<string, string>>,
  answering: Promise<DocumentAnswer>,
): Promise<boolean> {
  try {
    const answer = await answering;
    if (answer.kind === 'received') return true;
    engine.telemetry.failure(notReached(answer), fields);
  } catch (error) {
    engine.telemetry.failure(error, fields);
  }
  return false;
}

function received(intent: Intent, side: DocumentSide): Intent {
  const { nextAction } = intent;
  if (nextAction?.type !== 'kyc' || nextAction.documents === undefined) return intent;
  const { documents } = nextAction;
  const arrived = documents.sides.filter((one) => one === side || documents.received.includes(one));
  const next: IdentityCheck = { ...nextAction, documents: { ...documents, received: arrived } };
  return { ...intent, nextAction: next };
}
