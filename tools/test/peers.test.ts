import { expect, it } from 'vitest';

import { workspacesInOrder } from '../lib/workspaces.mjs';
import { peersBehind } from '../peers.mjs';

const LATEST: Readonly<Record<string, string>> = { ioredis: '6.0.0', pg: '8.23.1' };
const latestOf = async (name: string): Promise<string> => LATEST[name] ?? '';

it('npm run peers lists each peer that does not accept the latest release', async () => {
  const manifests = [
    { name: 'queue', peerDependencies: { ioredis: '^5.0.0' } },
    { name: 'limits', peerDependencies: { ioredis: '^5.0.0 || ^6.0.0' } },
    { name: 'store', peerDependencies: { pg: '^8.16.0' } },
    { name: 'core' },
  ];
  expect(await peersBehind(manifests, latestOf)).toEqual(['queue accepts ioredis ^5.0.0, but the latest is 6.0.0.']);
});

it('the adapters on Redis accept the major that is aliased for their tests', async () => {
  const adapters = workspacesInOrder()
    .map(
      ({ manifest }) =>
        manifest as {
          readonly name: string;
          readonly peerDependencies?: Readonly<Record<string, string>>;
          readonly devDependencies?: Readonly<Record<string, string>>;
        },
    )
    .filter(({ peerDependencies }) => peerDependencies?.['ioredis'] !== undefined);
  expect(adapters).toHaveLength(2);
  for (const one of adapters) {
    const aliased = one.devDependencies?.['ioredis-6']?.replace('npm:ioredis@', '') ?? '';
    expect(
      await peersBehind(
        [{ name: one.name, peerDependencies: { ioredis: one.peerDependencies?.['ioredis'] ?? '' } }],
        async () => aliased,
      ),
    ).toEqual([]);
  }
});
