import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const SHIPPED = /^(packages|apps|sdks)\/[^/]+\/(src|page)\/.*\.(ts|tsx|mjs|js)$/;

/** A regular expression of the sources, and how it is applied to a text. */
export interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
  /** `all`: to every match. */
  readonly applied: 'first' | 'all';
}

/** Every pattern in the sources that ship: literals, and those built by `RegExp`. */
export function patternsOfSources(): readonly Pattern[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = listed.toString().split('\n');
  return files
    .filter((file) => SHIPPED.test(file))
    .flatMap((file) => patternsIn(file, readFileSync(join(ROOT, file), 'utf8')));
}

export function patternsIn(file: string, text: string): readonly Pattern[] {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, scriptKindOf(file));
  const found: Pattern[] = [];
  const constants = constantsOf(parsed);
  const add = (node: ts.Node, source: string, flags: string): void => {
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart(parsed));
    const applied = isAppliedToAll(node) || /[gy]/.test(flags) ? 'all' : 'first';
    found.push({ place: `${file}:${line + 1}`, source, flags, applied });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    } else if (isRegExpCall(node)) {
      const [source, flags] = node.arguments ?? [];
      if (source !== undefined && !ts.isRegularExpressionLiteral(source))
        add(node, textOf(source, constants), flags === undefined ? '' : textOf(flags, constants));
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

function isRegExpCall(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  return (
    (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'RegExp'
  );
}

function isAppliedToAll({ parent }: ts.Node): boolean {
  return (
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    ['split', 'replaceAll', 'matchAll'].includes(parent.expression.name.text)
  );
}

/** The text constants of a file, by name. */
function constantsOf(parsed: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  const found = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      found.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

/** The value of a text; what is known at run time only becomes `x`. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression, constants);
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => textOf(expression, constants) + literal.text);
    return node.head.text + spans.join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return textOf(node.left, constants) + textOf(node.right, constants);
  const known = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
  if (known !== undefined) return textOf(known, new Map([...constants].filter(([, value]) => value !== known)));
  const raw = node.getText();
  return raw.startsWith('String.raw`') ? raw.slice('String.raw`'.length, -1) : 'x';
}

function scriptKindOf(file: string): ts.ScriptKind {
  return file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}
