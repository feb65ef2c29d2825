import { go, stay, type Effect, type Next, type ScreenEvent } from '../../app/event.js';
import type { Documents, Picture } from '../../app/screen.js';
import type { DocumentSide, Intent, KycAction } from '../../wire/types.js';
import { answeredAction, isOutdated } from '../answered-action.js';

/** Enters the document step, with one picture for each side that the service requires. */
export function enterDocuments(intent: Intent, { documents = [], received = [] }: KycAction): Documents {
  return {
    at: 'documents',
    intent,
    sides: documents,
    received,
    pictures: {},
    isChecked: false,
    isSending: false,
    refusal: null,
  };
}

/** Uploads each side as soon as it is chosen. The failure of one side does not affect the others. */
export function reduceDocuments(state: Documents, event: ScreenEvent): Next<Documents> {
  const { intent, isSending, pictures } = state;
  switch (event.type) {
    case 'chose_picture':
      return isSending || pictures[event.side]?.status === 'sending'
        ? stay(state)
        : sending(state, event.side, event.file);
    case 'removed_picture':
      // The provider already has a picture that was sent: it can only be replaced.
      return !isSending && pictures[event.side]?.status === 'failed' ? stay(without(state, event.side)) : stay(state);
    case 'retried_picture':
      return resent(state, [event.side]);
    case 'went_online':
      return resent(
        state,
        state.sides.filter((side) => isCutOff(pictures[side])),
      );
    case 'upload_progressed':
      return pictures[event.side]?.status === 'sending'
        ? stay(withPicture(state, event.side, { share: event.share }))
        : stay(state);
    case 'upload_answered': {
      const { answer, side } = event;
      if (answer.ok) {
        const received = [...new Set([...state.received, side])];
        return stay(withPicture({ ...state, intent: answer.value, received }, side, { status: 'sent', share: 1 }));
      }
      if (isOutdated(answer.refusal)) return go({ to: 'session' });
      return stay(withPicture(state, side, { status: 'failed', refusal: answer.refusal }));
    }
    case 'submitted':
      if (isSending) return stay(state);
      if (missingSides(state).length > 0) return stay({ ...state, isChecked: true, refusal: null });
      return stay(
        { ...state, isSending: true, refusal: null },
        { do: 'confirm_intent', id: intent.id, body: { action: 'kyc', kyc: { documents: 'submitted' } } },
      );
    case 'cancelled':
      return isSending ? stay(state) : stay({ ...state, isSending: true }, { do: 'cancel_intent', id: intent.id });
    case 'intent_answered':
      return answeredAction(event, intent, (refusal) => stay({ ...state, isSending: false, refusal }));
    default:
      return stay(state);
  }
}

/** The sides that still prevent submission, including those whose upload is in progress. */
export function missingSides({ sides, received, pictures }: Documents): readonly DocumentSide[] {
  return sides.filter((side) => {
    const picture = pictures[side];
    return picture === undefined ? !received.includes(side) : picture.status !== 'sent';
  });
}

function sending(state: Documents, side: DocumentSide, file: File): Next<Documents> {
  const picture: Picture = { file, status: 'sending', share: 0, refusal: null };
  return stay({ ...state, pictures: { ...state.pictures, [side]: picture } }, upload(state, side, file));
}

function upload({ intent }: Documents, side: DocumentSide, file: File): Effect {
  return { do: 'upload_document', id: intent.id, side, file };
}

/** Uploads failed pictures again. */
function resent(state: Documents, sides: readonly DocumentSide[]): Next<Documents> {
  return sides.reduce<{ readonly state: Documents; readonly effects: readonly Effect[] }>(
    ({ state: before, effects }, side) => {
      const picture = before.pictures[side];
      if (picture?.status !== 'failed') return { state: before, effects };
      return {
        state: withPicture(before, side, { status: 'sending', share: 0, refusal: null }),
        effects: [...effects, upload(before, side, picture.file)],
      };
    },
    { state, effects: [] },
  );
}

function isCutOff(picture: Picture | undefined): boolean {
  return picture?.status === 'failed' && picture.refusal?.code === 'unreachable';
}

function withPicture(state: Documents, side: DocumentSide, change: Partial<Picture>): Documents {
  const picture = state.pictures[side];
  return picture === undefined
    ? state
    : { ...state, pictures: { ...state.pictures, [side]: { ...picture, ...change } } };
}

/** Removes a failed picture. An earlier picture of the side that was received still counts. */
function without(state: Documents, side: DocumentSide): Documents {
  const { [side]: _, ...pictures } = state.pictures;
  return { ...state, pictures };
}
