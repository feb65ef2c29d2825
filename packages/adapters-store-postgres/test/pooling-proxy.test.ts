import { describeLaws, storeLaws } from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { migrate, migrations } from '../src/index.js';
import { aSchemaName, postgresSubject } from './postgres-subject.js';
import { throughProxies } from './through-proxies.js';

throughProxies((pool) => {
  it('shares few server connections among many clients', async () => {
    const pids = await Promise.all(
      Array.from({ length: 24 }, () => pool().query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.01)')),
    );
    expect(new Set(pids.map(({ rows }) => rows[0]?.pid)).size).toBeLessThanOrEqual(2);
  });

  it('migrates once however many start at once', async () => {
    const schema = aSchemaName();
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(pool(), { schema })));
    expect(ran.flat()).toHaveLength(migrations(schema).length);
  });

  const contended = /races|claiming|histories/;
  const laws = storeLaws.filter(({ topic }) => contended.test(topic));
  describeLaws(laws, { ...postgresSubject(pool), model: { runs: 3 } }, { describe, it });
});
