/** Maximum length of a tool's input schema as JSON, in characters. */
const MAX_CHARACTERS = 50_000;
const MAX_DEPTH = 12;
const MAX_NODES = 500;
const MAX_TEXT = 2_000;
const MAX_ENTRIES = 200;

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns a tool's input schema in the subset of JSON Schema that every model accepts: types, names, bounds,
 * alternatives and descriptions. Internal references are inlined; circular and external ones become "anything". Unknown
 * keywords are dropped, so that one bad tool spoils no turn. Patterns are dropped too: the server validates its input.
 * @returns undefined for a schema that isn't an object's, or is too large.
 */
export function plainSchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema) || schema['type'] !== 'object') return undefined;
  try {
    if (JSON.stringify(schema).length > MAX_CHARACTERS) return undefined;
  } catch {
    return undefined;
  }
  const plain = simplify(schema, { root: schema, depth: 0, path: [], count: { nodes: 0 } });
  // Some upstreams require `properties` even when there are none.
  return { ...plain, type: 'object', properties: plain['properties'] ?? {} };
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
  /** References that were followed so far. */
  readonly path: readonly string[];
  readonly count: { nodes: number };
}

function simplify(schema: unknown, place: Place): JsonObject {
  if (!isObject(schema) || place.depth > MAX_DEPTH || ++place.count.nodes > MAX_NODES) return {};
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const target = place.path.includes(ref) ? undefined : lookUp(place.root, ref);
    const { $ref: _, ...rest } = schema;
    return target ? simplify({ ...target, ...rest }, { ...place, path: [...place.path, ref] }) : simplify(rest, place);
  }
  const inner = { ...place, depth: place.depth + 1 };
  const out: Record<string, unknown> = {};
  const type = typeOf(schema['type']);
  if (type !== undefined) out['type'] = type;
  for (const name of ['title', 'description']) {
    const text = schema[name];
    if (typeof text === 'string') out[name] = text.slice(0, MAX_TEXT).toWellFormed();
  }
  for (const name of NUMBERS) if (Number.isFinite(schema[name])) out[name] = schema[name];
  if (typeof schema['format'] === 'string' && /^[a-z-]{1,32}$/.test(schema['format'])) out['format'] = schema['format'];
  const values = schema['enum'];
  if (Array.isArray(values) && values.length > 0) {
    const plain = values.filter(isPlainValue).slice(0, MAX_ENTRIES);
    if (plain.length > 0) out['enum'] = [...new Set(plain)];
  }
  for (const name of ['const', 'default']) if (isPlainValue(schema[name])) out[name] = schema[name];
  if (isObject(schema['properties'])) {
    const entries = Object.entries(schema['properties']).slice(0, MAX_ENTRIES);
    out['properties'] = fromEntries(entries.map(([name, one]) => [name, simplify(one, inner)]));
    const required = schema['required'];
    if (Array.isArray(required)) {
      const named = required.filter((name) => entries.some(([one]) => one === name));
      if (named.length > 0) out['required'] = [...new Set(named)];
    }
  }
  if (isObject(schema['items'])) out['items'] = simplify(schema['items'], inner);
  else if (type === 'array') out['items'] = {};
  const rest = schema['additionalProperties'];
  if (typeof rest === 'boolean') out['additionalProperties'] = rest;
  else if (isObject(rest)) out['additionalProperties'] = simplify(rest, inner);
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    const choices = schema[name];
    if (!Array.isArray(choices) || choices.length === 0) continue;
    // Every model accepts `anyOf`.
    out[name === 'oneOf' ? 'anyOf' : name] = choices.slice(0, MAX_ENTRIES).map((one) => simplify(one, inner));
  }
  return out;
}

function typeOf(type: unknown): string | readonly string[] | undefined {
  if (typeof type === 'string') return TYPES.has(type) ? type : undefined;
  if (!Array.isArray(type)) return undefined;
  const known = [...new Set(type)].filter((one): one is string => typeof one === 'string' && TYPES.has(one));
  return known.length > 0 ? known : undefined;
}

/** Resolves a reference within the schema, e.g. `#/$defs/name`. */
function lookUp(root: JsonObject, ref: string): JsonObject | undefined {
  if (!ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of ref.slice(1).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return isObject(found) ? found : undefined;
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_TEXT;
  return typeof value === 'boolean' || Number.isFinite(value) || value === null;
}

/** Reports whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Builds an object without `__proto__`. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): JsonObject {
  return Object.fromEntries(entries.filter(([name]) => name !== '__proto__'));
}
