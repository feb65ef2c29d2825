import semver from 'semver';

/**
 * What `npm install` of these workspaces brings with it, by the lock file: dependencies, optional ones, and peers that are not optional,
 * each found as Node would find it. Siblings of the workspace are followed and left out of the answer.
 *
 * @param {{ packages: Record<string, any> }} lock
 * @param {readonly string[]} workspaces the folders to begin with, as the lock names them
 * @returns {Array<{ name: string, path: string, version: string, node: string | null, by: string }>}
 */
export function productionTree(lock, workspaces) {
  const found = new Map();
  const visit = (from) => {
    const entry = lock.packages[from];
    const wanted = { ...entry.dependencies, ...entry.optionalDependencies, ...requiredPeers(entry) };
    for (const name of Object.keys(wanted)) {
      const path = placeOf(lock, from, name);
      if (path === null || found.has(path)) continue;
      const { version, engines, link } = lock.packages[path];
      found.set(path, link ? null : { name, path, version, node: engines?.node ?? null, by: from });
      visit(link ? lock.packages[path].resolved : path);
    }
  };
  workspaces.forEach(visit);
  return [...found.values()].filter((one) => one !== null);
}

function requiredPeers({ peerDependencies = {}, peerDependenciesMeta = {} }) {
  return Object.fromEntries(
    Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true),
  );
}

/** The nearest `node_modules` that holds it, outwards. An optional package of another platform may be in none. */
function placeOf(lock, from, name) {
  for (let dir = from; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/')))) {
    const path = dir === '' ? `node_modules/${name}` : `${dir}/node_modules/${name}`;
    if (path in lock.packages) return path;
    if (dir === '') return null;
  }
}

/**
 * Whether a package that asks for this range of Node, or for none, runs on this one.
 * @param {string | null} range
 * @param {string} version
 */
export const accepts = (range, version) => range === null || semver.satisfies(version, range);
