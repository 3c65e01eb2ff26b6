import type { openApiDocument } from '@berth/accounts';

/** An OpenAPI document and the routes of the router that it was made from. */
export interface DescribedApi {
  readonly document: ReturnType<typeof openApiDocument>;
  /** In the router's words: `GET`, `/files/:path{.+}`. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
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
