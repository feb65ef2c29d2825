import type { GateRampHandlers } from '@gateramp/sdk-browser';
import { button, byId, element } from './element.js';
import { type OrderList, shortenId } from './order-list.js';
import { placeOrder, type PlacedOrder, type ShopConfig } from './shop-server.js';
import type { Flow } from './situation.js';
import { ordinary, possible, SITUATIONS, type SituationText } from './situations.js';
import { copyable } from './test-values.js';
import type { Show, Shown } from './ways/way.js';
import { SERVER_CODE, WEBHOOK_CODE, type Way } from './ways/ways.js';

/** The panel with the offers and situations of a tab, and the checkout of the latest order. */
export class CheckoutPanel {
  private shown: Shown | null = null;
  /** Increases with every change of the panel, so that a late answer does not replace a newer checkout. */
  private revision = 0;

  constructor(
    private readonly config: ShopConfig & { readonly publishableKey: string },
    private readonly orders: OrderList,
  ) {}

  showWay(way: Way): void {
    this.clear();
    byId('about').textContent = way.about;
    byId('page-code').textContent = way.code;
    byId('server-code').textContent = SERVER_CODE;
    byId('webhook-code').textContent = WEBHOOK_CODE;
    byId('offers').replaceChildren(
      ...way.offers.map(({ label, flow }) => button(label, () => void this.open(way, flow, ordinary(flow)), 'main')),
    );
    const [first] = way.offers;
    byId('situations').replaceChildren(
      ...possible(SITUATIONS, this.config.abilities).map((one) =>
        button(one.label, () => void this.open(way, first?.flow ?? null, one)),
      ),
    );
  }

  private async open(way: Way, flow: Flow | null, situation: SituationText): Promise<void> {
    this.clear();
    const { revision } = this;
    byId('empty').textContent = 'Opening…';
    try {
      const [order, show] = await Promise.all([
        placeOrder({ flow, situation: situation.situation, way: way.id }),
        way.load(),
      ]);
      this.orders.add(order);
      if (revision !== this.revision) return;
      byId('empty').hidden = true;
      showAdvice(situation);
      this.show(show, order);
      byId('use').scrollIntoView({ block: 'start' });
      await this.shown?.ready;
    } catch (error) {
      if (revision === this.revision) this.fail(error);
    }
  }

  private show(show: Show, { client_secret: clientSecret, session_id: sessionId, flow }: PlacedOrder): void {
    const { publishableKey, apiBaseUrl, iframeUrl } = this.config;
    const { revision } = this;
    const close = (): void => {
      if (revision === this.revision) this.clear();
    };
    const handlers = reportTo(this.orders, sessionId, close);
    this.shown = show({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, flow, handlers });
  }

  private fail(error: unknown): void {
    this.clear();
    byId('trouble').textContent = error instanceof Error ? error.message : String(error);
  }

  private clear(): void {
    this.revision += 1;
    this.shown?.leave();
    this.shown = null;
    byId('trouble').textContent = '';
    byId('use').replaceChildren();
    const empty = byId('empty');
    empty.hidden = false;
    empty.textContent = 'The checkout opens here.';
  }
}

/** Shows every callback of the checkout in the list of orders. Callbacks are for display; goods are granted on signed webhooks only. */
function reportTo(orders: OrderList, sessionId: string, close: () => void): GateRampHandlers {
  return {
    onReady: () => orders.report(sessionId, { text: 'Checkout is open', kind: 'note' }),
    onSuccess: ({ txId }) => orders.report(sessionId, { text: 'Finished', detail: shortenId(txId), kind: 'finished' }),
    onError: ({ code }) => orders.report(sessionId, { text: 'Failed', detail: code, kind: 'note' }),
    onClose: ({ reason }) => {
      orders.report(sessionId, { text: 'Closed', detail: reason, kind: 'note' });
      // With any other reason the checkout shows its own message, which stays readable.
      if (reason === 'user_close') close();
    },
    onUnavailable: ({ reason }) => orders.report(sessionId, { text: 'Unavailable', detail: reason, kind: 'trouble' }),
  };
}

function showAdvice({ advice, use }: SituationText): void {
  byId('use').replaceChildren(element('p', {}, advice), ...use.map((value) => copyable(value)));
}
