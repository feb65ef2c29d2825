import { byId, element } from './element.js';
import type { Order, Webhook } from './shop-server.js';
import { TITLE_OF_EVENT, TITLE_OF_FLOW, type EventType } from './words.js';

const CARDS_MAX = 12;
const OTHERS_MAX = 200;
const OWN_KEY = 'own-sessions';

function readOwnSessions(): readonly string[] {
  const stored: unknown = JSON.parse(sessionStorage.getItem(OWN_KEY) ?? '[]');
  return Array.isArray(stored) ? stored.map(String) : [];
}

/** A report of the browser about an order. It is displayed and proves nothing. */
export interface BrowserReport {
  readonly text: string;
  /** A reference or a code. */
  readonly detail?: string | null;
  /** `finished` is shown in grey: it looks like success and proves none. */
  readonly kind: 'note' | 'finished' | 'trouble';
}

interface Card {
  readonly item: HTMLLIElement;
  readonly head: HTMLElement;
  readonly browser: Lane;
  readonly webhooks: Lane;
  readonly seen: Set<string>;
}

interface Lane {
  readonly state: HTMLElement;
  readonly list: HTMLElement;
}

/** The orders of this tab. Each shows the reports of the browser next to the signed webhooks of its session. */
export class OrderList {
  private readonly cards = new Map<string, Card>();
  /** Sessions of this tab, which survive a visit to the full page. */
  private readonly own = new Set(readOwnSessions());
  /** Webhooks of other sessions. A webhook may arrive before the response that names its order. */
  private others: readonly Webhook[] = [];
  private readonly list = byId('orders');
  private readonly empty = byId('no-orders');

  add({ session_id: sessionId, flow, amount, currency }: Order): void {
    this.own.add(sessionId);
    sessionStorage.setItem(OWN_KEY, JSON.stringify([...this.own].slice(-CARDS_MAX)));
    const early = this.others.filter((webhook) => webhook.session_id === sessionId);
    this.others = this.others.filter((webhook) => webhook.session_id !== sessionId);
    for (const webhook of early) this.webhook(webhook);
    setHead(this.card(sessionId), flow, `${amount} ${currency}`, sessionId);
  }

  report(sessionId: string, { text, detail = null, kind }: BrowserReport): void {
    const { browser } = this.card(sessionId);
    browser.list.append(line(kind, text, detail));
    if (kind === 'note') return;
    browser.state.className = `state ${kind}`;
    browser.state.textContent = kind === 'finished' ? 'finished' : 'unavailable';
  }

  webhook(webhook: Webhook): void {
    const { id, session_id: sessionId, type } = webhook;
    if (sessionId === null) return;
    if (!this.own.has(sessionId)) {
      this.others = [...this.others, webhook].slice(-OTHERS_MAX);
      return;
    }
    const card = this.card(sessionId);
    // The stream repeats all webhooks after a reconnect.
    const mark = `${id ?? ''} ${webhook.received_at}`;
    if (card.seen.has(mark)) return;
    card.seen.add(mark);
    if (card.head.textContent === '' && webhook.amount !== null)
      setHead(card, webhook.flow, `${webhook.amount} ${webhook.currency ?? ''}`, sessionId);
    const { list, state } = card.webhooks;
    list.append(lineOf(webhook));
    if (!webhook.verified) return;
    const ended = ENDS[type ?? ''];
    if (ended === undefined) return;
    state.className = `state ${ended}`;
    state.textContent = ended;
    // After a payment the browser still reports; after a cancel or expiry it does not.
    const { browser } = card;
    if (ended !== 'settled' && browser.state.textContent === WAITING) browser.state.textContent = 'closed';
  }

  private card(sessionId: string): Card {
    const known = this.cards.get(sessionId);
    if (known !== undefined) return known;
    const card = newCard();
    this.cards.set(sessionId, card);
    this.list.prepend(card.item);
    this.empty.hidden = true;
    for (const [oldest, { item }] of this.cards) {
      if (this.cards.size <= CARDS_MAX) break;
      item.remove();
      this.cards.delete(oldest);
    }
    return card;
  }
}

const WAITING = 'waiting';

/** Events that end an order, with the state to show. */
const ENDS: Readonly<Record<string, string>> = {
  'gate_session.completed': 'settled',
  'gate_session.cancelled': 'cancelled',
  'gate_session.expired': 'expired',
} satisfies Partial<Record<EventType, string>>;

function newCard(): Card {
  const head = element('h3');
  const browser = newLane();
  const webhooks = newLane();
  const item = element(
    'li',
    { class: 'order' },
    head,
    element(
      'div',
      { class: 'lanes' },
      element('section', { class: 'lane' }, element('h4', {}, 'The browser'), browser.state, browser.list),
      element('section', { class: 'lane' }, element('h4', {}, 'Signed webhook'), webhooks.state, webhooks.list),
    ),
  );
  return { item, head, browser, webhooks, seen: new Set() };
}

function newLane(): Lane {
  return { state: element('p', { class: 'state' }, WAITING), list: element('ul') };
}

function setHead({ head }: Card, flow: string | null, money: string, sessionId: string): void {
  head.replaceChildren(
    element('span', {}, `${TITLE_OF_FLOW[flow ?? ''] ?? 'Order'} · ${money}`),
    element('code', { title: sessionId }, `…${sessionId.slice(-6)}`),
  );
}

/** The start and end of an id, enough to tell two apart. */
export function shortenId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-5)}`;
}

const FAILED: EventType = 'gate_session.failed';

function lineOf({ type, tx_refid: refid, failure_code: failure, verified, problem }: Webhook): HTMLLIElement {
  if (!verified) return line('trouble', 'Rejected', problem ?? 'unsigned');
  const kind = type === FAILED ? 'verified failed' : 'verified';
  return line(kind, TITLE_OF_EVENT[type ?? ''] ?? type ?? 'event', refid === null ? failure : shortenId(refid));
}

function line(kind: string, title: string, detail: string | null): HTMLLIElement {
  return element('li', { class: kind }, title, ...(detail === null ? [] : [' ', element('code', {}, detail)]));
}
