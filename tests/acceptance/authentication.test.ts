import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { createKey } from '../harness/accounts.ts';
import { expectError } from '../harness/error-body.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth({ env: { BERTH_LOG_LEVEL: 'debug' } });
const LIST = '/v1/deployment/list';
const call = (headers: Record<string, string>) => fetch(`${berth.url}${LIST}`, { headers });

describe('a credential', () => {
  it('is the key in either header', async () => {
    verifies('auth.api-key', 'auth.bearer');
    expect((await call({ 'X-API-Key': berth.key })).status).toBe(200);
    expect((await call({ Authorization: `Bearer ${berth.key}` })).status).toBe(200);
    expect((await call({ authorization: `bearer ${berth.key}` })).status).toBe(200);
  });

  it('that is missing or wrong is 401 with a challenge', async () => {
    verifies('auth.challenge', 'error.string-detail');
    const wrong: Record<string, string>[] = [
      {},
      { 'X-API-Key': '' },
      { 'X-API-Key': `${berth.key}x` },
      { 'X-API-Key': berth.key.slice(0, -1) },
      { 'X-API-Key': berth.key.toUpperCase() },
      { 'X-API-Key': `${berth.key}' OR '1'='1` },
      { 'X-API-Key': 'k'.repeat(4_000) },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer nonsense' },
      { Authorization: berth.key },
      { Authorization: `Basic ${btoa(`${berth.key}:`)}` },
      { Cookie: `session=${berth.key}` },
    ];
    for (const headers of wrong) await expectError(await call(headers), 401);
    expect((await fetch(`${berth.url}${LIST}?api_key=${berth.key}`)).status).toBe(401);
  });

  it('in X-API-Key wins over a good bearer', async () => {
    verifies('auth.key-wins');
    const bearer = `Bearer ${berth.key}`;
    await expectError(await call({ 'X-API-Key': 'nonsense', Authorization: bearer }), 401);
    expect((await call({ 'X-API-Key': berth.key, Authorization: 'Bearer nonsense' })).status).toBe(200);
  });

  it('that has expired is 401', async () => {
    const expiresAt = new Date(Date.now() + 1_500);
    const { secret } = await createKey(berth, { scopes: ['read'], expiresAt });
    expect((await call({ 'X-API-Key': secret })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now() + 50));
    await expectError(await call({ 'X-API-Key': secret }), 401);
  });

  it('that was revoked is 401 at once', async () => {
    const { id, secret } = await createKey(berth, { scopes: ['read'] });
    expect((await call({ 'X-API-Key': secret })).status).toBe(200);
    expect((await berth.api(`/v1/user/keys?id=${id}`, { method: 'DELETE' })).status).toBe(200);
    await expectError(await call({ 'X-API-Key': secret }), 401);
  });

  it('without the scope is 403', async () => {
    const { secret } = await createKey(berth, { scopes: ['read'] });
    const headers = { 'X-API-Key': secret };
    expect((await call(headers)).status).toBe(200);
    await expectError(await berth.post('/v1/deployment/delete', { name: 'x' }, headers), 403);
    await expectError(await berth.post('/v1/deployment/logs', { deployment_name: 'x' }, headers), 403);
    await expectError(await berth.post('/v1/env/set', { deployment_name: 'x', set: { A: '1' } }, headers), 403);
    await expectError(await berth.post('/v1/user/keys', { name: 'more', scopes: ['admin'] }, headers), 403);
  });

  it('is neither on the disk, but for the file of the first key, nor in the log', async () => {
    const { secret } = await createKey(berth, { scopes: ['read'] });
    await call({ 'X-API-Key': secret });
    await call({ Authorization: `Bearer ${secret}` });
    await call({ 'X-API-Key': `${secret}x` });
    const filesWith = (text: string) =>
      spawnSync('grep', ['-rlaF', text, berth.dataFolder], { encoding: 'utf8' }).stdout.trim().split('\n');
    expect(filesWith(secret)).toEqual(['']);
    expect(filesWith(berth.key)).toEqual([path.join(berth.dataFolder, 'api-key')]);
    expect(berth.output).not.toContain(secret);
    expect(berth.output).not.toContain(berth.key);
  });
});
