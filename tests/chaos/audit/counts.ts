import type { Facts } from './facts.js';
import type { Counts } from './law.js';
import { lateness } from './delivery-laws.js';
import { groupBy } from './index-by.js';
import { percentile } from './percentile.js';

/** Figures without a law. */
export function countsOf(facts: Facts): Counts {
  const {
    acks,
    repeats,
    bought,
    unfinished,
    refused,
    unanswered,
    races,
    office,
    received,
    database,
    faults,
    cuts,
    exits,
    run,
  } = facts;
  const accepted = groupBy(
    received.filter(({ answered }) => answered === 200),
    ({ event }) => event,
  );
  const duplicates = [...accepted.values()].reduce((sum, entries) => sum + entries.length - 1, 0);
  const byStatus = groupBy(races, ({ status }) => status);
  const late = lateness(facts).map(({ lateMs }) => lateMs);
  return {
    'creates acknowledged': acks.length,
    'of them after a refusal or a lost answer': acks.filter(({ tries }) => tries > 1).length,
    'repeats of an acknowledged create': repeats.length,
    'purchases completed / left to their tasks': `${bought.length} / ${unfinished.length}`,
    'intents / provider operations': `${database.intents.length} / ${database.operations.length}`,
    'intents interrupted and tried again': database.intents.filter(({ failure }) => failure === 'error').length,
    'payments over rails / of them paid': `${database.payments.length} / ${database.payments.filter(({ status }) => status === 'succeeded').length}`,
    'trades / of them given back / refused for want of balance': `${database.trades.length} / ${database.trades.filter(({ status }) => status === 'failed').length} / ${office.short.length}`,
    'replays / of them in one request with others': `${total(office.replays)} / ${total(office.replays.filter(({ delivery }) => delivery === null))}`,
    'events / requests at the receivers': `${database.events.length} / ${received.length}`,
    'of them not acknowledged': `${((100 * received.filter(({ answered }) => answered !== 200).length) / Math.max(1, received.length)).toFixed(1)} %`,
    'duplicates (acknowledged more than once)': `${duplicates} (${((100 * duplicates) / Math.max(1, accepted.size)).toFixed(2)} %)`,
    'kills of api / worker / postgres / redis': `${faults.api ?? 0} / ${faults.worker ?? 0} / ${faults.postgres ?? 0} / ${faults.redis ?? 0}`,
    'redis flushes / pauses': `${faults.redis_flush ?? 0} / ${faults.redis_pause ?? 0}`,
    'connections cut at random / after a commit': `${cuts.atRandom} / ${cuts.afterCommit}`,
    'servers that gave up starting without Postgres': exits.filter(
      ({ wasOrdered, wasReady }) => !wasOrdered && !wasReady,
    ).length,
    'answers 503 / 409 / none': `${refused.filter(({ status }) => status === 503).length} / ${refused.filter(({ status }) => status === 409).length} / ${unanswered.length}`,
    'slowest refusal': `${refused.reduce((most, { ms }) => Math.max(most, ms), 0)} ms`,
    'race: 201 / 409 / 422': [201, 409, 422].map((status) => byStatus.get(status)?.length ?? 0).join(' / '),
    'create p50 / p99 (the answering request)': `${percentile(
      acks.map(({ ms }) => ms),
      0.5,
    )} / ${percentile(
      acks.map(({ ms }) => ms),
      0.99,
    )} ms`,
    'create p99 / slowest with all tries': `${percentile(
      acks.map(({ allMs }) => allMs),
      0.99,
    )} / ${percentile(
      acks.map(({ allMs }) => allMs),
      1,
    )} ms`,
    'attempts due while Redis was broken: p99 / latest': `${percentile(late, 0.99)} / ${percentile(late, 1)} ms (${late.length})`,
    'quiet before the audit': `${(run.quietMs / 1000).toFixed(0)} s`,
  };
}

const total = (replays: readonly { readonly times: number }[]): number =>
  replays.reduce((sum, { times }) => sum + times, 0);
