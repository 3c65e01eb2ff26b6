import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const MOVE = 'POST /v1/volume/move-object';

test('mv asks until a large folder is through, and moves an object into a folder under its name', async () => {
  const bodies: unknown[] = [];
  berth.server.on(MOVE, async (exchange) => {
    bodies.push(await exchange.json());
    return answerJson(200, { detail: 'It moved.', complete: bodies.length > 1 })(exchange);
  });
  const { code, stdout } = await berth.run(['volume', 'mv', 'data', 'old/', 'new/']);
  expect([code, stdout.trim()]).toEqual([0, 'It moved.']);
  const request = { volume: 'data', from: 'old/', to: 'new/', overwrite: false };
  expect(bodies).toEqual([request, request]);
  await berth.run(['volume', 'mv', 'data', 'a/x.txt', 'b/', '--overwrite']);
  expect(bodies.at(-1)).toEqual({ volume: 'data', from: 'a/x.txt', to: 'b/x.txt', overwrite: true });
});

test('mv says what is in the way', async () => {
  berth.server.on(MOVE, answerJson(409, { detail: '"b" already exists. Send overwrite=true.' }));
  const { code, stderr } = await berth.run(['volume', 'mv', 'data', 'a', 'b']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('"b" already exists')]);
});

test('deleted volumes are listed with how long they can be restored', async () => {
  const volume = {
    name: 'media',
    created_at: '2026-01-01T00:00:00Z',
    deleted_at: '2026-02-01T00:00:00Z',
    restorable_until: '2026-02-08T00:00:00Z',
    size_bytes: 2_048,
    object_count: 3,
  };
  berth.server.on('GET /v1/volume/deleted', answerJson(200, [volume]));
  const { stdout } = await berth.run(['volume', 'ls', '--deleted']);
  expect(stdout).toContain('2026-02-08T00:00:00Z');
  expect(JSON.parse((await berth.run(['volume', 'ls', '--deleted', '--json'])).stdout)).toEqual([volume]);
});
