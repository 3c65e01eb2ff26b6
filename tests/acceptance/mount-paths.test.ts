import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed, postDeploy, readDeployStream } from '../harness/deploy.ts';
import { expectIssues } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject, probe } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { needsProcesses } from '../harness/runtime.ts';
import { changeDatabase } from '../harness/test-database.ts';
import { useBerth } from '../harness/use-berth.ts';
import { volumeClient } from '../harness/volumes.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();
beforeEach((context) => needsProcesses(context, 'in a container a mount affects only that container'));

// Fails when a deploy is not held to the runtime's mount policy (`refuseMounts`).
it('volumes over the system and the platform are refused, and nothing is stored', async () => {
  verifies('form.mount-path');
  const [name, volume] = [uniqueName('over'), uniqueName('vol')];
  for (const mountPath of [
    ...['/usr/bin', '/usr', '/usr/local/bin', '/lib/x86_64-linux-gnu', '/bin', '/sbin', '/lib64', '/etc/ssl', '/nix'],
    ...['/root/x', '/home/x', '/run/x', '/tmp/x', '/var', '/var/tmp/x', '/boot', '/usr/../data', '/USR', '/Usr/Bin'],
    ...[berth.dataFolder, path.join(berth.dataFolder, 'work/run/x'), path.dirname(berth.dataFolder)],
  ]) {
    const volumes = JSON.stringify({ '/data': volume, [mountPath]: `${volume}-x` });
    const issues = await expectIssues(await postDeploy(berth, name, { files: probe(), fields: { volumes } }));
    expect(issues.map(({ loc }) => loc)).toEqual([['body', 'volumes', mountPath]]);
  }
  const names = async (route: string) =>
    ((await (await berth.api(route)).json()) as { name: string }[]).map((one) => one.name);
  expect(await names('/v1/deployment/list')).not.toContain(name);
  expect((await names('/v1/volume/list')).filter((one) => one.startsWith(volume))).toEqual([]);
});

it('volumes at paths that a service may own are there', async () => {
  const [name, volume] = [uniqueName('own'), volumeClient(berth, uniqueName('vol'))];
  await volume.create();
  await volume.put('file', 'over HTTP');
  const paths = ['/data/deep', '/mnt/x', '/srv/x/y', '/var/lib/x', '/var/www/x', '/app/x', '/workspace', '/models'];
  const volumes = JSON.stringify(Object.fromEntries(paths.map((one) => [one, volume.name])));
  await deployed(berth, name, { files: probe(), fields: { volumes } });
  const placed = JSON.parse((await request(berth, name, '/env')).json<{ BERTH_VOLUMES: string }>().BERTH_VOLUMES);
  for (const mountPath of paths) {
    // Without a sandbox the volume has a path of its own.
    const file = `${placed[mountPath].path ?? mountPath}/file`;
    const read = (await request(berth, name, `/read?${new URLSearchParams({ path: file })}`)).json();
    expect([mountPath, read]).toEqual([mountPath, { ok: true, value: 'over HTTP' }]);
  }
});

/** Puts programs into its volume that write down who runs them, and is started by one of that name. */
const PLANTER = nodeProject(
  `
  import { copyFileSync, realpathSync, writeFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  const mounted = Object.entries(JSON.parse(process.env.BERTH_VOLUMES))[0];
  const folder = mounted[1].path ?? mounted[0];
  copyFileSync(realpathSync('/bin/sh'), folder + '/sh');
  const trace = 'while read -r key value rest; do [ "$key" = Uid: ] && echo "$value"; done < /proc/self/status > /usr/bin/proof';
  for (const name of ['prlimit', 'setpriv', 'env', 'node', 'npm'])
    writeFileSync(folder + '/' + name, '#!/usr/bin/sh\\n' + trace + '\\n', { mode: 0o755 });
  createServer((request, response) => response.end('planted')).listen(process.env.PORT, '0.0.0.0');
`,
  { 'berth.json': '{"start":"env node server.js"}' },
);

// Fails when the runtime mounts what was stored (`judge` in runtime-process): the volume's `env` has run then.
it('a revision of an earlier version with a volume over the system does not start, until it has another path', async () => {
  const [name, volume] = [uniqueName('old'), volumeClient(berth, uniqueName('vol'))];
  const { last } = await deployed(berth, name, {
    files: PLANTER,
    fields: { volumes: JSON.stringify({ '/data': volume.name }) },
  });
  await berth.stop();
  for (const table of ['revisions', 'deployments'])
    await changeDatabase(berth.dataFolder, `update ${table} set settings = replace(settings, '"/data"', '"/usr/bin"')`);
  await berth.start();

  const { status } = await request(berth, name);
  expect(await volume.get('sh')).toBeDefined();
  expect(await volume.get('proof')).toBeUndefined();
  expect(status).toBeGreaterThanOrEqual(500);
  await waitFor('its log names the path', async () => {
    const log = await berth.post('/v1/deployment/logs', { deployment_name: name });
    return (await log.text()).includes("The volume for /usr/bin can't be mounted");
  });

  const redeploy = (settings: object) => berth.post('/v1/deployment/redeploy', { name, ...settings });
  const [issue] = await expectIssues(await redeploy({ memory: '512Mi' }));
  expect(issue?.loc).toEqual(['body', 'volumes', '/usr/bin']);
  const moved = await readDeployStream(await redeploy({ volumes: { '/data': volume.name } })).finish();
  expect(moved.last.status).toBe('DONE');
  expect((await request(berth, name)).text).toBe('planted');
  const back = await berth.post('/v1/deployment/rollback', { name, revision: last.revision });
  expect((await expectIssues(back))[0]?.loc).toEqual(['body', 'volumes', '/usr/bin']);
});
