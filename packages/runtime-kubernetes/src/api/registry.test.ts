import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openRegistry, registrySecret } from './registry.ts';

async function listen(answer: (request: IncomingMessage, response: ServerResponse, origin: string) => void) {
  const seen: string[] = [];
  let origin = '';
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    answer(request, response, origin);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return { origin, seen, [Symbol.dispose]: () => void server.close() };
}
const CREDENTIALS = { username: 'u', password: 'p' };
const BASIC = `Basic ${Buffer.from('u:p').toString('base64')}`;

describe('a registry', () => {
  it('is read with a token for each repository, asked for once', async () => {
    using server = await listen((request, response, origin) => {
      const { authorization } = request.headers;
      if (request.url?.startsWith('/token')) response.end(JSON.stringify({ token: 't1' }));
      else if (authorization !== 'Bearer t1') {
        response.setHeader('www-authenticate', `Bearer realm="${origin}/token",service="r",scope="repository:x:pull"`);
        response.writeHead(401).end();
      } else if (request.url?.includes('/manifests/')) response.end(JSON.stringify({ config: { digest: 'sha256:c' } }));
      else response.end(JSON.stringify({ config: { Cmd: ['x'] } }));
    });
    const registry = openRegistry({ url: `${server.origin}/berth`, credentials: CREDENTIALS });
    expect(await registry.readConfig('acme/shop', 'sha256:d')).toEqual({ Cmd: ['x'] });
    expect(server.seen).toEqual([
      'GET /v2/berth/acme/shop/manifests/sha256:d -',
      `GET /token?service=r&scope=repository%3Ax%3Apull ${BASIC}`,
      'GET /v2/berth/acme/shop/manifests/sha256:d Bearer t1',
      'GET /v2/berth/acme/shop/blobs/sha256:c Bearer t1',
    ]);
    expect(registry.place).toBe(`${new URL(server.origin).host}/berth`);
    expect(registry.isPlain).toBe(true);
  });

  it('tells whether an image is gone, and what is wrong with it', async () => {
    let status = 202;
    using server = await listen((_request, response) => response.writeHead(status).end());
    const registry = openRegistry({ url: server.origin });
    expect(registry.place).toBe(new URL(server.origin).host);
    expect(await registry.remove('a/b', 'sha256:d')).toBe(true);
    status = 405;
    expect(await registry.remove('a/b', 'sha256:d')).toBe(false);
    status = 401;
    await expect(registry.check()).rejects.toThrow('Check its credentials');
    await expect(openRegistry({ url: 'http://127.0.0.1:1' }).check()).rejects.toThrow('did not answer');
  });

  it('has its credentials in the form that nodes read', () => {
    const secret = registrySecret({ url: 'https://r.example.com/x', credentials: CREDENTIALS }, 'ns', {});
    const auth = Buffer.from('u:p').toString('base64');
    expect(JSON.parse(secret?.stringData?.['.dockerconfigjson'] ?? '')).toEqual({
      auths: { 'r.example.com': { auth } },
    });
    expect(registrySecret({ url: 'https://r.example.com' }, 'ns', {})).toBeUndefined();
  });
});
