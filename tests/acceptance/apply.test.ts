import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DeploymentDetail } from '@berth/contract';
import { expect, it } from 'vitest';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, type ProjectFiles, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

/** A folder with a `platform.yaml` and sources, and `berth apply` in it. */
function openProject(files: ProjectFiles) {
  const folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-apply-'));
  const write = (more: ProjectFiles) => {
    for (const [name, content] of Object.entries(more)) {
      const file = path.join(folder.path, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  write(files);
  return {
    write,
    apply: (words: readonly string[] = ['-y'], env: Record<string, string> = {}) =>
      cli(berth, ['apply', ...words], { cwd: folder.path, env }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const inFolder = (folder: string, files: ProjectFiles): ProjectFiles =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
const detailOf = async (name: string) => (await (await berth.api(`/v1/deployment/${name}`)).json()) as DeploymentDetail;

// Fails when a second run builds, deploys or asks for anything, or a setting that left the file stays.
it('makes the platform what the file says, and changes nothing the second time', { timeout: 300_000 }, async () => {
  const [web, job, volume] = [uniqueName('web'), uniqueName('job'), uniqueName('spare')];
  const platform = (memory = '') => `
services:
  ${web}:
    source: ./web
    env: [API_TOKEN, REGION]
    domains: [${web}.example.com]
    volumes: { /data: ${web}-data }
    ${memory}
  ${job}:
    source: ./job
    schedule: "0 3 * * *"
volumes: [${volume}]
`;
  using project = openProject({
    'platform.yaml': platform('memory: 256Mi'),
    '.env': 'API_TOKEN=first-secret\nREGION=from-file\n',
    ...inFolder('web', probe()),
    ...inFolder('job', greeter('job')),
  });
  const plan = await project.apply(['--plan', '--exit-code', '--json'], { REGION: 'eu' });
  expect(plan.code, plan.stderr).toBe(3);
  const { changes } = JSON.parse(plan.stdout) as { changes: { action: string }[] };
  expect(changes.map(({ action }) => action)).toEqual([
    ...['create_volume', 'set_variables', 'create_service', 'add_domain', 'create_service'],
  ]);
  expect((await berth.api(`/v1/deployment/${web}`)).status).toBe(404);

  const first = await project.apply(['-y'], { REGION: 'eu' });
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toContain(`+ service ${web}`);
  expect(first.stdout + first.stderr + plan.stdout).not.toMatch(/first-secret|from-file/);
  const environment = await (await request(berth, web, '/env')).json<Record<string, string>>();
  expect(environment).toMatchObject({ API_TOKEN: 'first-secret', REGION: 'eu' });
  const before = await detailOf(web);
  expect(before).toMatchObject({ memory: '256Mi', volumes: { '/data': { name: `${web}-data` } } });
  expect((await detailOf(job)).schedule).toEqual({ cron: '0 3 * * *', timezone: 'UTC' });

  const second = await project.apply(['-y'], { REGION: 'eu' });
  expect(second).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  expect((await project.apply(['--plan', '--exit-code'], { REGION: 'eu' })).code).toBe(0);
  expect(await detailOf(web)).toMatchObject({ revision: before.revision });

  // Another value of a variable is applied, and shown nowhere.
  const value = await project.apply(['-y'], { REGION: 'us-secret' });
  expect(value.code, value.stderr).toBe(0);
  expect(value.stdout + value.stderr).not.toContain('us-secret');
  expect(await (await request(berth, web, '/env')).json()).toMatchObject({ REGION: 'us-secret' });

  // A setting that left the file has its default again, and the source is not built again.
  project.write({ 'platform.yaml': platform() });
  const changed = await project.apply(['-y'], { REGION: 'us-secret' });
  expect(changed.stdout).toContain(`~ service ${web}: memory 256Mi → 1Gi`);
  expect(changed.stdout).not.toContain('source');
  const after = await detailOf(web);
  expect(after.memory).toBe('1Gi');
  expect(after.revisions[0]?.digest).toBe(before.revisions[0]?.digest);

  project.write(inFolder('job', greeter('another job')));
  const source = await project.apply(['-y'], { REGION: 'us-secret' });
  expect(source.stdout).toContain(`~ service ${job}: source`);
  expect(source.stdout).not.toContain(`service ${web}`);
  expect((await request(berth, job)).text).toBe('another job');
});

// Fails when one failure stops other services, or the next run repeats what was done.
it('goes on after a failure, reports it, and does the rest the next time', { timeout: 180_000 }, async () => {
  const [good, bad] = [uniqueName('good'), uniqueName('bad')];
  using project = openProject({
    'platform.yaml': `services:\n  ${bad}: { source: bad, domains: [${bad}.example.com] }\n  ${good}: { source: good }\n`,
    'bad/notes.xyz': 'nothing to run',
    ...inFolder('good', greeter('good')),
  });
  const failed = await project.apply(['-y', '--json']);
  expect(failed.code).toBe(1);
  const results = failed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { service?: string; result?: string });
  expect(results.filter(({ service }) => service === bad).map(({ result }) => result)).toEqual(['failed', 'skipped']);
  expect(results.at(-1)).toEqual({ applied: 1, failed: 1 });
  expect((await request(berth, good)).text).toBe('good');
  const revision = (await detailOf(good)).revision;
  project.write(inFolder('bad', greeter('repaired')));
  const repaired = await project.apply();
  expect(repaired.code, repaired.stderr).toBe(0);
  expect((await request(berth, bad)).text).toBe('repaired');
  expect((await detailOf(good)).revision).toBe(revision);
});

it('asks before it changes anything, and names every fault of a file', async () => {
  const name = uniqueName('asked');
  using project = openProject({
    'platform.yaml': `services:\n  ${name}: { source: app, env: [TOKEN] }\n`,
    ...inFolder('app', greeter('asked')),
  });
  const missing = await project.apply();
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining(`No value for TOKEN of ${name}`) });
  const unasked = await project.apply([], { TOKEN: 'x' });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal') });
  expect((await berth.api(`/v1/deployment/${name}`)).status).toBe(404);
  for (const [text, problem] of [
    ['services: { Bad_Name: { source: app } }', 'upper-case'],
    [`services: { ${name}: { source: app, memroy: 1Gi } }`, 'memroy'],
    [`services: { ${name}: { source: app, memory: 1Ti } }`, `services.${name}.memory`],
    [`services: { ${name}: { source: app, env: { TOKEN: secret } } }`, 'env'],
    [`services: { ${name}: { source: nowhere } }`, 'does not exist'],
    ['services: [', 'is not YAML'],
  ] as const) {
    project.write({ 'platform.yaml': text });
    const result = await project.apply(['--plan']);
    expect(result, text).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    expect(result.stderr).not.toContain('secret');
  }
  expect((await project.apply(['--delete-data'])).code).toBe(2);
});

// Fails when something is deleted without --prune, or data without --delete-data.
it('deletes what is not in the file only with --prune, and data only with --delete-data', {
  timeout: 180_000,
}, async () => {
  const [kept, extra, empty, full] = ['kept', 'extra', 'empty', 'full'].map(uniqueName) as [
    string,
    string,
    string,
    string,
  ];
  using project = openProject({
    'platform.yaml': `services:\n  ${kept}: { source: app }\n`,
    ...inFolder('app', greeter('kept')),
  });
  await deployed(berth, extra, { files: greeter('extra') });
  for (const name of [empty, full]) await berth.post('/v1/volume/create', { name });
  const signed = (await (await berth.post('/v1/volume/upload', { volume: full, path: 'x' })).json()) as { url: string };
  await fetch(signed.url, { method: 'PUT', body: 'data' });
  const namesOf = async (route: string) => {
    const rows = (await (await berth.api(route)).json()) as { name: string }[];
    return rows.map(({ name }) => name);
  };
  const unpruned = await project.apply();
  expect(unpruned.stderr).toContain(`Service ${extra} is not in the file`);
  expect(await namesOf('/v1/deployment/list')).toContain(extra);
  expect((await project.apply(['--prune'])).code).toBe(2);
  expect(await namesOf('/v1/deployment/list')).toContain(extra);

  const pruned = await project.apply(['--prune', '-y']);
  expect(pruned.code, pruned.stderr).toBe(0);
  expect(pruned.stdout).toContain(`- service ${extra}`);
  expect(pruned.stderr).toContain(`Volume ${full} has data; --delete-data deletes it`);
  await expect.poll(() => namesOf('/v1/deployment/list')).toEqual([kept]);
  const volumes = await namesOf('/v1/volume/list');
  expect(volumes).toContain(full);
  expect(volumes).not.toContain(empty);
  await project.apply(['--prune', '--delete-data', '-y']);
  expect(await namesOf('/v1/volume/list')).not.toContain(full);
});
