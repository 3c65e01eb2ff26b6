import type { Berth } from './berth.ts';

/** An operation of the live OpenAPI document. */
export interface Operation {
  /** `POST /v1/deploy`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly needsCredential: boolean;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  /** Media type of its body; absent when it takes none. */
  readonly bodyType?: string;
  /** Top-level fields of its body. */
  readonly bodyFields: readonly string[];
}

/** Values for the fields and parameters of an operation; those that are not given are left out (a path part: `x`). */
export type FieldValues = Readonly<Record<string, unknown>>;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, unknown>;
}

interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly security?: readonly unknown[];
        readonly parameters?: readonly { readonly in: string; readonly name: string }[];
        readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
      }
    >
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}

/** Every operation that the server says it has. */
export async function readOperations(berth: Berth): Promise<Operation[]> {
  const document = (await (await berth.api('/openapi.json')).json()) as Document;
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) as string] : schema;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [], requestBody }]) => {
      const named = (place: string) => parameters.filter((one) => one.in === place).map((one) => one.name);
      const [bodyType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      return {
        id: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        needsCredential: (security?.length ?? 0) > 0,
        pathParameters: named('path'),
        queryParameters: named('query'),
        ...(bodyType ? { bodyType } : {}),
        bodyFields: Object.keys(resolve(content?.schema)?.properties ?? {}),
      };
    }),
  );
}

/** Calls an operation with `values` in whichever of path, query and body they belong. */
export function sendOperation(
  berth: Berth,
  operation: Operation,
  values: FieldValues,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const route = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(values[name] ?? 'x').toWellFormed()),
  );
  const query = new URLSearchParams(
    operation.queryParameters.flatMap((name) => (name in values ? [[name, String(values[name])]] : [])),
  );
  const fields = Object.entries(values).filter(([name]) => operation.bodyFields.includes(name));
  return fetch(`${berth.url}${route}${query.size > 0 ? `?${query}` : ''}`, {
    method: operation.method,
    headers: {
      ...headers,
      ...(operation.bodyType === 'application/json' ? { 'Content-Type': operation.bodyType } : {}),
    },
    ...bodyOf(operation, fields),
  });
}

function bodyOf(operation: Operation, fields: readonly (readonly [string, unknown])[]): { body?: BodyInit } {
  if (!operation.bodyType) return {};
  if (operation.bodyType === 'application/json') return { body: JSON.stringify(Object.fromEntries(fields)) };
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value instanceof Blob ? value : String(value));
  return { body: form };
}
