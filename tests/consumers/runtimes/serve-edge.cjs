const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');

/** Serves a script in the runtime that edge functions are developed in: `node serve-edge.cjs <folder of edge-runtime> <script>`. */
const [folder, script] = process.argv.slice(2);
const { EdgeRuntime, runServer } = createRequire(`${folder}/package.json`)('edge-runtime');
const world = JSON.parse(process.env.SHOP);
const runtime = new EdgeRuntime({
  extend: (context) => Object.assign(context, { SHOP: world }),
  initialCode: readFileSync(script, 'utf8'),
});
runServer({ runtime, host: '127.0.0.1', port: world.port }).then(() => console.log('open'));
