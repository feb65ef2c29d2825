import semver from 'semver';

/**
 * The packages that `npm install` of these workspaces installs, by the lock file: dependencies, optional ones, and required peers, each
 * resolved like Node does. Siblings in the workspace are followed but not included.
 *
 * @param {{ packages: Record<string, any> }} lock
 * @param {readonly string[]} workspaces the folders to start from, as named in the lock file
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

/** The nearest `node_modules` that contains it, going up. An optional package for another platform may be missing. */
function placeOf(lock, from, name) {
  for (let dir = from; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/')))) {
    const path = dir === '' ? `node_modules/${name}` : `${dir}/node_modules/${name}`;
    if (path in lock.packages) return path;
    if (dir === '') return null;
  }
}

/**
 * Whether a package that requires this range of Node, or none, runs on this version.
 * @param {string | null} range
 * @param {string} version
 */
export const accepts = (range, version) => range === null || semver.satisfies(version, range);
