import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { build } from 'esbuild';
import { fastify } from 'fastify';

const here = import.meta.dirname;
const dir = `${here}/dist/page`;
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });

/** Writes a file under a name with its content hash, compressed at build time: compressing 4 MB at every start would take a second. */
function write(name, text) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const file = name.replace('.', `-${hash}.`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 };
  writeFileSync(`${dir}/${file}`, text);
  writeFileSync(`${dir}/${file}.br`, brotliCompressSync(text, { params }));
  writeFileSync(`${dir}/${file}.gz`, gzipSync(text, { level: 9 }));
  return file;
}

/** Scalar's standalone bundle, as served by its own plugin. */
async function scalarBundle() {
  const app = fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } });
  const { statusCode, body } = await app.inject('/docs/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin does not serve its bundle: ${statusCode}`);
  return body;
}

async function bundled(entry) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const scalarFile = write('scalar.js', await scalarBundle());
const script = write('reference.js', await bundled('page/reference.ts'));
const style = write('reference.css', await bundled('page/reference.css'));
writeFileSync(`${dir}/files.json`, JSON.stringify({ scalar: scalarFile, script, style }));
