import { CheckoutPanel } from './checkout-panel.js';
import { byId, element } from './element.js';
import { OrderList } from './order-list.js';
import { findOrder, subscribeToWebhooks, readConfig, type Order } from './shop-server.js';
import { possible, TEST_VALUES, type TestValue } from './situations.js';
import { tabs } from './tabs.js';
import { copyable } from './test-values.js';
import { WAYS } from './ways/ways.js';

const orders = new OrderList();

subscribeToWebhooks({
  webhook: (webhook) => orders.webhook(webhook),
  state: (state) => {
    byId('stream').textContent = state === 'open' ? '' : 'The shop’s server does not answer; trying again…';
  },
});

function valueRow(one: TestValue): readonly HTMLElement[] {
  return [element('dt', {}, `${one.name}: ${one.note}`), element('dd', {}, copyable(one))];
}

async function start(): Promise<void> {
  const { publishableKey, ...addresses } = await readConfig();
  if (publishableKey === null) {
    for (const part of ['lead', 'shop']) byId(part).hidden = true;
    byId('closed').hidden = false;
    return;
  }
  const values = possible(TEST_VALUES, addresses.abilities);
  byId('test-data').replaceChildren(...values.flatMap(valueRow));
  const panel = new CheckoutPanel({ publishableKey, ...addresses }, orders);
  const strip = tabs(WAYS, (way) => panel.showWay(way));
  const orderId = new URLSearchParams(location.search).get('order');
  strip.choose(WAYS[0]);
  if (orderId === null) return;
  const order = await findOrder(orderId);
  strip.choose(WAYS.find(({ id }) => id === order.way) ?? WAYS[0]);
  welcomeBack(order);
}

/** Shows an order on the return or cancel page. A visit proves nothing, because anyone can type the address. */
function welcomeBack(order: Order): void {
  orders.add(order);
  const isBack = location.pathname === '/return';
  orders.report(
    order.session_id,
    isBack ? { text: 'Came back to /return', kind: 'finished' } : { text: 'Came back to /cancel', kind: 'note' },
  );
  byId('empty').textContent = isBack
    ? 'Welcome back. Your order is confirmed as soon as the signed webhook is here.'
    : 'You came back without paying. If you have cancelled the order, the signed webhook says so.';
}

start().catch((error: unknown) => {
  byId('trouble').textContent = error instanceof Error ? error.message : String(error);
});
