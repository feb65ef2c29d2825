import type { Send } from '../../app/run.js';
import type { FieldError } from '../../app/screen.js';
import { brandNamed } from '../../forms/card.js';
import type { Messages } from '../../i18n/en.js';
import { QuietButton } from '../../ui/buttons.js';
import { cardEnding } from '../../ui/card-ending.js';
import { errorText } from '../../ui/error-text.js';
import { CardMark } from '../../ui/card-mark.js';
import { BinIcon, MethodIcon } from '../../ui/icons.js';
import { Sheet } from '../../ui/sheet.js';
import type { SavedMethod } from '../../wire/types.js';
import { ANOTHER_CARD } from './saved-cards-state.js';

interface SavedCardsProps {
  readonly cards: readonly SavedMethod[];
  /** The cards that cannot pay this order. */
  readonly unpayable: readonly string[];
  readonly chosen: SavedMethod | null;
  /** The error of the chosen card. */
  readonly error: FieldError | undefined;
  readonly t: Messages;
  readonly send: Send;
}

/** The buyer's saved cards, each with a remove button, and a new card as the last option. */
export function SavedCards({ cards, unpayable, chosen, error, t, send }: SavedCardsProps) {
  if (cards.length === 0) return null;
  const shown = chosen === null ? undefined : error;
  return (
    <fieldset class="methods">
      <legend>{t.savedCards}</legend>
      {cards.map((card) => (
        <div key={card.id} class="saved">
          <label class="method">
            <input
              type="radio"
              name="card"
              value={card.id}
              checked={card.id === chosen?.id}
              aria-invalid={shown !== undefined && card.id === chosen?.id}
              aria-describedby={shown !== undefined && card.id === chosen?.id ? 'saved-error' : undefined}
              disabled={card.expired || unpayable.includes(card.id)}
              onChange={() => send({ type: 'chose_card', card: card.id })}
            />
            <Mark brand={card.brand} />
            <span class="method-name">{cardEnding(card.last4)}</span>
            <span class="quiet">{unpayable.includes(card.id) ? t.unavailableTitle : validityOf(card, t)}</span>
          </label>
          <button
            type="button"
            class="remove"
            aria-label={t.removeCard(card.last4)}
            onClick={() => send({ type: 'remove_asked', id: card.id })}
          >
            <BinIcon />
          </button>
        </div>
      ))}
      <label class="method method-another">
        <input
          type="radio"
          name="card"
          value={ANOTHER_CARD}
          checked={chosen === null}
          onChange={() => send({ type: 'chose_card', card: ANOTHER_CARD })}
        />
        <MethodIcon method="card" />
        <span class="method-name">{t.anotherCard}</span>
      </label>
      {shown !== undefined && (
        <p id="saved-error" class="field-error">
          {errorText(shown, t)}
        </p>
      )}
    </fieldset>
  );
}

/** Asks for confirmation before a card is removed, since it then has to be entered again. */
export function RemoveSheet({
  card,
  isSending,
  t,
  send,
}: {
  readonly card: SavedMethod;
  readonly isSending: boolean;
  readonly t: Messages;
  readonly send: Send;
}) {
  const keep = (): void => send({ type: 'remove_withdrawn' });
  return (
    <Sheet title={t.removeTitle} t={t} onClose={keep}>
      <p>{t.removeText(cardEnding(card.last4))}</p>
      <div class="over-buttons">
        <QuietButton onClick={keep}>{t.keepCard}</QuietButton>
        <button
          type="button"
          class="button button-danger"
          aria-disabled={isSending}
          onClick={() => send({ type: 'remove_confirmed' })}
        >
          {isSending ? t.sending : t.removeConfirm}
        </button>
      </div>
    </Sheet>
  );
}

function Mark({ brand }: { readonly brand: string }) {
  const known = brandNamed(brand);
  return known === null ? <MethodIcon method="card" /> : <CardMark brand={known} />;
}

function validityOf(card: SavedMethod, t: Messages): string {
  return card.expired ? t.cardExpired(expiryOf(card)) : t.cardExpires(expiryOf(card));
}

function expiryOf({ expiry_month: month, expiry_year: year }: SavedMethod): string {
  return `${String(month).padStart(2, '0')}/${String(year % 100).padStart(2, '0')}`;
}
