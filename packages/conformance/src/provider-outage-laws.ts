import assert from 'node:assert/strict';
import type { Provider, RefundingProvider, RefundOrder, StartOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The provider adapter under test, and the connection to its backend. */
export interface ProviderOutageSubject {
  create(): Promise<ProviderOutageOnTrial>;
}

/** An adapter whose backend can be disconnected. */
export interface ProviderOutageOnTrial extends Cuts {
  readonly provider: Provider;
  /** A start that the backend would accept, of a new operation. */
  readonly order: () => StartOrder;
}

/** The provider adapter under test, for refunds during outages. */
export interface RefundOutageSubject {
  create(): Promise<RefundOutageOnTrial>;
}

/** An adapter that refunds, whose backend can be disconnected. */
export interface RefundOutageOnTrial extends Cuts {
  readonly provider: Pick<RefundingProvider, 'refund' | 'lookupRefund'>;
  /** A new refund that the backend would make. */
  readonly order: () => RefundOrder;
}

/** Failures of the connection. */
interface Cuts {
  /** From now on connections are refused, so that nothing is sent. */
  readonly refuseConnections: () => Promise<void>;
  /** From now on calls are executed, but the connection breaks before they are answered. */
  readonly loseAnswers: () => Promise<void>;
  /** Ends the failure. */
  readonly recover: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The requirements for a provider adapter whose backend is unreachable. */
export const providerOutageLaws: readonly Law<ProviderOutageSubject>[] = lawsOnTrial<ProviderOutageOnTrial>(
  'Provider outages',
  {
    async "returns not_sent for a start whose connection is refused, and the provider's service never sees the operation"(
      trial,
    ) {
      const { provider } = trial;
      const order = trial.order();
      await trial.refuseConnections();
      const answer = await provider.start(order);
      assert.ok('kind' in answer, 'start must answer not_sent');
      assert.equal(answer.kind, 'not_sent');
      await trial.recover();
      assert.equal(await provider.lookup(order), null);
    },

    async 'throws, and never returns not_sent, when a start may have arrived'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.loseAnswers();
      await assert.rejects(async () => provider.start(order));
      await trial.recover();
      assert.notEqual(await provider.lookup(order), null);
    },

    async 'throws at lookup and cancel during an outage, so that no operation counts as unknown or closed'(trial) {
      const { provider } = trial;
      const order = trial.order();
      assert.ok('outcome' in (await provider.start(order)));
      await trial.refuseConnections();
      await assert.rejects(async () => provider.lookup(order));
      await assert.rejects(async () => provider.cancel(order));
      await trial.recover();
      assert.notEqual(await provider.lookup(order), null);
    },
  },
);

/** The requirements for refunds of a provider adapter whose backend is unreachable. */
export const refundOutageLaws: readonly Law<RefundOutageSubject>[] = lawsOnTrial<RefundOutageOnTrial>(
  'Outages of a provider that refunds',
  {
    async "returns not_sent for a refund whose connection is refused, and the provider's service never sees it"(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.refuseConnections();
      assert.equal((await provider.refund(order)).kind, 'not_sent');
      await trial.recover();
      assert.equal(await provider.lookupRefund(order), null);
    },

    async 'throws, and never returns not_sent, when a refund may have arrived'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.loseAnswers();
      await assert.rejects(async () => provider.refund(order));
      await trial.recover();
      assert.notEqual(await provider.lookupRefund(order), null);
    },

    async 'throws at the lookup of a refund during an outage, so that it does not count as unknown'(trial) {
      const { provider } = trial;
      const order = trial.order();
      assert.notEqual((await provider.refund(order)).kind, 'not_sent');
      await trial.refuseConnections();
      await assert.rejects(async () => provider.lookupRefund(order));
      await trial.recover();
      assert.notEqual(await provider.lookupRefund(order), null);
    },
  },
);
