import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { type Berth, spawnServer, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { findProcesses } from '../harness/processes.ts';
import { greeter } from '../harness/project-files.ts';
import { hostOf, request } from '../harness/request.ts';
import { RUNTIME } from '../harness/runtime.ts';
import { databaseOf } from '../harness/test-database.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Goes the way of a person from an agent's page to the platform and back, and answers the token that the page gets. */
async function signIn(berth: Berth, agent: string, apiKey: string): Promise<string> {
  const { url } = berth;
  const verifier = 'v'.repeat(43);
  const redirect_uri = `http://${hostOf(berth, agent)}/`;
  const asked = new URLSearchParams({
    ...{ response_type: 'code', client_id: agent, redirect_uri, scope: 'openid', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const page = await fetch(`${url}/oauth2/authorize?${asked}`);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';')[0]);
  const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
  const signedIn = await send(
    `/oauth2/sign-in?${asked}`,
    { api_key: apiKey, form_token },
    { cookie: cookie.join('; ') },
  );
  cookie.push(...signedIn.headers.getSetCookie().map((one) => one.split(';')[0]));
  const next = new URL(signedIn.headers.get('location') ?? '', url);
  const back = await fetch(next, { headers: { cookie: cookie.join('; ') }, redirect: 'manual' });
  const location = new URL(back.headers.get('location') ?? '');
  expect(location.href.startsWith(redirect_uri)).toBe(true);
  const code = location.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id: agent, redirect_uri, code, code_verifier: verifier };
  const tokens = (await (await send('/oauth2/token', grant)).json()) as { access_token: string };
  return tokens.access_token;
}

describe('the first start', () => {
  it('prints the address and the key once, and deploys a service and an agent, which answer', {
    timeout: 120_000,
  }, async () => {
    verifies('address.url');
    await using berth = await startBerth({ hasExample: true, hasGeneratedKey: true });
    const keyFile = path.join(berth.dataFolder, 'api-key');
    const key = readFileSync(keyFile, 'utf8').trim();
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(berth.output).toContain(key);
    expect(berth.output).toContain(`:${berth.port}`);
    await waitFor('the example is announced', () => berth.output.includes(`http://hello-node.localhost:${berth.port}`));
    const answer = await request(berth, 'hello-node');
    expect(answer.json()).toMatchObject({ message: 'Hello from Berth', name: 'hello-node' });
    await waitFor('the agent is announced', () => berth.output.includes(`http://agent-echo.localhost:${berth.port}`), {
      timeoutMs: 90_000,
    });
    const chat = (bearer: string) =>
      request(berth, 'agent-echo', '/chat', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'ahoy' }] }),
      });
    const made = await berth.post('/v1/user/token', { deployment: 'agent-echo' });
    const { token } = (await made.json()) as { token: string };
    expect((await chat(token)).text).toContain('"text":"ahoy"');
    expect((await chat('guess')).status).toBe(401);
    expect((await chat(await signIn(berth, 'agent-echo', key))).text).toContain('"text":"ahoy"');

    await berth.stop();
    const printedBefore = berth.output.length;
    await berth.start();
    expect((await request(berth, 'hello-node')).status).toBe(200);
    expect(berth.output.slice(printedBefore)).not.toContain(key);
    expect(readFileSync(keyFile, 'utf8').trim()).toBe(key);
    expect((await berth.api('/v1/deployment/list')).status).toBe(200);
  });

  it('keeps an example that was deleted deleted', async () => {
    await using berth = await startBerth({ hasExample: true });
    await waitFor('the example answers', async () => (await request(berth, 'hello-node')).status === 200);
    await waitFor('its deploy has ended', async () => {
      const answer = await berth.api('/v1/deployment/hello-node');
      return ((await answer.json()) as { status: string }).status === 'ready';
    });
    expect((await berth.post('/v1/deployment/delete', { name: 'hello-node' })).status).toBe(200);
    await berth.stop();
    await berth.start();
    expect((await request(berth, 'hello-node')).status).toBe(404);
  });
});

describe('a later start', () => {
  it('finds deployments, accounts and revisions again, and starts instances on demand', async () => {
    verifies('address.cold');
    await using berth = await startBerth();
    const name = uniqueName('again');
    const { last } = await deployed(berth, name, { files: greeter('still here') });
    await berth.stop();
    await berth.start();
    const answer = await berth.api(`/v1/deployment/${name}`);
    expect(await answer.json()).toMatchObject({ status: 'ready', revision: last.revision, instances: 0 });
    expect((await request(berth, name)).text).toBe('still here');
  });
});

describe('a second server on the same data folder', () => {
  it('refuses, and the first goes on', async () => {
    await using berth = await startBerth();
    const second = spawnServer(['--port', '0', '--data', berth.dataFolder], {});
    const [stderr, stdout, [code]] = await Promise.all([
      text(second.stderr as NodeJS.ReadableStream),
      text(second.stdout as NodeJS.ReadableStream),
      once(second, 'exit'),
    ]);
    expect(code).not.toBe(0);
    expect(stderr + stdout).toContain(berth.dataFolder);
    expect(stderr + stdout).not.toContain('    at ');
    expect((await berth.api('/v1/deployment/list')).status).toBe(200);
  });
});

describe('a server that cannot start', () => {
  it.each([
    ['an unknown option', ['--colour', 'red'], {}, /colour/],
    ['an unknown setting', [], { BERTH_COLOUR: 'red' }, /BERTH_COLOUR/],
    ['a port that is none', ['--port', '70000'], {}, /port/],
    ['a bootstrap key that is too short', [], { BERTH_BOOTSTRAP_KEY: 'short' }, /BERTH_BOOTSTRAP_KEY.*32/],
  ])('says why: %s', async (_title, words, settings, message) => {
    const server = spawnServer(['--data', '/nonexistent/berth', ...words], settings as Record<string, string>);
    const [stderr, [code]] = await Promise.all([text(server.stderr as NodeJS.ReadableStream), once(server, 'exit')]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });

  it('says so when its port is taken', async () => {
    await using berth = await startBerth();
    await using other = await startBerth();
    await other.stop();
    const settings = await databaseOf(other.dataFolder);
    const server = spawnServer(['--port', String(berth.port), '--data', other.dataFolder], settings);
    const [stderr, [code]] = await Promise.all([text(server.stderr as NodeJS.ReadableStream), once(server, 'exit')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(String(berth.port));
    expect(stderr).not.toContain('    at ');
    await other.start();
  });
});

// Fails when the banner doesn't look at `isRevoked`: it goes on telling people to use the key.
it("a start says that the first account's key was revoked, and how to get another", async () => {
  await using berth = await startBerth({ hasGeneratedKey: true });
  const keyFile = path.join(berth.dataFolder, 'api-key');
  const keys = (await (await berth.api('/v1/user/keys')).json()) as readonly { readonly id: string }[];
  expect((await berth.api(`/v1/user/keys?id=${keys[0]?.id}`, { method: 'DELETE' })).status).toBe(200);
  await berth.stop();
  await berth.start();
  // The banner follows the first answer.
  await waitFor('the banner says it', () => berth.output.includes(`API key   revoked (the one in ${keyFile})`));
  expect(berth.output).toContain(`For a new one, delete ${keyFile} and start again.`);
  expect((await berth.api('/v1/user')).status).toBe(401);

  await berth.stop();
  rmSync(keyFile);
  await berth.start();
  const fresh = readFileSync(keyFile, 'utf8').trim();
  await waitFor('the banner shows it', () => berth.output.includes(fresh));
  expect((await berth.api('/v1/user', { headers: { 'X-API-Key': fresh } })).status).toBe(200);
});

describe('the end of a server', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('by %s is clean: exit code 0 and no process left', async (signal) => {
    verifies('service.stop');
    await using berth = await startBerth();
    const name = uniqueName('left');
    await deployed(berth, name, { files: greeter('x') });
    expect((await request(berth, name)).status).toBe(200);
    expect(await berth.stop(signal)).toEqual({ code: 0, signal: null });
    expect(findProcesses(`K_SERVICE=${name}`)).toEqual([]);
    expect(findProcesses(berth.dataFolder)).toEqual([]);
  });

  it('by SIGKILL leaves no process either; a container goes on under the next one', async (context) => {
    await needs(context, 'procfs');
    await using berth = await startBerth();
    const name = uniqueName('killed');
    await deployed(berth, name, { files: greeter('x') });
    const services = () => findProcesses(`K_SERVICE=${name}`);
    const before = services();
    await berth.kill9();
    if (RUNTIME === 'process') await waitFor('its services are gone', () => services().length === 0);
    await waitFor('its helpers are gone', () => findProcesses(berth.dataFolder).length === 0);
    await berth.start();
    expect((await request(berth, name)).text).toBe('x');
    if (RUNTIME === 'docker') expect(services()).toEqual(before);
    await berth.stop('SIGTERM');
    await waitFor('its services are gone', () => services().length === 0);
  });
});
