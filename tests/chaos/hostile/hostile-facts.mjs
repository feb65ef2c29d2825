import { join } from 'node:path';

import { readNdjson } from '../lib/ndjson.mjs';
import { withClient } from '../world.mjs';

/** Everything that was written down about hostile receivers and a healthy one, from whoever wrote it. */
export async function readHostileFacts({ world, form, run }) {
  const notes = readNdjson(join(world.folder, 'hostile-endpoints.ndjson'));
  const healthy = readNdjson(join(world.folder, 'healthy.ndjson'));
  return {
    form,
    run,
    exits: world.exits,
    healthy: world.healthy.id,
    receivers: world.hostile.map(({ id, way, endpoint }) => ({ partner: id, way, endpoint })),
    held: notes.filter(({ kind }) => kind === 'held'),
    ledAstray: notes.filter(({ kind }) => kind === 'led_astray'),
    asked: healthy.filter(({ kind }) => kind === 'asked'),
    arrived: healthy.filter(({ kind }) => kind === 'arrived'),
    ...(await withClient(world, readRows)),
  };
}

async function readRows(client) {
  const { rows: deliveries } = await client.query(
    `select id, partner_id as partner, event_id as event, created_at::float8 as created, status from gateramp.deliveries`,
  );
  const { rows: attempts } = await client.query(
    `select d.partner_id as partner, a.delivery_id as delivery, a.number, (a.row ->> 'startedAt')::float8 as started, (a.row ->> 'durationMs')::float8 as took,
      (a.row ->> 'responseStatus')::int as status, a.row ->> 'error' as error, length(a.row ->> 'responseBody') as kept
    from gateramp.delivery_attempts a join gateramp.deliveries d on d.id = a.delivery_id`,
  );
  return { deliveries, attempts };
}
