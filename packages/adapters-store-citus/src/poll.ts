import { MODES } from '@gateramp/core/domain';
import { type Database, type Look, lookFor } from '@gateramp/adapters-store-postgres/distribution';

/** The poll of `pollingScheduler`. All shards are asked: one statement each, and for the consumers together. */
export function pollOfShards(database: Database, schema: string): () => Promise<Look> {
  const queue = `from "${schema}".delivery_queue where mode = $1 and lease_token is null`;
  const newest = `select id as place ${queue} and lane = 'first' order by due_at desc, id desc limit 1`;
  const heads = [
    `select free_at || id as place from "${schema}".tasks where mode = $1 and free_at is not null order by free_at, id limit 1`,
    `select due_at || id as place ${queue} and lane >= 'consumer:' and lane < 'consumer;' order by due_at, id limit 1`,
  ];
  const places = async (texts: readonly string[]): Promise<string> => {
    const asked = MODES.flatMap((mode) => texts.map((text) => database.query<{ place: string }>(text, [mode])));
    return (await Promise.all(asked))
      .flat()
      .map(({ place }) => place)
      .join(' ');
  };
  return lookFor(async () => ({ newest: await places([newest]), heads: await places(heads) }));
}
