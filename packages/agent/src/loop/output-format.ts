import type { OutputFormat } from '@berth/agent-core';
import { z } from 'zod';

/** The name of the tool with which a model without response formats gives its answer. */
export const ANSWER_TOOL = 'final_answer';

/**
 * Returns the form of an answer that a Zod object describes.
 * @throws RangeError for a schema that is no object, the only kind that models accept.
 */
export function outputFormat<Output>(type: z.ZodType<Output>, name = 'answer'): OutputFormat<Output> {
  const { $schema: _, ...given } = z.toJSONSchema(type, { io: 'input' });
  if (given.type !== 'object')
    throw new RangeError('output must be a z.object({ … }): wrap a list or a string in an object.');
  const schema = closeObjects(given) as Readonly<Record<string, unknown>>;
  return {
    name,
    schema,
    isStrict: isStrict(schema),
    parse(text) {
      const value = parseJson(text);
      if (value === undefined) return { problem: 'It is not a JSON object.' };
      const parsed = type.safeParse(value);
      return parsed.success ? { value: parsed.data } : { problem: z.prettifyError(parsed.error) };
    },
  };
}

/** Longest schema of a caller, as JSON: reading one takes time. */
const MAX_SCHEMA = 100_000;

/**
 * Returns the form of an answer that a caller's JSON Schema describes; without a schema, any JSON object. Patterns go to the model
 * only: a caller's pattern could take any time here.
 * @throws RangeError saying what is wrong with the schema.
 */
export function jsonFormat(name: string, schema?: Readonly<Record<string, unknown>>): OutputFormat {
  const type = schema ? readSchema(schema) : z.looseObject({});
  return {
    name,
    ...(schema && { schema, isStrict: isStrict(schema) }),
    parse(text) {
      const value = parseJson(text);
      if (value === undefined) return { problem: 'It is not a JSON object.' };
      const parsed = type.safeParse(value);
      return parsed.success ? { value } : { problem: z.prettifyError(parsed.error) };
    },
  };
}

function readSchema(schema: Readonly<Record<string, unknown>>): z.ZodType {
  if (schema['type'] !== 'object') throw new RangeError('must have the type "object": wrap a list or a string in one');
  if (JSON.stringify(schema).length > MAX_SCHEMA) throw new RangeError(`has more than ${MAX_SCHEMA} characters`);
  try {
    return z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new RangeError(`can't be read: ${(error as Error).message}`);
  }
}

const PATTERNS: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format']);

function withoutPatterns(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutPatterns(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      // A property may have the name of a keyword.
      .filter(([key]) => isNames || !PATTERNS.has(key))
      .map(([key, value]) => [
        key,
        key === 'enum' || key === 'const' ? value : withoutPatterns(value, key === 'properties'),
      ]),
  );
}

/** Returns the text without the Markdown fence that models put around JSON. */
export function unfence(text: string): string {
  return (/^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text).trim();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Forbids unknown properties wherever the schema leaves it open, as strict upstreams require. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closeObjects(value)] as const);
  const closed: Readonly<Record<string, unknown>> = Object.fromEntries(entries);
  const isOpen = closed['type'] === 'object' && closed['additionalProperties'] === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

/** True when every object names all its properties as required and allows no others. Source: OpenAI's guide, "Structured outputs". */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required = [], additionalProperties } = schema as Readonly<Record<string, unknown>>;
  if (type === 'object') {
    const names = Object.keys((properties ?? {}) as object);
    if (additionalProperties !== false || !names.every((name) => (required as readonly string[]).includes(name))) {
      return false;
    }
  }
  return Object.values(schema).every(isStrict);
}
