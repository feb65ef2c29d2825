import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import {
  describeLaws,
  providerOutageLaws,
  refundOutageLaws,
  rows,
  type ProviderOutageOnTrial,
  type RefundOutageOnTrial,
} from '@gateramp/conformance';
import { MINUTE, type RefundOutcome } from '@gateramp/core/domain';
import type {
  NotSent,
  ProviderAnswer,
  RefundAnswer,
  RefundingProvider,
  RefundOrder,
  StartOrder,
} from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';

type Called = 'start' | 'lookup' | 'cancel' | 'refund' | 'lookupRefund';

/** The conclusion from a failed call, which is the subject of these laws. */
type OnFailure = (error: unknown) => NotSent;

/** A refused connection is the only failure after which nothing can have been sent. */
const onFailure: OnFailure = (error) => {
  const cause = error instanceof Error ? error.cause : null;
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')
    return { kind: 'not_sent', retryable: true, reason: 'connection refused' };
  throw error;
};

interface RailsOverHttp extends ProviderOutageOnTrial {
  readonly provider: RefundingProvider;
}

/** The sandbox behind HTTP, like an external provider: an adapter with a connection that can fail. */
async function railsOverHttp(toStart: OnFailure = onFailure): Promise<RailsOverHttp> {
  const sandbox = sandboxProvider();
  let isLossy = false;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const order = JSON.parse(Buffer.concat(chunks).toString()) as StartOrder & RefundOrder;
      const answer = await sandbox[request.url?.slice(1) as Called](order);
      if (isLossy) response.destroy();
      else response.end(JSON.stringify(answer));
    })();
  });
  const port = await listen(server, 0);
  const call = async <Answer>(name: Called, order: unknown): Promise<Answer> => {
    const init = { method: 'POST', body: JSON.stringify(order), headers: { connection: 'close' } };
    // The sandbox's answer, as JSON.
    return (await (await fetch(`http://127.0.0.1:${port}/${name}`, init)).json()) as Answer;
  };
  const provider: RefundingProvider = {
    ...sandbox,
    start: (order) => call<ProviderAnswer>('start', order).catch(toStart),
    lookup: (order) => call<ProviderAnswer | null>('lookup', order),
    cancel: (order) => call<ProviderAnswer>('cancel', order),
    refund: (order) => call<RefundAnswer>('refund', order).catch(toStart),
    lookupRefund: (order) => call<RefundOutcome | null>('lookupRefund', order),
  };
  let operations = 0;
  return {
    provider,
    order: () => startOrder(`op_${(operations += 1)}`),
    refuseConnections: () => shut(server),
    loseAnswers: async () => void (isLossy = true),
    recover: async () => {
      isLossy = false;
      if (!server.listening) await listen(server, port);
    },
    close: () => (server.listening ? shut(server) : Promise.resolve()),
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function shut(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** The same, with a settled card payment. */
async function refundsOverHttp(toStart?: OnFailure): Promise<RefundOutageOnTrial> {
  const rails = await railsOverHttp(toStart);
  const order = rails.order();
  const { operationId, mode, now, intent } = order;
  await rails.provider.start({
    ...order,
    intent: { ...intent, paymentMethod: 'card' },
    paymentDetails: { cardNumber: '4242424242424242', expiry: '12/99', cvc: '123' },
  });
  const refund = { operationId, mode, now: now + MINUTE, amount: '1.00', currency: 'EUR', reason: null };
  return { ...rails, order: () => ({ ...refund, refundId: 'refund_1' }) };
}

function startOrder(operationId: string): StartOrder {
  const { intent } = rows.aPurchase(rows.aSession().session, rows.T0);
  return {
    operationId,
    mode: 'test',
    now: intent.createdAt,
    intent: { ...intent, operationId, paymentMethod: 'bank_transfer' },
    rails: null,
    kycPreVerified: false,
    returnUrl: null,
    paymentDetails: null,
    payoutDetails: null,
  };
}

describeLaws(providerOutageLaws, { create: () => railsOverHttp() }, { describe, it });
describeLaws(refundOutageLaws, { create: () => refundsOverHttp() }, { describe, it });

describe('the laws of provider outages catch', () => {
  it.each<[string, OnFailure]>([
    ['an adapter that calls every failure not_sent', () => ({ kind: 'not_sent', retryable: true, reason: 'failed' })],
    [
      'an adapter that never answers not_sent',
      (error) => {
        throw error;
      },
    ],
  ])('%s', async (_, toStart) => {
    const broken: string[] = [];
    for (const law of providerOutageLaws)
      await law.run({ create: () => railsOverHttp(toStart) }).catch(() => broken.push(law.title));
    expect(broken).toHaveLength(1);
    for (const law of refundOutageLaws)
      await law.run({ create: () => refundsOverHttp(toStart) }).catch(() => broken.push(law.title));
    expect(broken).toHaveLength(2);
  });
});
