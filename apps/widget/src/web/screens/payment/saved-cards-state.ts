import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, Payment, Terms } from '../../app/screen.js';
import { refused } from '../../forms/form.js';
import type { QuotesBody, SavedMethod } from '../../wire/types.js';

/** Stands for a new card, in place of the id of a saved one. */
export const ANOTHER_CARD = 'another';

/** The saved cards that can be used with the chosen flow and method. */
export function savedCards(terms: Terms, { flow, method }: Draft): readonly SavedMethod[] {
  return flow === 'on_ramp' ? terms.saved.filter(({ type }) => type === method) : [];
}

/** The saved card to use for card payments; null for a new card. Defaults to the newest one that can pay this order. */
export function cardToPay({ saved }: Terms, { flow, card, component, unpayable }: Draft): SavedMethod | null {
  if (flow !== 'on_ramp' || card === ANOTHER_CARD || component !== null) return null;
  const usable = saved.filter(({ id, expired }) => !expired && !unpayable.includes(id));
  return usable.find(({ id }) => id === card) ?? usable[0] ?? null;
}

/** The quote parameters for the chosen card or component, since only one provider can charge each of them. */
export function pricing(terms: Terms, draft: Draft): Pick<QuotesBody, 'saved_method' | 'provider'> {
  const fields = terms.components.find(({ wallet }) => wallet === null);
  const component = draft.flow === 'on_ramp' ? (draft.component ?? fields) : null;
  return { saved_method: cardToPay(terms, draft)?.id ?? null, provider: component?.provider ?? null };
}

/** The saved card to pay with by the chosen method; null for a new card. */
export function chosenCard(terms: Terms, { draft }: Payment): SavedMethod | null {
  const card = cardToPay(terms, draft);
  return card?.type === draft.method ? card : null;
}

/** Whether a new card can be saved. */
export function canSave(terms: Terms, { flow, method }: Draft): boolean {
  return flow === 'on_ramp' && method !== null && terms.savable.includes(method);
}

/** Handles choosing, saving and removing cards. Null for other events. */
export function reduceSavedCards(terms: Terms, state: Payment, event: ScreenEvent): Next<Payment> | null {
  const { form, removing } = state;
  switch (event.type) {
    case 'chose_card': {
      if (form.isSending) return stay(state);
      // The security code belongs to the previous card.
      const values = { ...form.values, cvc: '' };
      return stay({
        ...state,
        isPending: false,
        draft: { ...state.draft, card: event.card, component: null },
        declined: null,
        form: { ...form, values, errors: {}, refusal: null },
      });
    }
    case 'chose_to_save':
      return stay(form.isSending ? state : { ...state, isSaving: event.isSaving });
    case 'remove_asked':
      return stay(form.isSending ? state : { ...state, removing: { id: event.id, isSending: false } });
    case 'remove_withdrawn':
      return stay({ ...state, removing: null });
    case 'remove_confirmed':
      if (removing === null || removing.isSending) return stay(state);
      return stay({ ...state, removing: { ...removing, isSending: true } }, { do: 'remove_saved', id: removing.id });
    case 'saved_removed': {
      const next: Payment = { ...state, removing: removing?.id === event.id ? null : removing };
      const isGone = !terms.saved.some(({ id }) => id === event.id);
      return stay(event.answer.ok || isGone ? next : { ...next, form: refused(form, event.answer.refusal) });
    }
    default:
      return null;
  }
}
