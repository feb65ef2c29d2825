import pgQuery from 'libpg-query';
import type { Placement, Rules } from './cluster-layout.js';

/** A node of a parsed statement: objects and arrays as libpg-query returns them. */
type Tree = { readonly [key: string]: unknown };

/** The distribution column. */
const COLUMN = 'partner_id';

/** A statement, and the names that are values in it: variables and parameters of the function that contains it. */
interface Statement {
  readonly text: string;
  readonly variables?: ReadonlySet<string> | undefined;
}

/**
 * Checks the text of a statement against the documented rules of Citus for execution on one node: the distribution column of each
 * distributed table is compared, uncast and in its own collation, with a value, in the same query as the table or through equality with a
 * column that is; a `with` contains no insert; an insert has no `with` and no subquery, takes values, and has the column in its conflict
 * target; tables on the coordinator are not read together with distributed ones. Returns the violations.
 */
export async function violations(statement: Statement, rules: Rules): Promise<readonly string[]> {
  const { stmts } = await pgQuery.parse(statement.text);
  return (stmts ?? []).flatMap(({ stmt }) => new Checker(statement, rules).check(stmt as Tree));
}

/** The names of the schema's functions that a statement calls. */
export async function functionsCalled(text: string): Promise<readonly string[]> {
  const parsed = JSON.stringify(await pgQuery.parse(text));
  const call = /"funcname":\[\{"String":\{"sval":"[^"]+"\}\},\{"String":\{"sval":"(\w+)"\}\}\]/g;
  return [...parsed.matchAll(call)].map(([, name = '']) => name);
}

interface Relation {
  readonly name: string;
  readonly alias: string;
}

class Checker {
  private readonly found: string[] = [];
  private readonly touched = new Set<Placement>();
  /** Rows of the statement itself: they hide variables of the same name. */
  private aliases: ReadonlySet<string> = new Set();

  constructor(
    private readonly statement: Statement,
    private readonly rules: Rules,
  ) {}

  check(tree: Tree): readonly string[] {
    const named = JSON.stringify(tree).matchAll(/"aliasname":"(\w+)"/g);
    this.aliases = new Set([...named].map(([, name = '']) => name));
    this.visit(tree);
    if (this.touched.has('local') && this.touched.has('distributed'))
      this.found.push('reads a table of the coordinator together with a distributed one');
    return this.found;
  }

  private visit(node: unknown): void {
    if (Array.isArray(node)) for (const one of node) this.visit(one);
    if (!isTree(node) || Array.isArray(node)) return;
    for (const [kind, inner] of Object.entries(node)) {
      if (isTree(inner) && !Array.isArray(inner)) {
        if (kind === 'SelectStmt') this.select(inner);
        if (kind === 'UpdateStmt') this.modify(inner, inner.fromClause);
        if (kind === 'DeleteStmt') this.modify(inner, inner.usingClause);
        if (kind === 'InsertStmt') this.insert(inner);
        if (kind === 'LockStmt' || kind === 'VacuumStmt') this.utility(inner);
      }
      this.visit(inner);
    }
  }

  private select(statement: Tree): void {
    this.level(relationsOf(statement.fromClause), [statement.whereClause, ...joinsOf(statement.fromClause)]);
    for (const cte of ctesOf(statement))
      if (isTree(cte) && 'InsertStmt' in cte) this.found.push('inserts within a `with`');
    // A set operation has its parts as plain members.
    for (const part of [statement.larg, statement.rarg]) if (isTree(part)) this.select(part);
  }

  private modify(statement: Tree, from: unknown): void {
    const target = relationsOf([{ RangeVar: statement.relation }]);
    this.level([...target, ...relationsOf(from)], [statement.whereClause, ...joinsOf(from)]);
    for (const cte of ctesOf(statement))
      if (isTree(cte) && 'InsertStmt' in cte) this.found.push('inserts within a `with`');
  }

  private insert(statement: Tree): void {
    const [target] = relationsOf([{ RangeVar: statement.relation }]);
    if (target === undefined || this.placementOf(target) !== 'distributed') return;
    if (ctesOf(statement).length > 0) this.found.push(`inserts into ${target.name} with a \`with\``);
    const place = listOf(statement.cols).findIndex((column) => textAt(column, 'ResTarget', 'name') === COLUMN);
    const source = treeAt(statement.selectStmt, 'SelectStmt');
    const lists = listOf(source?.valuesLists);
    if (lists.length === 0) this.found.push(`inserts into ${target.name} from a query`);
    for (const list of lists) {
      const items = listOf(treeAt(list, 'List')?.items);
      if (place < 0 || !this.isValue(items[place]))
        this.found.push(`inserts into ${target.name} without a value of ${COLUMN}`);
      if (JSON.stringify(items).includes('"SubLink"')) this.found.push(`inserts into ${target.name} with a subquery`);
    }
    const infer = treeAt(statement.onConflictClause, 'infer');
    const elements = listOf(infer?.indexElems).map((element) => textAt(element, 'IndexElem', 'name'));
    if (infer !== undefined && !elements.includes(COLUMN))
      this.found.push(`has a conflict target of ${target.name} without ${COLUMN}`);
  }

  private utility(statement: Tree): void {
    const text = JSON.stringify(statement);
    for (const [table, placement] of this.rules.placements)
      if (placement === 'distributed' && text.includes(`"relname":"${table}"`))
        this.found.push(`locks or maintains all shards of ${table}`);
  }

  /** The tables of one query, and its conditions that all rows satisfy. */
  private level(relations: readonly Relation[], conditions: readonly unknown[]): void {
    const groups = new Groups();
    const distributed = relations.filter((relation) => this.placementOf(relation) === 'distributed');
    for (const condition of conditions.flatMap(conjuncts)) {
      const { sides, isEquality } = equality(condition);
      if (!isEquality) continue;
      const [left, right] = sides.map((side) => this.sideOf(side, distributed));
      if (left !== undefined && right !== undefined) groups.join(left, right);
    }
    for (const { name, alias } of distributed)
      if (!groups.areJoined(alias, VALUE)) this.found.push(`does not name ${COLUMN} of ${name}`);
  }

  /** The alias whose distribution column this is, or a value. */
  private sideOf(side: unknown, distributed: readonly Relation[]): string | undefined {
    if (this.isValue(side)) return VALUE;
    const fields = fieldsOf(side);
    if (fields.at(-1) !== COLUMN) return undefined;
    if (fields.length === 2) return fields[0];
    return distributed.length === 1 ? distributed[0]?.alias : undefined;
  }

  private isValue(node: unknown): boolean {
    if (!isTree(node)) return false;
    if ('ParamRef' in node || 'A_Const' in node) return true;
    const cast = treeAt(node, 'TypeCast');
    if (cast !== undefined) return this.isValue(cast.arg);
    const [first = ''] = fieldsOf(node);
    return this.statement.variables?.has(first) === true && !this.aliases.has(first);
  }

  private placementOf({ name }: Relation): Placement | null {
    if (!this.rules.tables.has(name)) return null;
    const placement = this.rules.placements.get(name) ?? 'local';
    this.touched.add(placement);
    return placement;
  }
}

const VALUE = '$';

/** Names that are equal to each other. */
class Groups {
  private readonly parents = new Map<string, string>();

  join(one: string, other: string): void {
    this.parents.set(this.root(one), this.root(other));
  }

  areJoined(one: string, other: string): boolean {
    return this.root(one) === this.root(other);
  }

  private root(name: string): string {
    const parent = this.parents.get(name);
    return parent === undefined || parent === name ? name : this.root(parent);
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function treeAt(value: unknown, ...path: readonly string[]): Tree | undefined {
  let at: unknown = value;
  for (const name of path) at = isTree(at) ? at[name] : undefined;
  return isTree(at) ? at : undefined;
}

function textAt(value: unknown, kind: string, name: string): string | undefined {
  const text = treeAt(value, kind)?.[name];
  return typeof text === 'string' ? text : undefined;
}

/** The tables in a `from`, without those of subqueries, which are queries of their own. */
function relationsOf(from: unknown): readonly Relation[] {
  return listOf(from).flatMap((item) => {
    const join = treeAt(item, 'JoinExpr');
    if (join !== undefined) return relationsOf([join.larg, join.rarg]);
    const name = textAt(item, 'RangeVar', 'relname');
    if (name === undefined || textAt(item, 'RangeVar', 'schemaname') === undefined) return [];
    const alias = treeAt(item, 'RangeVar', 'alias')?.aliasname;
    return [{ name, alias: typeof alias === 'string' ? alias : name }];
  });
}

/** The conditions of inner joins. Those of outer joins do not hold for all rows. */
function joinsOf(from: unknown): readonly unknown[] {
  return listOf(from).flatMap((item) => {
    const join = treeAt(item, 'JoinExpr');
    if (join === undefined) return [];
    return [...(join.jointype === 'JOIN_INNER' ? [join.quals] : []), ...joinsOf([join.larg, join.rarg])];
  });
}

function ctesOf(statement: Tree): readonly unknown[] {
  return listOf(treeAt(statement.withClause)?.ctes).map((cte) => treeAt(cte, 'CommonTableExpr')?.ctequery);
}

function conjuncts(condition: unknown): readonly unknown[] {
  const both = treeAt(condition, 'BoolExpr');
  return both?.boolop === 'AND_EXPR' ? listOf(both.args).flatMap(conjuncts) : [condition];
}

function equality(condition: unknown): { readonly isEquality: boolean; readonly sides: readonly unknown[] } {
  const expression = treeAt(condition, 'A_Expr');
  const operator = textAt(listOf(expression?.name)[0], 'String', 'sval');
  return {
    isEquality: expression?.kind === 'AEXPR_OP' && operator === '=',
    sides: [expression?.lexpr, expression?.rexpr],
  };
}

function fieldsOf(node: unknown): readonly string[] {
  return listOf(treeAt(node, 'ColumnRef')?.fields).map((field) => textAt(field, 'String', 'sval') ?? '');
}
