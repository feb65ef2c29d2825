import { satisfies } from 'semver';

import { npm } from './lib/npm.mjs';
import { isMain, reportAndExit } from './lib/steps.mjs';
import { root, workspacesInOrder } from './lib/workspaces.mjs';

/**
 * The peer dependencies of packages that do not accept the release that `npm install` gives their user.
 *
 * @param {ReadonlyArray<{ name: string, peerDependencies?: Readonly<Record<string, string>> }>} manifests
 * @param {(name: string) => Promise<string>} latestOf the version that the registry tags as latest
 * @returns {Promise<string[]>}
 */
export async function peersBehind(manifests, latestOf) {
  const peers = manifests.flatMap(({ name, peerDependencies = {} }) =>
    Object.entries(peerDependencies).map(([peer, range]) => ({ name, peer, range })),
  );
  const latest = new Map();
  for (const peer of new Set(peers.map((one) => one.peer))) latest.set(peer, await latestOf(peer));
  return peers
    .filter(({ peer, range }) => !satisfies(latest.get(peer), range))
    .map(({ name, peer, range }) => `${name} accepts ${peer} ${range}, but the latest is ${latest.get(peer)}.`);
}

async function report() {
  const manifests = workspacesInOrder().map(({ manifest }) => manifest);
  const behind = await peersBehind(manifests, async (name) => (await npm(['view', name, 'version'], root)).trim());
  process.stdout.write(behind.map((line) => `${line}\n`).join(''));
  if (behind.length > 0) process.exitCode = 1;
}

if (isMain(import.meta.url)) await report().catch(reportAndExit);
