import type { openApiDocument } from '@berth/accounts';

/** An OpenAPI document and the routes of the router that it was made from. */
export interface DescribedApi {
  readonly document: ReturnType<typeof openApiDocument>;
  /** Method and path as the router has them: `GET`, `/files/:path{.+}`. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** An operation of a document, e.g. the GET of a path. */
type Operation = NonNullable<NonNullable<DescribedApi['document']['paths']>[string]['get']>;

/** Returns all operations of a document, path by path. */
export function operationsOf(document: DescribedApi['document']): Operation[] {
  return Object.values(document.paths ?? {}).flatMap((item) => Object.values(item) as Operation[]);
}

/** Returns the names of the schemas that `part` of the document refers to, directly or through others. */
export function referredComponents(
  part: unknown,
  document: DescribedApi['document'],
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    if (found.has(name)) continue;
    if (kind === 'schemas') found.add(name);
    referredComponents(document.components?.[kind as 'schemas']?.[name] ?? {}, document, found);
  }
  return found;
}

/** Returns the routes that are served but not in the document, as `GET /files/{path}`, in the order of the router. */
export function undocumentedRoutes({ document, routes }: DescribedApi): string[] {
  const documented = new Set(
    Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
  const served = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`);
  return [...new Set(served)].filter((route) => !documented.has(route));
}
