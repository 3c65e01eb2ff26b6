import { answerJson, type Handler, type ScriptedServer } from '@berth/client/testing';

/** The objects of a volume by their paths. */
export type ServedObjects = Map<string, string>;

/** When every object of {@link serveVolume} was written. */
export const SERVED_AT = '2026-01-01T00:00:00.000Z';

/**
 * Serves one volume, of any name, with the API and the signed URLs of a platform: objects are listed two a page, read and written whole.
 * Tests may set any of its routes again.
 */
export function serveVolume(server: ScriptedServer, objects: ServedObjects = new Map()): ServedObjects {
  const sign =
    (method: string): Handler =>
    async (exchange) => {
      const { object } = await exchange.json();
      const url = `${server.url}/store/${encodeURIComponent(String(object))}`;
      await answerJson(200, { url, method, expires_at: '' })(exchange);
    };
  const pathOf = (path: string) => decodeURIComponent(path.slice('/store/'.length));
  server.on('POST /v1/volume/create', answerJson(200, { name: 'v', created: true }));
  server.on('POST /v1/volume/download', sign('GET'));
  server.on('POST /v1/volume/upload', sign('PUT'));
  server.on('GET /v1/volume/objects', (exchange) => {
    const prefix = exchange.query.get('prefix') ?? '';
    const after = exchange.query.get('page_token') ?? '';
    const rest = [...objects.keys()].filter((path) => path.startsWith(prefix) && path > after).sort();
    const page = rest.slice(0, Math.min(2, Number(exchange.query.get('limit') ?? 2)));
    const rows = page.map((path) => ({ path, size: Buffer.byteLength(objects.get(path) ?? ''), updated: SERVED_AT }));
    const next_page_token = rest.length > page.length ? (page.at(-1) ?? null) : null;
    return answerJson(200, { objects: rows, next_page_token })(exchange);
  });
  server.on('GET /store/*', ({ path, response }) => void response.end(objects.get(pathOf(path))));
  server.on('PUT /store/*', async ({ path, body, response }) => {
    objects.set(pathOf(path), (await body()).toString());
    response.end();
  });
  return objects;
}
