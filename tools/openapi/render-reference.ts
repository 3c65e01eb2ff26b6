/** The parts of an OpenAPI document that the reference shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Content {
  readonly [mediaType: string]: { readonly schema?: Schema };
}
interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { $ref?: string; description?: string; content?: Content }>>;
}
/** The part of an OpenAPI document that the reference shows. */
export interface ReferenceDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Renders the API reference as Markdown: an introduction, and each route with scope, parameters, body, response and errors. */
export function renderReference(document: ReferenceDocument, introduction: readonly string[]): string {
  const schemas = document.components?.schemas ?? {};
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      const group = operation.tags?.[0] ?? 'Health';
      groups.set(group, [...(groups.get(group) ?? []), renderOperation(method, path, operation, schemas)]);
    }
  }
  return [
    ...introduction,
    '',
    ...[...groups].flatMap(([group, operations]) => [`## ${group}`, '', ...operations]),
  ].join('\n');
}

function renderOperation(method: string, path: string, operation: Operation, schemas: Record<string, Schema>): string {
  const lines = [`### ${method.toUpperCase()} ${path}`, '', `${operation.summary ?? ''}. ${accessOf(operation)}`, ''];
  if (operation.description) lines.push(operation.description, '');
  const parameters = operation.parameters ?? [];
  if (parameters.length > 0) {
    lines.push('| Parameter | Type | |', '|---|---|---|');
    for (const one of parameters) {
      const kind = one.in === 'path' ? 'path' : `${one.in}${one.required ? ', required' : ''}`;
      lines.push(`| \`${one.name}\` (${kind}) | ${typeOf(one.schema ?? {})} | ${cell(one.description ?? '')} |`);
    }
    lines.push('');
  }
  for (const [mediaType, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
    lines.push(`Body, \`${mediaType}\`:`, '', ...renderFields(schema ?? {}, schemas));
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!status.startsWith('2')) continue;
    for (const [mediaType, { schema }] of Object.entries(response.content ?? {})) {
      lines.push(
        `Answer ${status}, \`${mediaType}\`: ${response.description ?? ''}`,
        '',
        ...renderFields(schema ?? {}, schemas),
      );
    }
  }
  const errors = Object.keys(operation.responses).filter((status) => !status.startsWith('2'));
  if (errors.length > 0) lines.push(`Errors: ${errors.join(', ')}.`, '');
  return lines.join('\n');
}

function accessOf({ security = [] }: Operation): string {
  const [first] = security;
  if (first === undefined) return 'No credential.';
  const scope = first['APIKeyHeader']?.[0];
  return scope === undefined ? 'Any credential.' : `Scope \`${scope}\`.`;
}

function renderFields(schema: Schema, schemas: Record<string, Schema>): string[] {
  const resolved = resolve(schema, schemas);
  const row = resolved.type === 'array' && resolved.items ? resolve(resolved.items, schemas) : resolved;
  if (!row.properties) return [`${typeOf(schema)}`, ''];
  return [
    ...(resolved === row ? [] : ['An array of:', '']),
    '| Field | Type | |',
    '|---|---|---|',
    ...Object.entries(row.properties).map(([name, field]) => {
      const isRequired = row.required?.includes(name) ?? false;
      return `| \`${name}\`${isRequired ? '' : ' (optional)'} | ${typeOf(field)} | ${cell(notesOf(field))} |`;
    }),
    '',
  ];
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const found = (name && schemas[name]) || schema;
  if (!found.allOf) return found;
  const parts = found.allOf.map((part) => resolve(part, schemas));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'object';
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' \\| ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeOf).join(' \\| ');
  if (schema.items) return `array of ${typeOf(schema.items)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' \\| ') : String(schema.type ?? 'any');
  return schema.format ? `${type} (${schema.format})` : type;
}

function notesOf(schema: Schema): string {
  const bounds = [schema.minimum, schema.maximum].every((bound) => bound !== undefined)
    ? `${schema.minimum} to ${schema.maximum}`
    : '';
  const fallback = schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``;
  return [schema.description ?? '', bounds, fallback].filter((part) => part !== '').join('; ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
