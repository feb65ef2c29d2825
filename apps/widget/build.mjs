import { buildPage } from '../../design/build-page.mjs';

const web = `${import.meta.dirname}/src/web`;

// One file for the first step, since fewer files compress better.
const output = { codeSplitting: { groups: [{ name: 'checkout', tags: ['$initial'] }] } };

/** The preview is built separately, so that buyers do not load it. */
for (const [input, folder] of [
  ['index.html', 'page'],
  ['preview.html', 'preview'],
])
  await buildPage(web, `${import.meta.dirname}/dist/${folder}`, { input: `${web}/${input}`, output });
