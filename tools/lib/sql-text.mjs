import { readFile } from 'node:fs/promises';

/**
 * The source imports `.sql` files as text, so that every bundle contains them. All tools that read source need support for it: esbuild and
 * tsup by this loader, vite and vitest by the plugin, and Node with TypeScript by `--import tools/lib/sql-in-node.mjs`.
 *
 * @type {{ readonly '.sql': 'text' }}
 */
export const sqlLoader = { '.sql': 'text' };

export const sqlPlugin = {
  name: 'sql-as-text',
  enforce: 'pre',
  /** @param {string} id */
  load: async (id) => (id.endsWith('.sql') ? asModule(id) : null),
};

/** @param {string | URL} file */
export async function asModule(file) {
  return `export default ${JSON.stringify(await readFile(file, 'utf8'))};`;
}
