import { answerJson, createScriptedServer, type Exchange } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

/** A server with a volume of three objects, listed two a page, that keeps what it was asked for. */
async function createServer() {
  const bodies: unknown[] = [];
  const keep = (value: object) => async (exchange: Exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, value)(exchange);
  };
  const object = (path: string) => ({ path, size: 1, updated: '2026-01-01T00:00:00Z' });
  const server = await createScriptedServer({
    'GET /v1/volume/objects': (exchange) => {
      const isFirst = exchange.query.get('page_token') === null;
      const objects = (isFirst ? ['logs/a', 'logs/b'] : ['logs/c']).map(object);
      return answerJson(200, { objects, next_page_token: isFirst ? 'next' : null })(exchange);
    },
    'POST /v1/volume/delete-object': keep({ detail: 'Deleted.' }),
    'POST /v1/volume/move-object': keep({ detail: 'Moved.', complete: true }),
    'GET /v1/volume/list': answerJson(200, [{ name: 'records', object_count: 1, size_bytes: 2048 }]),
    'POST /v1/volume/delete': keep({ detail: 'Deleted records.' }),
  });
  return { server, bodies };
}

test('everything below a path is deleted, on every page of the list', async () => {
  const { server, bodies } = await createServer();
  await using _server = server;
  const { stdout } = await runInProcess(server, ['volume', 'rm', 'records', 'logs', '-r', '-y']);
  expect(stdout).toBe('3 objects deleted.\n');
  // Fails when the next page isn't asked for.
  expect(bodies).toHaveLength(3);
  // Fails when the path isn't closed with a slash: `logs-of-others` would go too.
  expect(server.requests[0]).toBe('GET /v1/volume/objects?volume=records&prefix=logs%2F');
});

test('an object moves into a folder under its name, a folder to its new path', async () => {
  const { server, bodies } = await createServer();
  await using _server = server;
  await runInProcess(server, ['volume', 'mv', 'records', 'drafts/a.txt', 'done/']);
  await runInProcess(server, ['volume', 'mv', 'records', '2025/', 'archive/2025/', '--overwrite']);
  expect(bodies).toEqual([
    // Fails when the target's slash is not read as "into".
    { volume: 'records', from: 'drafts/a.txt', to: 'done/a.txt', overwrite: false },
    { volume: 'records', from: '2025/', to: 'archive/2025/', overwrite: true },
  ]);
});

test('a volume is deleted after what it holds was said', async () => {
  const { server, bodies } = await createServer();
  await using _server = server;
  const { stderr, stdout } = await runInProcess(server, ['volume', 'delete', 'records', '-y']);
  expect(stderr).toContain('Deletes the volume records with 1 object, 2.0 KiB. It can be restored for 7 days.');
  expect([stdout, bodies]).toEqual(['Deleted records.\n', [{ name: 'records' }]]);
});
