import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

import { root } from './workspaces.mjs';

/** The modules that declare ports. */
const ENTRIES = [
  'packages/core/src/ports/index.ts',
  'packages/provider-legs/src/ports/legs.ts',
  'packages/provider-legs/src/ports/legs-store.ts',
  'packages/provider-legs/src/ports/statement.ts',
];

const OPTIONS = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** Begins the part of each file. */
const HEAD = '// file: ';

/**
 * The types of all ports as one text: what they export and every type of the product that they mention, without comments and bodies,
 * by file. `edits` are texts that replace those of files, by their paths.
 *
 * @param {{ dir?: string, edits?: Readonly<Record<string, string>> }} [sources]
 * @returns {string}
 */
export function portTypes({ dir = root, edits = {} } = {}) {
  const declared = declarationsOf(dir, edits);
  const base = virtual(dir);
  const entries = ENTRIES.map((entry) => join(base, asDeclaration(entry)));
  const program = programOf(declared, [base], entries);
  const checker = program.getTypeChecker();
  const kept = new Map();
  const keep = (statement) => {
    if (kept.has(statement)) return;
    const imports = new Map();
    kept.set(statement, imports);
    walk(statement, (node) => {
      if (!ts.isIdentifier(node)) return;
      const named = checker.getSymbolAtLocation(node);
      const target = named && aliased(checker, named);
      for (const declaration of target?.declarations ?? []) {
        const file = declaration.getSourceFile();
        const isImported = named !== target && named?.declarations?.[0]?.getSourceFile() === statement.getSourceFile();
        if (isImported) imports.set(node.text, { name: target.name, file: file.fileName });
        const at = declared.has(file.fileName) ? topStatement(declaration) : null;
        if (at !== null && at !== statement) keep(at);
      }
    });
  };
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
    for (const symbol of checker.getExportsOfModule(module))
      for (const declaration of aliased(checker, symbol).declarations) keep(topStatement(declaration));
  }
  const files = [...new Set([...kept.keys()].map((statement) => statement.getSourceFile()))];
  return files
    .map((file) => textOf(file, kept, base))
    .sort()
    .join('\n');
}

/** A folder that does not exist, next to the packages that declarations import. */
const virtual = (dir, name = 'port-types') => join(dir, 'node_modules/.cache', name);

const asDeclaration = (path) => path.replace(/\.ts$/, '.d.ts');

/** The declarations that the compiler emits, by their paths. */
function declarationsOf(dir, edits) {
  const options = {
    ...OPTIONS,
    paths: { '@gateramp/core/*': [join(dir, 'packages/core/src/*/index.ts')] },
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: true,
  };
  const host = hostFor(options);
  const edited = new Map(Object.entries(edits).map(([path, text]) => [join(dir, path), text]));
  const readFile = host.readFile.bind(host);
  host.readFile = (path) => edited.get(path) ?? readFile(path);
  const program = ts.createProgram(
    ENTRIES.map((path) => join(dir, path)),
    options,
    host,
  );
  const declared = new Map();
  program.emit(undefined, (path, text) => declared.set(join(virtual(dir), relative(dir, path)), text), undefined, true);
  return declared;
}

const libraries = new Map();

/** A host that parses the compiler's own library once. */
function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes('/node_modules/typescript/lib/')) return parse(path, ...rest);
    if (!libraries.has(path)) libraries.set(path, parse(path, ...rest));
    return libraries.get(path);
  };
  return host;
}

/** A program over texts that are in no file, below each of `bases`. */
function programOf(texts, bases, roots) {
  const options = {
    ...OPTIONS,
    paths: { '@gateramp/core/*': bases.map((base) => join(base, 'packages/core/src/*/index.d.ts')) },
    noEmit: true,
  };
  const host = hostFor(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.directoryExists = undefined;
  return ts.createProgram(roots, options, host);
}

function aliased(checker, symbol) {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function topStatement(node) {
  let at = node;
  while (at.parent !== undefined && !ts.isSourceFile(at.parent)) at = at.parent;
  return ts.isSourceFile(at) ? null : at;
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** One file: its imports, then what was kept of it. */
function textOf(file, kept, base) {
  const statements = file.statements.filter((statement) => kept.has(statement));
  const imports = new Map(statements.flatMap((statement) => [...kept.get(statement)]));
  const lines = [...imports].map(([local, { name, file: from }]) => {
    const path = relative(dirname(file.fileName), from).replace(/\.d\.ts$/, '.js');
    const specifier = !from.startsWith(base) ? packageOf(from) : path.startsWith('.') ? path : `./${path}`;
    return `import { ${name === local ? name : `${name} as ${local}`} } from '${specifier}';`;
  });
  const path = relative(base, file.fileName).replace(/\.d\.ts$/, '.ts');
  const declarations = statements.map((statement) => statement.getText(file));
  return `${HEAD}${path}\n${[...lines.toSorted(), ...declarations].join('\n')}\n`;
}

const packageOf = (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)[1];

/**
 * What differs between two texts of `portTypes`: the declarations that were added, changed or removed, and what of that breaks an adapter
 * that was written to the first one: an export that is gone, or a port that its implementation no longer satisfies.
 *
 * @param {string} released
 * @param {string} now
 * @returns {{ changed: readonly string[], broken: readonly string[] }}
 */
export function comparePortTypes(released, now) {
  const [before, after] = [statementsOf(released), statementsOf(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name} was ${!after.has(name) ? 'removed' : !before.has(name) ? 'added' : 'changed'}`);
  return { changed, broken: changed.length === 0 ? [] : brokenPorts(released, now) };
}

/** The declarations of a text, by `name (file)`. */
function statementsOf(text) {
  return new Map(
    filesOf(text).flatMap(([path, content]) => {
      const source = ts.createSourceFile(path, content, ts.ScriptTarget.ES2023, true);
      const declarations = source.statements.filter((one) => !ts.isImportDeclaration(one));
      return declarations.map((one) => [`${nameOf(one)} (${path})`, one.getText(source)]);
    }),
  );
}

const nameOf = (statement) =>
  (ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement).name.text;

function filesOf(text) {
  return text
    .split(new RegExp(`^${HEAD}`, 'm'))
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]);
}

/** Lets the compiler use what implements the released ports in place of the present ones, and call the present functions as before. */
function brokenPorts(released, now) {
  const [then, today] = [virtual(root, 'released'), virtual(root, 'now')];
  const texts = new Map();
  for (const [base, text] of [
    [then, released],
    [today, now],
  ])
    for (const [path, content] of filesOf(text)) texts.set(join(base, asDeclaration(path)), comparable(content));
  const exported = (base) => {
    const modules = [...texts.keys()].filter((path) => path.startsWith(base) && path.includes('/src/ports/'));
    return new Map(modules.flatMap((path) => exportsOf(path, texts.get(path))));
  };
  const [offered, offers] = [exported(then), exported(today)];
  const gone = [...offered.keys()].filter((name) => !offers.has(name)).map((name) => `${name} is gone`);
  const ports = portsAmong(offers);
  const checked = [...offered].filter(([name, { isValue }]) => offers.has(name) && (isValue || ports.has(name)));
  const lines = checked.map(([name, { path }]) => {
    const [was, is] = [path, offers.get(name).path].map((of) => `import('${of.replace(/\.d\.ts$/, '.js')}').${name}`);
    // An adapter gives its implementation of a port, and takes functions and classes.
    const [given, wanted] = ports.has(name) ? [was, is] : [`typeof ${is}`, `typeof ${was}`];
    return `export const ${name}: ${wanted} = null as unknown as ${given};`;
  });
  const check = join(virtual(root, 'compared'), 'check.ts');
  texts.set(check, lines.join('\n'));
  const program = programOf(texts, [then, today], [check]);
  const errors = program.getSemanticDiagnostics(program.getSourceFile(check)).map((one) => {
    const line = one.file.text.slice(0, one.start).split('\n').length - 1;
    const because = ts
      .flattenDiagnosticMessageText(one.messageText, '\n')
      .split('\n')
      .at(-1)
      .trim()
      .replaceAll(/import\("[^"]+"\)\./g, '');
    return `${checked[line][0]}: ${because}`;
  });
  return [...gone, ...errors];
}

/** Methods as members with a function type, whose parameters the compiler compares strictly. */
function comparable(text) {
  const source = ts.createSourceFile('one.d.ts', text, ts.ScriptTarget.ES2023, true);
  const { factory } = ts;
  const { transformed } = ts.transform(source, [
    (context) => {
      const visit = (node) => {
        const inner = ts.visitEachChild(node, visit, context);
        if (!ts.isMethodSignature(inner)) return inner;
        const type = factory.createFunctionTypeNode(inner.typeParameters, inner.parameters, inner.type);
        return factory.createPropertySignature(inner.modifiers, inner.name, inner.questionToken, type);
      };
      return (file) => ts.visitNode(file, visit);
    },
  ]);
  return ts.createPrinter().printFile(transformed[0]);
}

/** The exports of a module: whether adapters call them, and the names of the interfaces that they extend. */
function exportsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return source.statements
    .filter((one) => !ts.isImportDeclaration(one) && ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Export)
    .map((one) => {
      const isValue = ts.isFunctionDeclaration(one) || ts.isClassDeclaration(one);
      const bases = ts.isInterfaceDeclaration(one) ? (one.heritageClauses ?? []).flatMap(({ types }) => types) : [];
      return [nameOf(one), { path, isValue, bases: bases.map(({ expression }) => expression.text) }];
    });
}

/** The interfaces that adapters implement: those with a contract. */
function portsAmong(exported) {
  const ports = new Set();
  for (let size = -1; size < ports.size;) {
    size = ports.size;
    for (const [name, { bases }] of exported)
      if (bases.some((base) => base === 'Contracted' || ports.has(base))) ports.add(name);
  }
  return ports;
}
