import { execFileSync } from 'node:child_process';
import { setEnvironmentResponseSchema } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { probe } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth({ env: { BERTH_ENV_PREFIXES: 'ACME' } });

const environmentOf = async (name: string) => (await request(berth, name, '/env')).json<Record<string, string>>();
const list = async (name: string) => (await (await berth.api(`/v1/env/list?name=${name}`)).json()) as { key: string }[];

/** Changes the environment; what serves, if anything, has it when this resolves. */
async function setEnvironment(name: string, set: Record<string, string>, unset: string[] = []): Promise<void> {
  const answer = await berth.post('/v1/env/set', { deployment_name: name, set, unset });
  const { status } = setEnvironmentResponseSchema.parse(await answer.json());
  expect(['applied', 'stored']).toContain(status);
}

describe('a service is given', () => {
  it('what the contract lists, and nothing of the platform', async () => {
    verifies('service.variables', 'service.listens', 'service.clean-environment', 'service.prefixes');
    const name = uniqueName('given');
    const volumes = '{"/data":{"name":"records","sub_path":"x"}}';
    const { last } = await deployed(berth, name, { files: probe(), fields: { volumes } });
    const environment = await environmentOf(name);
    const mounts = JSON.stringify({ '/data': { name: 'records', read_only: false, sub_path: 'x' } });
    expect(environment).toMatchObject({
      K_SERVICE: name,
      K_REVISION: last.revision,
      K_CONFIGURATION: name,
      BERTH_URL: last.url,
      BERTH_VOLUMES: mounts,
      ACME_URL: last.url,
      ACME_VOLUMES: mounts,
      PORT: expect.stringMatching(/^\d+$/),
    });
    expect(environment).not.toHaveProperty('CRON_TOKEN');
    const own = Object.keys(environment).filter((key) => key.startsWith('BERTH_'));
    expect(own.sort()).toEqual(['BERTH_ACCOUNT_ID', 'BERTH_ISSUER', 'BERTH_JWKS', 'BERTH_URL', 'BERTH_VOLUMES']);
    expect(JSON.stringify(environment)).not.toContain(berth.key);
  });

  it('a token for its schedule, the same in every revision', async () => {
    verifies('service.cron-token', 'service.prefixes');
    const name = uniqueName('token');
    const fields = { schedule: '0 5 1 1 *' };
    await deployed(berth, name, { files: probe(), fields });
    const first = await environmentOf(name);
    expect(first['CRON_TOKEN']).toMatch(/^\S{20,}$/);
    expect(first['ACME_CRON_TOKEN']).toBe(first['CRON_TOKEN']);
    await deployed(berth, name, { files: probe() });
    expect(await environmentOf(name)).not.toHaveProperty('CRON_TOKEN');
  });

  it('its volumes: shared between services, kept between instances, read-only where said', async () => {
    verifies('form.volumes', 'form.sub-path', 'delete.keeps-data');
    const [writer, reader, volume] = [uniqueName('writer'), uniqueName('reader'), uniqueName('volume')];
    await deployed(berth, writer, { files: probe(), fields: { volumes: `{"/data":"${volume}"}` } });
    const readOnly = `{"/in":{"name":"${volume}","read_only":true,"sub_path":"deep/er"}}`;
    await deployed(berth, reader, { files: probe(), fields: { volumes: readOnly } });
    const write = await request(berth, writer, '/write?path=/data/deep/er/note.txt&text=hello');
    expect(write.json()).toMatchObject({ ok: true });
    expect((await request(berth, reader, '/read?path=/in/note.txt')).json()).toMatchObject({
      ok: true,
      value: 'hello',
    });
    expect((await request(berth, reader, '/write?path=/in/note.txt&text=changed')).json()).toMatchObject({ ok: false });
    expect((await request(berth, writer, '/read?path=/data/deep/er/note.txt')).json()).toMatchObject({
      value: 'hello',
    });
  });
});

describe('an owner’s own variables', () => {
  it('reach the service in a new revision, without a build', async () => {
    verifies('env.set', 'env.new-revision', 'env.survives-deploy', 'env.list');
    const name = uniqueName('vars');
    const { last } = await deployed(berth, name, { files: probe() });
    const value = 'first line\nsecond "line" $HOME `id` ü';
    await setEnvironment(name, { GREETING: value, EMPTY: '', DROPPED: 'x' });
    const environment = await environmentOf(name);
    expect(environment).toMatchObject({ GREETING: value, EMPTY: '', DROPPED: 'x' });
    expect(environment['K_REVISION']).not.toBe(last.revision);
    await setEnvironment(name, {}, ['DROPPED', 'NEVER_THERE']);
    await deployed(berth, name, { files: probe() });
    const after = await environmentOf(name);
    expect(after).toMatchObject({ GREETING: value, EMPTY: '' });
    expect(after).not.toHaveProperty('DROPPED');
    const rows = await list(name);
    expect(rows.map((row) => row.key).sort()).toEqual(['EMPTY', 'GREETING']);
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(['key', 'updated_at']);
  });

  it('may be set before the first deploy, which reserves the name', async () => {
    verifies('env.before-first-deploy');
    const name = uniqueName('early');
    await setEnvironment(name, { EARLY: 'bird' });
    expect(await list(name)).toEqual([{ key: 'EARLY', updated_at: expect.any(String) }]);
    await deployed(berth, name, { files: probe() });
    expect(await environmentOf(name)).toMatchObject({ EARLY: 'bird' });
  });

  it('are refused where they cannot be', async () => {
    verifies('env.keys', 'env.size', 'env.no-override');
    const name = uniqueName('wrong');
    const set = async (values: Record<string, unknown>) =>
      placesOf(await expectIssues(await berth.post('/v1/env/set', { deployment_name: name, set: values })));
    for (const key of ['1A', 'A-B', 'A B', 'Ä', '', 'A=B'])
      expect(await set({ [key]: 'x' })).toEqual([`body.set.${key}`]);
    for (const key of ['PORT', 'K_SERVICE', 'K_REVISION', 'BERTH_URL', 'BERTH_VOLUMES', 'CRON_TOKEN', 'ACME_URL']) {
      expect(await set({ [key]: 'x' })).toEqual([`body.set.${key}`]);
    }
    expect(await set({ A: 'x'.repeat(32_769) })).toEqual([expect.stringMatching(/^body\.set/)]);
    expect(await set({ A: 1 })).toEqual(['body.set.A']);
    expect(await set({ A: 'nul\0' })).toEqual(['body.set.A']);
    await expectError(await berth.api(`/v1/env/list?name=${name}`), 404);
  });

  it('are told to nobody: not to lists, streams, logs or the disk', async () => {
    verifies('env.encrypted', 'env.hidden');
    const name = uniqueName('secret');
    const canary = `canary-${crypto.randomUUID()}`;
    await setEnvironment(name, { SECRET: canary });
    const { events } = await deployed(berth, name, { files: probe() });
    const told = [
      JSON.stringify(events),
      await (await berth.api('/v1/deployment/list')).text(),
      await (await berth.api(`/v1/deployment/${name}`)).text(),
      await (await berth.api(`/v1/env/list?name=${name}`)).text(),
      JSON.stringify(await readLogs(berth, name)),
      berth.output,
    ];
    for (const text of told) expect(text).not.toContain(canary);
    expect((await environmentOf(name))['SECRET']).toBe(canary);
    const grep = () => execFileSync('grep', ['-rlaF', canary, berth.dataFolder], { encoding: 'utf8' });
    // grep ends with 1 when it found nothing.
    expect(grep).toThrow(expect.objectContaining({ status: 1 }));
  });

  it('are set, shown and removed by the command line', async () => {
    verifies('env.cli');
    const name = uniqueName('cli-env');
    await deployed(berth, name, { files: probe() });
    expect(await cli(berth, ['env', 'set', name, 'A=1', 'B=two words'])).toMatchObject({ code: 0 });
    expect(await environmentOf(name)).toMatchObject({ A: '1', B: 'two words' });
    const shown = await cli(berth, ['env', 'ls', name]);
    expect(shown.stdout).toContain('A');
    expect(shown.stdout).not.toContain('two words');
    expect(await cli(berth, ['env', 'rm', name, 'A', '-y'])).toMatchObject({ code: 0 });
    expect((await list(name)).map((row) => row.key)).toEqual(['B']);
  });
});
