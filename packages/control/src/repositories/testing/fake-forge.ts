import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the API of a forge. */
export interface ForgeCall {
  readonly method: string;
  /** Decoded, without the prefix of the API. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
  readonly headers: IncomingMessage['headers'];
}

/** A server that answers as the APIs of GitHub, Gitea and GitLab do, for the repository `me/app`. */
export interface FakeForge extends AsyncDisposable {
  readonly origin: string;
  readonly calls: readonly ForgeCall[];
  /** Comments by their id. */
  readonly comments: ReadonlyMap<number, string>;
  readonly hooks: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** Deploy keys by their id. */
  readonly keys: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** The statuses of commits, oldest first. */
  statuses(): readonly { readonly sha: string; readonly state: string; readonly target_url: string }[];
  /** The status that the next requests are answered with; undefined for the usual ones. */
  failWith: number | undefined;
  /** The files that every pull request changes. */
  files: readonly string[];
}

/** Tokens: `good` may do everything, `reader` may not manage webhooks, every other one is refused. */
export async function startFakeForge(): Promise<FakeForge> {
  const calls: ForgeCall[] = [];
  const comments = new Map<number, string>();
  const hooks = new Map<number, Record<string, unknown>>();
  const keys = new Map<number, Record<string, unknown>>();
  let nextId = 1;
  const forge: Pick<FakeForge, 'failWith' | 'files'> = { failWith: undefined, files: [] };

  const answer = ({ method, path, body, headers }: ForgeCall): readonly [number, unknown?] => {
    if (forge.failWith !== undefined) return [forge.failWith, { message: 'down' }];
    const token = headers['private-token'] ?? headers.authorization?.replace(/^(Bearer|token) /, '');
    if (token !== 'good' && token !== 'reader') return [401];
    const match = /^\/(?:repos|projects)\/me\/app(\/.*)?$/.exec(path);
    if (!match) return [404];
    const rest = (match[1] ?? '').replace(/\?.*$/, '');
    if (rest === '') return [200, { id: 1 }];
    const kept = rest.startsWith('/hooks') ? hooks : /^\/(deploy_)?keys/.test(rest) ? keys : undefined;
    if (kept) {
      if (token === 'reader') return [403];
      const id = Number(rest.split('/')[2]);
      if (method === 'GET') return [200, [...kept].map(([one, value]) => ({ id: one, ...value }))];
      if (method === 'DELETE') return kept.delete(id) ? [204] : [404];
      kept.set(nextId, body);
      return [201, { id: nextId++ }];
    }
    if (rest.startsWith('/statuses/')) return [201, {}];
    if (/^\/(pulls\/\d+\/files|merge_requests\/\d+\/diffs)$/.test(rest)) {
      return [200, forge.files.map((file) => ({ filename: file, old_path: file, new_path: file }))];
    }
    if (/^\/(issues|merge_requests)\/\d+\/(comments|notes)$/.test(rest)) {
      if (method === 'GET') return [200, [...comments].map(([id, text]) => ({ id, body: text }))];
      comments.set(nextId, body.body);
      return [201, { id: nextId++ }];
    }
    const comment = /^\/(?:issues\/comments|merge_requests\/\d+\/notes)\/(\d+)$/.exec(rest);
    if (!comment || !comments.has(Number(comment[1]))) return [404];
    comments.set(Number(comment[1]), body.body);
    return [200, {}];
  };

  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    const { method = '', url = '', headers } = request;
    const path = decodeURIComponent(url).replace(/^\/api\/v\d/, '');
    const call = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) };
    calls.push(call);
    const [status, body] = answer(call);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(forge, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ calls, comments, hooks, keys },
    statuses: () =>
      calls
        .filter(({ path }) => path.includes('/statuses/'))
        .map(({ path, body }) => ({ ...body, sha: path.slice(path.lastIndexOf('/') + 1) })),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  });
}
