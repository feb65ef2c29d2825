import assert from 'node:assert/strict';
import type { Provider, RefundingProvider, RefundOrder, StartOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** How the laws get at a provider adapter, and at the connection between it and its rails. */
export interface ProviderOutageSubject {
  create(): Promise<ProviderOutageOnTrial>;
}

/** An adapter whose rails can be cut off. */
export interface ProviderOutageOnTrial extends Cuts {
  readonly provider: Provider;
  /** A start that the rails would accept, of an operation they have not seen. */
  readonly order: () => StartOrder;
}

/** How the laws get at a provider adapter that refunds, and at the connection between it and its rails. */
export interface RefundOutageSubject {
  create(): Promise<RefundOutageOnTrial>;
}

/** An adapter that refunds, whose rails can be cut off. */
export interface RefundOutageOnTrial extends Cuts {
  readonly provider: Pick<RefundingProvider, 'refund' | 'lookupRefund'>;
  /** A refund that the rails would make, and have not seen. */
  readonly order: () => RefundOrder;
}

/** What happens to the connection. */
interface Cuts {
  /** From now on the rails refuse connections, so that nothing is sent. */
  readonly refuseConnections: () => Promise<void>;
  /** From now on calls arrive and are carried out, and the connection breaks before they are answered. */
  readonly loseAnswers: () => Promise<void>;
  /** Everything works again. */
  readonly recover: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a provider adapter promises about rails that cannot be reached. */
export const providerOutageLaws: readonly Law<ProviderOutageSubject>[] = lawsOnTrial<ProviderOutageOnTrial>(
  'Provider outages',
  {
    async 'answers not_sent to a start whose connection is refused, and the rails never see the operation'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.refuseConnections();
      const answer = await provider.start(order);
      assert.ok('kind' in answer, 'start must answer not_sent');
      assert.equal(answer.kind, 'not_sent');
      await trial.recover();
      assert.equal(await provider.lookup(order), null);
    },

    async 'throws, and never answers not_sent, when a start may have arrived'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.loseAnswers();
      await assert.rejects(async () => provider.start(order));
      await trial.recover();
      assert.notEqual(await provider.lookup(order), null);
    },

    async 'throws at lookup and cancel while the rails cannot be reached, so that nothing is taken for unknown or closed'(
      trial,
    ) {
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

/** What a provider adapter that refunds promises about rails that cannot be reached. */
export const refundOutageLaws: readonly Law<RefundOutageSubject>[] = lawsOnTrial<RefundOutageOnTrial>(
  'Outages of a provider that refunds',
  {
    async 'answers not_sent to a refund whose connection is refused, and the rails never see it'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.refuseConnections();
      assert.equal((await provider.refund(order)).kind, 'not_sent');
      await trial.recover();
      assert.equal(await provider.lookupRefund(order), null);
    },

    async 'throws, and never answers not_sent, when a refund may have arrived'(trial) {
      const { provider } = trial;
      const order = trial.order();
      await trial.loseAnswers();
      await assert.rejects(async () => provider.refund(order));
      await trial.recover();
      assert.notEqual(await provider.lookupRefund(order), null);
    },

    async 'throws when a refund is looked up while the rails cannot be reached, so that it is not taken for unknown'(
      trial,
    ) {
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
