import type { GateRampHandlers } from '@gateramp/sdk-browser';
import { button, byId, element } from './element.js';
import { shortOf, type Rail } from './rail.js';
import { placeOrder, type PlacedOrder, type ShopConfig } from './shop-server.js';
import type { Flow } from './situation.js';
import { ordinary, possible, SITUATIONS, type SituationText } from './situations.js';
import { copyable } from './test-values.js';
import type { Show, Shown } from './ways/way.js';
import { SERVER_CODE, WEBHOOK_CODE, type Way } from './ways/ways.js';

/** The left side: what is offered, and the checkout of the order that was opened last. */
export class CheckoutPanel {
  private shown: Shown | null = null;
  /** Counts what was opened, so that an answer that comes late is not shown over a newer one. */
  private turn = 0;

  constructor(
    private readonly config: ShopConfig & { readonly publishableKey: string },
    private readonly rail: Rail,
  ) {}

  turnTo(way: Way): void {
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
    const turn = this.turn;
    byId('empty').textContent = 'Opening…';
    try {
      const [order, show] = await Promise.all([
        placeOrder({ flow, situation: situation.situation, way: way.id }),
        way.load(),
      ]);
      this.rail.order(order);
      if (turn !== this.turn) return;
      byId('empty').hidden = true;
      showUse(situation);
      this.show(show, order);
      byId('use').scrollIntoView({ block: 'start' });
      await this.shown?.ready;
    } catch (error) {
      if (turn === this.turn) this.fail(error);
    }
  }

  private show(show: Show, { client_secret: clientSecret, session_id: sessionId, flow }: PlacedOrder): void {
    const { publishableKey, apiBaseUrl, iframeUrl } = this.config;
    const turn = this.turn;
    const close = (): void => {
      if (turn === this.turn) this.clear();
    };
    const handlers = saying(this.rail, sessionId, close);
    this.shown = show({ publishableKey, clientSecret, apiBaseUrl, iframeUrl, flow, handlers });
  }

  private fail(error: unknown): void {
    this.clear();
    byId('trouble').textContent = error instanceof Error ? error.message : String(error);
  }

  private clear(): void {
    this.turn += 1;
    this.shown?.leave();
    this.shown = null;
    byId('trouble').textContent = '';
    byId('use').replaceChildren();
    const empty = byId('empty');
    empty.hidden = false;
    empty.textContent = 'The checkout opens here.';
  }
}

/** Every callback that a page gets from its checkout, shown on the rail: good for what is shown, never for what is granted. */
function saying(rail: Rail, sessionId: string, close: () => void): GateRampHandlers {
  return {
    onReady: () => rail.said(sessionId, { text: 'Checkout is open', kind: 'note' }),
    onSuccess: ({ txId }) => rail.said(sessionId, { text: 'Finished', detail: shortOf(txId), kind: 'finished' }),
    onError: ({ code }) => rail.said(sessionId, { text: 'Failed', detail: code, kind: 'note' }),
    onClose: ({ reason }) => {
      rail.said(sessionId, { text: 'Closed', detail: reason, kind: 'note' });
      // A checkout that ends for another reason says so to its buyer, and stays to be read.
      if (reason === 'user_close') close();
    },
    onUnavailable: ({ reason }) => rail.said(sessionId, { text: 'Unavailable', detail: reason, kind: 'trouble' }),
  };
}

function showUse({ advice, use }: SituationText): void {
  byId('use').replaceChildren(element('p', {}, advice), ...use.map((value) => copyable(value)));
}
