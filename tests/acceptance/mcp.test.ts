import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../harness/accounts.ts';
import { REPO } from '../harness/berth.ts';
import '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { bearer, call, closing, connectMcp, createMcpClient } from '../harness/mcp.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

const filesOf = (text: string) =>
  Object.entries(greeter(text)).map(([name, content]) => ({ path: name, text: content }));

const post = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
  fetch(`${berth.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

describe('over HTTP', () => {
  // Fails when a tool doesn't reach the service that the API has.
  it('deploys files, and reads and changes what it deployed', { timeout: 300_000 }, async () => {
    const name = uniqueName('by-mcp');
    await using client = closing(await connectMcp(berth, bearer(berth.key)));
    const steps: (string | undefined)[] = [];
    const first = await call(client, 'deploy_files', { service: name, files: filesOf('one') }, (text) =>
      steps.push(text),
    );
    expect(first, first.text).not.toHaveProperty('isError');
    expect(first.fields).toMatchObject({ status: 'done', url: expect.stringContaining(name) });
    expect(steps.length).toBeGreaterThan(1);
    expect((await request(berth, name)).text).toBe('one');

    await call(client, 'deploy_files', { service: name, files: filesOf('two'), settings: { memory: '256Mi' } });
    expect((await request(berth, name)).text).toBe('two');
    const { fields } = await call(client, 'get_service', { service: name });
    expect(fields).toMatchObject({ name, status: 'ready', memory: '256Mi' });
    expect((await call(client, 'list_services')).text).toContain(name);
    const back = await call(client, 'rollback_service', { service: name });
    expect(back.fields).toMatchObject({ status: 'done' });
    expect((await request(berth, name)).text).toBe('one');
    const again = await call(client, 'get_deploy', { deploy_id: back.fields['deploy_id'] });
    expect(again.fields).toMatchObject({ status: 'done', revision: back.fields['revision'] });
    expect((await call(client, 'list_deploys', { service: name })).fields['deploys']).toHaveLength(3);

    const set = await call(client, 'set_variables', { service: name, set: { TOKEN: 'tell-nobody' } });
    expect(set.fields).toMatchObject({ status: 'applied' });
    const listed = await call(client, 'list_variables', { service: name });
    expect(listed.fields).toMatchObject({ variables: [{ key: 'TOKEN' }] });
    expect(set.text + listed.text).not.toContain('tell-nobody');
    await call(client, 'unset_variables', { service: name, names: ['TOKEN'] });
    expect((await call(client, 'list_variables', { service: name })).fields).toEqual({ variables: [] });

    await expect
      .poll(async () => (await call(client, 'read_logs', { service: name, filter: 'httpRequest.status=200' })).text)
      .toContain('GET');
    const query = `SELECT COUNT(*) AS n FROM logs WHERE resource.labels.service_name = '${name}'`;
    expect((await call(client, 'run_sql', { query })).fields).toMatchObject({ rows: [{ n: expect.anything() }] });
    expect((await call(client, 'get_metrics', { service: name })).fields).toHaveProperty('points');
  });

  it('says why a deploy failed, with the output of the build', { timeout: 120_000 }, async () => {
    await using client = closing(await connectMcp(berth, bearer(berth.key)));
    const files = [{ path: 'notes.xyz', text: 'nothing to run' }];
    const result = await call(client, 'deploy_files', { service: uniqueName('broken'), files });
    expect(result).toMatchObject({ isError: true, fields: { status: 'failed', code: 'build_failed' } });
    expect(result.text).toContain('deploy again');
  });

  it('reads and writes small objects of volumes', async () => {
    const volume = uniqueName('volume');
    await berth.post('/v1/volume/create', { name: volume });
    await using client = closing(await connectMcp(berth, bearer(berth.key)));
    await call(client, 'write_object', { volume, path: 'a/text.txt', text: 'grüße' });
    await call(client, 'write_object', { volume, path: 'b.bin', base64: 'AP8=' });
    expect((await call(client, 'read_object', { volume, path: 'a/text.txt' })).fields).toEqual({
      text: 'grüße',
      is_cut: false,
    });
    expect((await call(client, 'read_object', { volume, path: 'b.bin' })).fields).toMatchObject({ base64: 'AP8=' });
    expect((await call(client, 'list_objects', { volume })).text).toContain('a/text.txt');
    expect((await call(client, 'list_volumes')).text).toContain(volume);
    const missing = await call(client, 'read_object', { volume, path: 'none' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('no object') });
    const outside = await call(client, 'write_object', { volume, path: '../x', text: '' });
    expect(outside.isError).toBe(true);
  });

  it('records who changed what in the audit log, under the request of the client', async () => {
    const volume = uniqueName('audited');
    await berth.post('/v1/volume/create', { name: volume });
    const key = await createKey(berth, { scopes: ['read', 'volumes'] });
    await using client = closing(await connectMcp(berth, bearer(key.secret)));
    await call(client, 'write_object', { volume, path: 'x', text: 'x' });
    const audit = (await (await berth.api('/v1/user/audit')).json()) as { entries?: unknown[] };
    expect(JSON.stringify(audit)).toContain(key.id);
  });
});

describe('attacks', () => {
  it('refuses callers without a credential, and cookies', async () => {
    const refused = await post({});
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect((await post({ Cookie: `berth_session=${berth.key}` })).status).toBe(401);
    expect((await post(bearer('wrong'))).status).toBe(401);
    await expect(connectMcp(berth, bearer('wrong'))).rejects.toThrow();
    expect((await fetch(`${berth.url}/mcp`, { headers: bearer(berth.key) })).status).toBe(405);
  });

  it('keeps accounts apart', async () => {
    const name = uniqueName('mine');
    await deployed(berth, name, { files: greeter('mine') });
    const volume = uniqueName('mine');
    await berth.post('/v1/volume/create', { name: volume });
    const other = await createAccount(berth, uniqueName('other'));
    await using client = closing(await connectMcp(berth, bearer(other.key)));
    expect((await call(client, 'list_services')).text).not.toContain(name);
    for (const [tool, args] of [
      ['get_service', { service: name }],
      ['read_logs', { service: name }],
      ['get_metrics', { service: name }],
      ['list_variables', { service: name }],
      ['set_variables', { service: name, set: { A: 'b' } }],
      ['rollback_service', { service: name }],
      ['deploy_files', { service: name, files: filesOf('stolen') }],
      ['list_objects', { volume }],
      ['read_object', { volume, path: 'x' }],
      ['write_object', { volume, path: 'x', text: 'x' }],
    ] as const) {
      expect((await call(client, tool, args)).isError, tool).toBe(true);
    }
    const query = `SELECT COUNT(*) AS n FROM logs WHERE resource.labels.service_name = '${name}'`;
    const { rows } = (await call(client, 'run_sql', { query })).fields as { rows: { n: unknown }[] };
    expect(Number(rows[0]?.n)).toBe(0);
    expect((await request(berth, name)).text).toBe('mine');
  });

  it('refuses what the scopes of a key do not allow, and says which scope is missing', async () => {
    const name = uniqueName('scoped');
    await deployed(berth, name, { files: greeter('scoped') });
    const reader = await createKey(berth, { scopes: ['read'] });
    await using client = closing(await connectMcp(berth, bearer(reader.secret)));
    expect((await call(client, 'get_service', { service: name })).isError).toBeUndefined();
    for (const [tool, scope, args] of [
      ['deploy_files', 'deploy', { service: name, files: filesOf('x') }],
      ['set_variables', 'deploy', { service: name, set: { A: 'b' } }],
      ['rollback_service', 'deploy', { service: name }],
      ['read_logs', 'logs', { service: name }],
      ['run_sql', 'logs', { query: 'SELECT 1' }],
      ['write_object', 'volumes', { volume: 'any', path: 'x', text: 'x' }],
      ['read_object', 'volumes', { volume: 'any', path: 'x' }],
    ] as const) {
      const result = await call(client, tool, args);
      expect(result, tool).toMatchObject({ isError: true, text: expect.stringContaining(`the scope "${scope}"`) });
    }
  });

  it('refuses pages of other sites and hosts that are not its own', async () => {
    const evil = { ...bearer(berth.key), Origin: 'https://evil.example' };
    expect((await post(evil)).status).toBe(403);
    expect((await post({ ...bearer(berth.key), Origin: 'null' })).status).toBe(403);
    // The page of a site whose name was changed to lead here: its host is not one of the platform's.
    using rebound = await openRawConnection(berth.port);
    await rebound.send(
      `POST /mcp HTTP/1.1\r\nHost: evil.example\r\nX-API-Key: ${berth.key}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(await rebound.receive(/^HTTP.*\r\n/)).toMatch(/^HTTP\/1\.1 404/);
  });

  it('refuses requests that are too large or no JSON, and stays up', async () => {
    const huge = await post(bearer(berth.key), { jsonrpc: '2.0', id: 1, method: 'x'.repeat(17 * 2 ** 20) }).catch(
      () => undefined,
    );
    expect([413, undefined]).toContain(huge?.status);
    const odd = await fetch(`${berth.url}/mcp`, {
      method: 'POST',
      headers: { ...bearer(berth.key), 'Content-Type': 'text/plain' },
      body: 'x',
    });
    expect(odd.status).toBeGreaterThanOrEqual(400);
    expect(odd.status).toBeLessThan(500);
    const batch = Array.from({ length: 1_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} }));
    expect((await post(bearer(berth.key), batch)).status).toBeLessThan(500);
    expect((await berth.api('/healthz')).status).toBe(200);
  });
});

describe('over standard input and output', () => {
  const start = async (cwd: string, words: readonly string[] = [], key = berth.key) => {
    const client = createMcpClient();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [path.join(REPO, 'apps/cli/bin/berth.js'), 'mcp', ...words],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, BERTH_URL: berth.url, BERTH_API_KEY: key },
    });
    await client.connect(transport);
    return client;
  };

  it('deploys a folder of this machine, and none outside the one it was started for', {
    timeout: 180_000,
  }, async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-mcp-'));
    const name = uniqueName('local');
    for (const at of ['work/app', 'outside']) {
      mkdirSync(path.join(folder.path, at), { recursive: true });
      for (const [file, content] of Object.entries(greeter('from a folder'))) {
        writeFileSync(path.join(folder.path, at, file), content);
      }
    }
    writeFileSync(path.join(folder.path, 'work/app/berth.json'), JSON.stringify({ name, memory: '256Mi' }));
    symlinkSync(path.join(folder.path, 'outside'), path.join(folder.path, 'work/link'));
    await using client = closing(await start(path.join(folder.path, 'work')));
    const result = await call(client, 'deploy_folder', { folder: 'app' });
    expect(result.fields, result.text).toMatchObject({ status: 'done' });
    expect((await request(berth, name)).text).toBe('from a folder');
    expect((await call(client, 'get_service', { service: name })).fields).toMatchObject({ memory: '256Mi' });
    for (const outside of ['../outside', 'link', path.join(folder.path, 'outside'), '/etc']) {
      const refused = await call(client, 'deploy_folder', { folder: outside, service: name });
      expect(refused, outside).toMatchObject({ isError: true, text: expect.stringContaining('outside') });
    }
    writeFileSync(path.join(folder.path, 'work/app/.env'), 'SECRET=1');
    const secret = await call(client, 'deploy_folder', { folder: 'app' });
    expect(secret).toMatchObject({ isError: true, text: expect.stringContaining('.env') });
  });

  it('has the permissions of the key', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-mcp-'));
    const reader = await createKey(berth, { scopes: ['read'] });
    await using client = closing(await start(folder.path, [], reader.secret));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('deploy_folder');
    const refused = await call(client, 'run_sql', { query: 'SELECT 1' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('the scope "logs"') });
  });
});
