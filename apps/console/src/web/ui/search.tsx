import { useEffect, useRef } from 'preact/hooks';
import type { Found } from '../wire/types.js';
import { hrefOf, type PageName, type Query } from '../app/route.js';
import { isOperator, namedScopeOf } from '../app/app.js';
import type { Messages } from '../i18n/en.js';
import { useUi, type UiAtHand } from './context.js';
import { Icon } from './icons.js';
import { refusalText } from './parts.js';

/** The page of an object by its type; the inspector shows those without a page of their own. */
const PAGES: Readonly<Record<string, PageName>> = {
  session: 'session',
  gate_session: 'session',
  transaction: 'transaction',
  event: 'event',
  delivery: 'delivery',
  webhook_delivery: 'delivery',
  partner: 'partner',
};

export const pageOfType = (type: string): PageName => PAGES[type] ?? 'object';

/** The address of a found object, in its own partner and mode for operators. Approvals have one page, which begins with the found one. */
export function hrefOfFound({ app, to }: UiAtHand, { type, id, partner_id: partner, mode }: Found): string {
  const scope = namedScopeOf(app);
  const isElsewhere = scope !== null && typeof partner === 'string' && (mode === 'test' || mode === 'live');
  const at = (name: PageName, of: string | null, query: Query = {}): string =>
    isElsewhere ? hrefOf({ partner, mode }, name, of, query) : to(name, of, query);
  if (type === 'key') return at('keys', null);
  return type === 'approval' ? at('approvals', null, { id }) : at(pageOfType(type), id);
}

/** The type of a found object, in the language of the page. */
export const typeOf = ({ type }: Pick<Found, 'type'>, { found }: Pick<Messages, 'found'>): string =>
  found.types[type] ?? type.replaceAll('_', ' ');

/** What a found object is, in the language of the page where the console has a text for it. */
export function labelOf({ label, of, transfer }: Found, t: Pick<Messages, 'found' | 'legs' | 'status'>): string | null {
  if (transfer !== undefined) return t.legs.transfers[transfer] ?? transfer;
  if (of !== undefined) return t.found.of(of);
  return label === null ? null : (t.status[label] ?? label);
}

/** The partner and mode of a found object, for operators. */
function placeOf({ type, partner_id: id, mode }: Found, { app, t }: UiAtHand): string | null {
  if (!isOperator(app) || app.door.at !== 'inside' || type === 'partner') return null;
  const partner = app.door.me.partners.find((one) => one.id === id)?.name ?? id ?? null;
  return [partner, mode === null || mode === undefined ? null : t.modes[mode]].filter(Boolean).join(' · ');
}

/** One field for any id, hash or request id. `/` focuses it; Enter opens the first result, even if it has not arrived yet. */
export function SearchBox() {
  const ui = useUi();
  const { app, t, send } = ui;
  const { text, isOpen, found, isPartial } = app.search;
  const first = found?.at === 'ready' ? found.value[0] : undefined;
  const close = (): void => send({ type: 'closed_search' });
  /** The text for which Enter was pressed before its results were there. */
  const awaited = useRef<string | null>(null);
  const open = (one: Found): void => {
    awaited.current = null;
    location.hash = hrefOfFound(ui, one);
  };
  useEffect(() => {
    if (first !== undefined && awaited.current === text) open(first);
  }, [first]);
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (first !== undefined) open(first);
        else awaited.current = found?.at === 'loading' ? text : null;
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) close();
      }}
    >
      <Icon name="search" />
      <input
        id="search"
        type="search"
        dir="auto"
        placeholder={t.search}
        aria-label={t.search}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => send({ type: 'searched', text: currentTarget.value })}
      />
      <kbd aria-hidden="true">/</kbd>
      {isOpen && text !== '' && (
        <div class="found">
          <p class="fine quiet" role="status">
            {found === null && t.searchHint}
            {found?.at === 'loading' && t.loading}
            {found?.at === 'refused' && refusalText(found.refusal, t)}
            {found?.at === 'ready' && (found.value.length === 0 ? t.searchNone : t.results(found.value.length))}
            {found?.at === 'ready' && isPartial === true && ` ${t.searchPartial}`}
          </p>
          {found?.at === 'ready' && (
            <ul>
              {found.value.map((one) => (
                <li key={`${one.type} ${one.id} ${one.transfer}`}>
                  <a href={hrefOfFound(ui, one)}>
                    <span class="badge badge-plain">{typeOf(one, t)}</span>
                    <code>{one.id}</code>
                    <bdi class="quiet">{labelOf(one, t)}</bdi>
                    <bdi class="quiet">{placeOf(one, ui)}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </form>
  );
}
