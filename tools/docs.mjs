import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import ts from 'typescript';

import { slugOf } from './lib/slug.mjs';
import { isMain } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/**
 * Checks the documentation: its TypeScript compiles against the source, its links resolve, and the files it names exist.
 *
 * A ```ts block is a separate module. A comment on the line above it changes that: `<!-- context: express -->` provides the exports of
 * `tools/docs-context/express.ts`, and `<!-- file: tests/consumers/shop/gate.ts -->` requires that it equals that file, which is itself
 * checked elsewhere. `<!-- continues -->` continues the module of the previous block.
 *
 * @param {Array<{ path: string, text: string }>} documents
 * @returns {Array<{ path: string, line: number, complaint: string }>}
 */
export function faultsIn(documents) {
  return [
    ...documents.flatMap(linkFaults),
    ...documents.flatMap(pathFaults),
    ...documents.flatMap(copyFaults),
    ...codeFaults(documents),
  ];
}

/** @returns {Array<{ path: string, text: string }>} */
export function documentsOf(dir) {
  const folders = ['packages', 'sdks', 'apps', 'examples'].flatMap((parent) =>
    namesIn(join(dir, parent)).map((name) => `${parent}/${name}/README.md`),
  );
  const docs = namesIn(join(dir, 'docs'), { recursive: true }).map((name) => `docs/${name.replaceAll('\\', '/')}`);
  return ['README.md', 'CONTRIBUTING.md', ...docs.filter((path) => path.endsWith('.md')), ...folders]
    .filter((path) => existsSync(join(dir, path)))
    .map((path) => ({ path, text: readFileSync(join(dir, path), 'utf8') }));
}

const namesIn = (dir, options = {}) => (existsSync(dir) ? readdirSync(dir, options).sort() : []);

/**
 * Fenced blocks with the number of their first line of code, starting from one.
 *
 * @param {{ text: string }} document
 */
export function blocksOf({ text }) {
  const blocks = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^```(\w*)/.exec(lines[at]);
    if (fence === null) continue;
    const end = lines.indexOf('```', at + 1);
    const marker = /^<!-- (context|file|continues)(?:: (\S+))? -->$/.exec(lines[at - 1] ?? '');
    const closed = end < 0 ? lines.length : end;
    blocks.push({
      language: fence[1],
      code: lines.slice(at + 1, closed).join('\n'),
      line: at + 2,
      marker: marker?.[1] ?? null,
      names: marker?.[2] ?? null,
    });
    at = closed;
  }
  return blocks;
}

/**
 * The TypeScript of a document as modules. A continuing block is appended to its predecessor at its position
 * on the page, so that line numbers match.
 *
 * @param {{ text: string }} document
 */
export function modulesOf(document) {
  const modules = [];
  for (const block of blocksOf(document)) {
    if (block.language !== 'ts' || block.marker === 'file') continue;
    const begun = modules.at(-1);
    if (block.marker !== 'continues' || begun === undefined) modules.push({ ...block });
    else begun.code += '\n'.repeat(block.line - begun.line - begun.code.split('\n').length + 1) + block.code;
  }
  return modules;
}

/** The text with fenced blocks blanked, so that line numbers match. */
function prose({ text }) {
  let fenced = false;
  return text.split('\n').map((line) => {
    if (!line.startsWith('```')) return fenced ? '' : line;
    fenced = !fenced;
    return '';
  });
}

function linkFaults(document) {
  const lines = prose(document);
  const definitions = new Map(
    lines.flatMap((line) =>
      [...line.matchAll(/^\[([^\]]+)\]:\s+(\S+)/g)].map(([, label, target]) => [label.toLowerCase(), target]),
    ),
  );
  return lines.flatMap((line, index) => {
    const text = line.replace(/`[^`]*`/g, '``');
    const inline = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
    const defined = [...text.matchAll(/^\[[^\]]+\]:\s+(\S+)/g)].map(([, target]) => target);
    const labels = [...text.matchAll(/\[([^\]]+)\](?![(:\]])(?:\[\])?/g)].map(([, label]) => label.toLowerCase());
    const missing = [...inline, ...defined]
      .filter((target) => !leadsSomewhere(document, target))
      .map((target) => `the link ${target} leads nowhere`);
    const undefinedLabels = labels
      .filter((label) => !definitions.has(label))
      .map((label) => `[${label}] is not defined`);
    return [...missing, ...undefinedLabels].map((complaint) => ({ path: document.path, line: index + 1, complaint }));
  });
}

function leadsSomewhere({ path: from, text }, target) {
  if (/^(https?|mailto):/.test(target)) return true;
  const [path, anchor] = target.split('#');
  const file = path === '' ? from : posix.join(posix.dirname(from), path);
  if (path !== '' && !existsSync(join(root, file))) return false;
  return (
    anchor === undefined || anchorsIn(path === '' ? text : readFileSync(join(root, file), 'utf8')).includes(anchor)
  );
}

/** The anchors of the headings of a document, as GitHub has them: it numbers repeated ones. */
function anchorsIn(text) {
  const taken = new Map();
  return prose({ text })
    .filter((line) => /^#+ /.test(line))
    .map((line) => {
      const slug = slugOf(line.replace(/^#+ /, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
      let anchor = slug;
      while (taken.has(anchor)) {
        taken.set(slug, taken.get(slug) + 1);
        anchor = `${slug}-${taken.get(slug)}`;
      }
      taken.set(anchor, 0);
      return anchor;
    });
}

/** Files named in `code`: names that begin with a folder of this repository. Names with placeholders are ignored. */
function pathFaults(document) {
  return prose(document).flatMap((line, index) =>
    [...line.matchAll(/`((?:packages|sdks|apps|examples|docs|tools|tests|bench)\/[^`\s]+)`/g)]
      .map(([, path]) => path)
      .filter((path) => !/[<>{}*…]/.test(path) && !existsSync(join(root, path)))
      .map((path) => ({ path: document.path, line: index + 1, complaint: `${path} does not exist` })),
  );
}

function copyFaults(document) {
  return blocksOf(document)
    .filter(({ marker }) => marker === 'file')
    .flatMap(({ names, code, line }) => {
      if (!existsSync(join(root, names))) return [{ path: document.path, line, complaint: `${names} does not exist` }];
      if (readFileSync(join(root, names), 'utf8').trim() === code.trim()) return [];
      return [{ path: document.path, line, complaint: `is not ${names} word for word` }];
    });
}

function codeFaults(documents) {
  const blocks = documents.flatMap((document) =>
    modulesOf(document).map((block) => ({ ...block, path: document.path })),
  );
  const lacking = blocks.filter(({ marker, names }) => marker === 'context' && !existsSync(contextFile(names)));
  const complaints = lacking.map(({ path, line, names }) => ({
    path,
    line,
    complaint: `there is no tools/docs-context/${names}.ts`,
  }));
  const modules = new Map(
    blocks.filter((block) => !lacking.includes(block)).map((block) => [moduleFile(block), block]),
  );
  return [...complaints, ...(modules.size === 0 ? [] : typeFaults(modules))];
}

function typeFaults(modules) {
  const program = compile(
    new Map([...modules].map(([file, block]) => [file, `${headerOf(block)}\n${block.code}\nexport {};\n`])),
  );
  return [...modules].flatMap(([file, { path, line }]) => {
    const source = program.getSourceFile(file);
    return ts.getPreEmitDiagnostics(program, source).map((diagnostic) => {
      const within = ts.getLineAndCharacterOfPosition(source, diagnostic.start ?? 0).line;
      return {
        path,
        line: line + within - 1,
        complaint: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
      };
    });
  });
}

const moduleFile = ({ path, line }) => join(root, 'tools/docs-context', `${path.replaceAll('/', '-')}-${line}.ts`);

const contextFile = (name) => join(root, 'tools/docs-context', `${name}.ts`);

/**
 * Imports the exports of the context that the block does not declare itself.
 *
 * @param {{ marker: string | null, names: string | null, code: string }} block
 * @param {string} [folder] the path from the module to the contexts
 */
export function headerOf({ marker, names, code }, folder = '.') {
  if (marker !== 'context') return '';
  const own = new Set(namesDeclaredIn(code));
  const given = exportsOf(readFileSync(contextFile(names), 'utf8')).filter((name) => !own.has(name));
  return given.length === 0 ? '' : `import { ${given.join(', ')} } from '${folder}/${names}.js';`;
}

const exportsOf = (text) =>
  [...text.matchAll(/^export (?:declare )?(?:const|(?:async )?function|class|interface|type) (\w+)/gm)].map(
    ([, name]) => name,
  );

function namesDeclaredIn(code) {
  const names = [];
  const take = (name) =>
    ts.isIdentifier(name)
      ? names.push(name.text)
      : name.elements.forEach((one) => ts.isBindingElement(one) && take(one.name));
  for (const statement of ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest).statements) {
    if (ts.isVariableStatement(statement)) statement.declarationList.declarations.forEach(({ name }) => take(name));
    else if (ts.isImportDeclaration(statement))
      namesImportedBy(statement.importClause).forEach((name) => names.push(name));
    else if (statement.name !== undefined) names.push(statement.name.text);
  }
  return names;
}

function namesImportedBy(clause) {
  const bindings = clause?.namedBindings;
  const several =
    bindings === undefined
      ? []
      : ts.isNamespaceImport(bindings)
        ? [bindings.name]
        : bindings.elements.map(({ name }) => name);
  return [clause?.name, ...several].filter((name) => name !== undefined).map(({ text }) => text);
}

/** The blocks exist in memory only, next to their contexts. */
function compile(texts) {
  const config = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile).config.compilerOptions;
  const { options } = ts.convertCompilerOptionsFromJson({ ...config, types: ['node'] }, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, ...rest) =>
    texts.has(file) ? ts.createSourceFile(file, texts.get(file), ...rest) : getSourceFile(file, ...rest);
  host.getCurrentDirectory = () => root;
  return ts.createProgram([...texts.keys()], options, host);
}

if (isMain(import.meta.url)) {
  const faults = faultsIn(documentsOf(root));
  faults.forEach(({ path, line, complaint }) => process.stdout.write(`${path}:${line}: ${complaint}\n`));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
