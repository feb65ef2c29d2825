import { buildPage } from '../../design/build-page.mjs';

const here = import.meta.dirname;

await buildPage(`${here}/src/web`, `${here}/dist/page`);
