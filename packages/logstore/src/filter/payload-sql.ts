import type { PayloadTest } from './log-filter.ts';
import { type Bind, contains, writeGuarded, writeText } from './sql-parts.ts';

/** A claim about the value at `path` of the column `json_payload`. NULL or false where there is none. */
export function writePayload(path: readonly string[], test: PayloadTest, bind: Bind): string {
  const value = jsonValue('json_payload', path, bind);
  if (test.operator === 'null') return `${value.type} = 'NULL'`;
  const cases = scalarCases(value, test, bind);
  if (test.operator === ':') {
    cases.push({ types: ['ARRAY', 'OBJECT'], claim: contains(`${value.json}::VARCHAR`, test.jsonText, bind) });
  } else {
    const element = { json: 'element', type: 'json_type(element)', text: "(element ->> '$')" };
    const inList = writeCases(element, scalarCases(element, test, bind));
    const elements = `json_extract(${value.json}, '$[*]')`;
    cases.push({ types: ['ARRAY'], claim: `len(list_filter(${elements}, lambda element: ${inList})) > 0` });
  }
  const claim = writeCases(value, cases);
  const guard = guardOf(test);
  return guard === undefined ? claim : writeGuarded(contains('json_payload', guard, bind), claim);
}

type ScalarTest = Exclude<PayloadTest, { operator: 'null' }>;

/** SQL for a JSON value: itself, its type, and its text, which is without quotes for a string. */
export interface JsonValue {
  readonly json: string;
  readonly type: string;
  readonly text: string;
}

/** What is claimed of a JSON value of one of these types. */
interface TypeCase {
  readonly types: readonly string[];
  readonly claim: string;
}

/** What DuckDB calls the types of JSON numbers. */
export const NUMBER_TYPES = ['BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE'];

function scalarCases(value: JsonValue, test: ScalarTest, bind: Bind): TypeCase[] {
  if (test.operator === '=~') {
    return [{ types: ['VARCHAR', 'BOOLEAN', ...NUMBER_TYPES], claim: writeText(value.text, test, bind) }];
  }
  const { operator, number, boolean, text } = test;
  const order = operator === ':' ? '=' : operator;
  const cases: TypeCase[] = [{ types: ['VARCHAR'], claim: writeText(value.text, { operator, text }, bind) }];
  if (number !== undefined) {
    cases.push({ types: NUMBER_TYPES, claim: `${value.text}::DOUBLE ${order} ${bind(number)}::DOUBLE` });
  }
  if (boolean !== undefined && order === '=') cases.push({ types: ['BOOLEAN'], claim: `${value.text} = '${boolean}'` });
  return cases;
}

/** False for a value of any other type. */
function writeCases({ type }: JsonValue, cases: readonly TypeCase[]): string {
  const list = (types: readonly string[]) => types.map((name) => `'${name}'`).join(', ');
  const whens = cases.map(({ types, claim }) => `WHEN ${type} IN (${list(types)}) THEN ${claim}`);
  return `coalesce(CASE ${whens.join(' ')} END, false)`;
}

/**
 * What the text of the whole payload must hold, folded, for a text to be equal or inside: looking for it costs less than
 * reading JSON.
 */
function guardOf(test: ScalarTest): string | undefined {
  const isText = (test.operator === '=' || test.operator === ':') && (test.number ?? test.boolean) === undefined;
  return isText && test.jsonText !== '' ? test.jsonText : undefined;
}

/** By JSON pointer: it can name any key. Source: RFC 6901. */
export function jsonValue(column: string, path: readonly string[], bind: Bind): JsonValue {
  const pointer = path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const place = bind(pointer);
  return {
    json: `json_extract(${column}, ${place})`,
    type: `json_type(${column}, ${place})`,
    text: `json_extract_string(${column}, ${place})`,
  };
}
