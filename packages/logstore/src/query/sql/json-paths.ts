import { Untranslatable } from './sql-error.ts';
import {
  call,
  castTo,
  columnNames,
  columnRef,
  constantValue,
  functionCall,
  isNode,
  type SqlNode,
  textConstant,
} from './sql-tree.ts';

/** Columns that contain JSON, by their path from the relation. */
const JSON_COLUMNS: readonly (readonly string[])[] = [['json_payload'], ['resource', 'labels']];

/** The type in which a JSON value is used. */
export type Wanted = 'json' | 'text' | 'number';

/** A path into a JSON column: `json_payload.a.b`, `l.resource.labels.x`, `json_payload.items[0].name`. */
export interface JsonPath {
  readonly column: readonly string[];
  /** SQL/JSON path, with quoted names. */
  readonly path: string;
}

/** Reads a node as a path into a JSON column; undefined for other nodes, and for the column itself. */
export function findJsonPath(node: unknown): JsonPath | undefined {
  const names = columnNames(node);
  if (names !== undefined) return fromNames(names);
  if (!isNode(node) || node['class'] !== 'OPERATOR') return undefined;
  const [base, element] = node['children'] as readonly unknown[];
  const before = findJsonPath(base) ?? wholeColumn(base);
  const step = stepOf(element);
  if (before === undefined || step === undefined) return undefined;
  if (node['type'] === 'STRUCT_EXTRACT') return { ...before, path: before.path + quoteStep(String(step)) };
  if (node['type'] !== 'ARRAY_EXTRACT') return undefined;
  const part = typeof step === 'number' ? `[${step}]` : quoteStep(String(step));
  return { ...before, path: before.path + part };
}

/** Returns the value at the path: JSON as it is; its text; or a number, which is NULL for anything else. */
export function extract({ column, path }: JsonPath, wanted: Wanted): SqlNode {
  const args = [columnRef(column), textConstant(path)];
  if (wanted === 'json') return call('json_extract', args);
  const text = call('json_extract_string', args);
  return wanted === 'text' ? text : castTo('DOUBLE', text, true);
}

function fromNames(names: readonly string[]): JsonPath | undefined {
  const column = columnOf(names);
  if (column === undefined || column.length === names.length) return undefined;
  return { column, path: `$${names.slice(column.length).map(quoteStep).join('')}` };
}

function wholeColumn(node: unknown): JsonPath | undefined {
  const names = columnNames(node);
  const column = names && columnOf(names);
  return column && names?.length === column.length ? { column, path: '$' } : undefined;
}

/** Returns the names that lead to a JSON column, including a relation's name or alias. */
function columnOf(names: readonly string[]): readonly string[] | undefined {
  for (const skip of [0, 1]) {
    for (const json of JSON_COLUMNS) {
      const isHere = json.every((name, index) => names[skip + index]?.toLowerCase() === name);
      if (isHere) return names.slice(0, skip + json.length);
    }
  }
  return undefined;
}

/** Returns a constant in brackets, `OFFSET(n)` or `ORDINAL(n)`. JSON counts from 0. */
function stepOf(node: unknown): number | string | undefined {
  const element = functionCall(node);
  const value = constantValue(element?.name.startsWith('element_') ? element.args[0] : node);
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return undefined;
  return element?.name === 'element_ordinal' ? value - 1 : value;
}

function quoteStep(name: string): string {
  return `."${name.replaceAll('"', '\\"')}"`;
}

/** A step of a JSONPath. Source: GoogleSQL, JSON functions, "JSONPath format". */
const STEP = /\.(?:"((?:[^"\\]|\\.)*)"|([^.["\]']+))|\[(?:(\d+)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y;

/**
 * Returns a JSON path of the warehouse in DuckDB's form: every name in quotes. Without a path it is the whole value.
 * @throws Untranslatable when the path is not a constant, or has a step that names more than one place.
 */
export function jsonPath(node: unknown): SqlNode {
  if (node === undefined) return textConstant('$');
  const text = constantValue(node);
  if (typeof text !== 'string') throw new Untranslatable('A JSON path must be a text constant.', node);
  const path = text.replace(/^(?:lax |strict )/, '');
  if (path === text && text.startsWith('$')) {
    let engine = '$';
    let place = 1;
    while (place < text.length) {
      STEP.lastIndex = place;
      const step = STEP.exec(text);
      if (!step) break;
      const [whole, quoted, plain, index, single, double] = step;
      const name = quoted ?? plain ?? single ?? double ?? '';
      if (plain === '*' || plain === '**') break;
      engine += index === undefined ? `."${name.replaceAll("\\'", "'").replaceAll(/(?<!\\)"/g, '\\"')}"` : `[${index}]`;
      place += whole.length;
    }
    if (place === text.length) return textConstant(engine);
  }
  throw new Untranslatable(
    `${JSON.stringify(text.slice(0, 100))} is not a JSON path such as $.user.id or $.items[0].`,
    node,
  );
}
