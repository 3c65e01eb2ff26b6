import { INDEX } from './field-table.ts';
import type { PayloadTest } from './log-filter.ts';
import { type Bind, contains, isExact, writeGuarded, writeText } from './text-test.ts';

/** Writes a condition on the values at `path` of the column `json_payload`. NULL or false when there are none. */
export function writePayload(path: readonly string[], test: PayloadTest, bind: Bind): string {
  const claim = writeThroughLists(
    path,
    bind,
    (value) => writeValue(value, test, bind),
    (found) => {
      const one = elementOf('found');
      return `len(list_filter(${found}, lambda found: coalesce(${writeValue(one, test, bind)}, false))) > 0`;
    },
  );
  const guard = guardOf(test);
  return guard === undefined ? claim : writeGuarded(contains('json_payload', guard, bind), claim);
}

/** Writes the text of the value at `path`; of several values, one per line; NULL when there is none. */
export function payloadText(path: readonly string[], bind: Bind): string {
  const texts = (found: string) => `list_transform(${found}, lambda found: coalesce(found ->> '$', 'null'))`;
  return writeThroughLists(
    path,
    bind,
    (value) => value.text,
    (found) => `nullif(array_to_string(${texts(found)}, chr(10)), '')`,
  );
}

/** Writes the condition that there is a value at `path`. */
export function payloadPresent(path: readonly string[], bind: Bind): string {
  return writeThroughLists(
    path,
    bind,
    (value) => `${value.json} IS NOT NULL`,
    (found) => `len(${found}) > 0`,
  );
}

/**
 * Writes SQL of the one value at `path`. When a name in the path follows an array, it writes SQL of the list of values
 * instead: a name applies to each object in an array. Only rows with such an array pay for it.
 */
function writeThroughLists(
  path: readonly string[],
  bind: Bind,
  writeOne: (value: JsonValue) => string,
  writeSeveral: (found: string) => string,
): string {
  const ways = path.flatMap((segment, index) =>
    index > 0 && !INDEX.test(segment)
      ? [`${jsonValue('json_payload', path.slice(0, index), bind).type} = 'ARRAY'`]
      : [],
  );
  const one = writeOne(jsonValue('json_payload', path, bind));
  if (ways.length === 0) return one;
  const found = path.reduce((values, segment) => {
    const step = bind(pointerOf([segment]));
    const inside = `list_transform(json_extract(way, '$[*]'), lambda item: json_extract(item, ${step}))`;
    const next = INDEX.test(segment)
      ? `[json_extract(way, ${step})]`
      : `CASE json_type(way) WHEN 'ARRAY' THEN ${inside} ELSE [json_extract(way, ${step})] END`;
    return `list_filter(flatten(list_transform(${values}, lambda way: ${next})), lambda way: way IS NOT NULL)`;
  }, '[json_payload::JSON]');
  // A payload without a bracket has no array: looking for one costs less than parsing JSON.
  const through = `CASE WHEN ${ways.join(' OR ')} THEN ${writeSeveral(found)} ELSE ${one} END`;
  return `CASE WHEN contains(json_payload, '[') THEN ${through} ELSE ${one} END`;
}

function elementOf(name: string): JsonValue {
  return { json: name, type: `json_type(${name})`, text: `(${name} ->> '$')` };
}

function writeValue(value: JsonValue, test: PayloadTest, bind: Bind): string {
  if (test.operator === 'null') return `${value.type} = 'NULL'`;
  const cases = scalarCases(value, test, bind);
  if (test.operator === ':') {
    cases.push({ types: ['ARRAY', 'OBJECT'], claim: contains(`${value.json}::VARCHAR`, test.jsonText, bind) });
  } else {
    const element = elementOf('element');
    const inList = writeCases(element, scalarCases(element, test, bind));
    const elements = `json_extract(${value.json}, '$[*]')`;
    cases.push({ types: ['ARRAY'], claim: `len(list_filter(${elements}, lambda element: ${inList})) > 0` });
  }
  return writeCases(value, cases);
}

type ScalarTest = Exclude<PayloadTest, { operator: 'null' }>;

/** SQL of a JSON value: the value, its type, and its text, which has no quotes for a string. */
export interface JsonValue {
  readonly json: string;
  readonly type: string;
  readonly text: string;
}

/** A condition on JSON values of one of these types. */
interface TypeCase {
  readonly types: readonly string[];
  readonly claim: string;
}

/** DuckDB's names of the types of JSON numbers. */
export const NUMBER_TYPES = ['BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE'];

function scalarCases(value: JsonValue, test: ScalarTest, bind: Bind): TypeCase[] {
  if (isExact(test)) {
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

/** Writes a condition that is false for values of any other type. */
function writeCases({ type }: JsonValue, cases: readonly TypeCase[]): string {
  const list = (types: readonly string[]) => types.map((name) => `'${name}'`).join(', ');
  const whens = cases.map(({ types, claim }) => `WHEN ${type} IN (${list(types)}) THEN ${claim}`);
  return `coalesce(CASE ${whens.join(' ')} END, false)`;
}

/**
 * Returns a text that the payload's JSON must contain, folded, for a text to be equal or inside: looking for it costs
 * less than parsing JSON.
 */
export function guardOf(test: PayloadTest): string | undefined {
  if (test.operator !== '=' && test.operator !== ':') return undefined;
  return (test.number ?? test.boolean) === undefined && test.jsonText !== '' ? test.jsonText : undefined;
}

/** Returns SQL of a value by JSON pointer, which can name any key. Source: RFC 6901. */
export function jsonValue(column: string, path: readonly string[], bind: Bind): JsonValue {
  const place = bind(pointerOf(path));
  return {
    json: `json_extract(${column}, ${place})`,
    type: `json_type(${column}, ${place})`,
    text: `json_extract_string(${column}, ${place})`,
  };
}

function pointerOf(path: readonly string[]): string {
  return path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
