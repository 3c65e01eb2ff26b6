import type { DeployEvent } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import type { Berth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed, openDeploy, postDeploy, readDeployStream } from '../harness/deploy.ts';
import { folderBytes } from '../harness/folder-bytes.ts';
import { BOUNDARY, multipart } from '../harness/multipart.ts';
import { uniqueName } from '../harness/names.ts';
import { findProcesses } from '../harness/processes.ts';
import { greeter, nodeProject, type ProjectFiles } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

/** A new version whose build, named by `marker`, hangs. */
const hangingBuild = (marker: string): ProjectFiles => ({
  ...greeter('new'),
  'b.js': `console.log('build runs'); setInterval(() => {}, 1e6);`,
  'berth.json': JSON.stringify({ build: [`node b.js ${marker}`] }),
});

/** A new version that runs without ever listening. */
const hangingStart = nodeProject(`console.log('starting'); setInterval(() => {}, 1e6);`);

/** How a deploy ended, once the server that was killed in the middle of it is back. */
async function endOf(server: Berth, deployId: string): Promise<DeployEvent> {
  const answer = await server.api(`/v1/deploys/${deployId}/events`);
  expect(answer.status).toBe(200);
  return (await readDeployStream(answer).finish()).last;
}

/** What must hold after every crash: no process of before, the service answers, and the next deploy works. */
async function expectSound(name: string, deployId: string | undefined, served: RegExp): Promise<void> {
  if (deployId) {
    const last = await endOf(berth, deployId);
    expect(['DONE', 'ERROR']).toContain(last.status);
    expect(last.message).not.toBe('');
    if (last.status === 'ERROR') expect(last.code).toMatch(/^[a-z_]+$/);
    expect((await request(berth, name)).text).toMatch(last.status === 'DONE' ? /new/ : served);
  } else {
    expect((await request(berth, name)).text).toMatch(served);
  }
  // A deploy whose first event never reached the client may have been taken in, and be resumed.
  await waitFor('the deployment is ready', async () => {
    const row = (await (await berth.api(`/v1/deployment/${name}`)).json()) as { status: string };
    return row.status === 'ready';
  });
  await deployed(berth, name, { files: greeter('next') });
  expect((await request(berth, name)).text).toBe('next');
}

/** Kills the server, waits until nothing of it runs, and starts it again. */
async function crash(...markers: string[]): Promise<void> {
  await berth.kill9();
  for (const marker of markers) {
    await waitFor(`nothing of ${marker} runs`, () => findProcesses(marker).length === 0, { timeoutMs: 10_000 });
  }
  await berth.start();
}

describe.skipIf(process.platform !== 'linux')('kill -9 of the server', () => {
  it('during a canary keeps its share and its tag, and it fails for its errors afterwards', async () => {
    const name = uniqueName('canary');
    const bad = nodeProject(
      `import { createServer } from 'node:http';
createServer((_, response) => response.writeHead(500).end('bad')).listen(process.env.PORT);`,
    );
    await deployed(berth, name, { files: greeter('old') });
    const fields = { canary: '50', canary_for: '600', tag: 'next' };
    const stream = await openDeploy(berth, name, { files: bad, fields });
    const { deploy_id: deployId } = await stream.until(({ message }) => message.includes('gets 50 % of the traffic'));
    await crash(name);
    await waitFor('the tag serves', async () => (await request(berth, `next---${name}`)).text === 'bad');
    const statuses = new Set<number>();
    const end = endOf(berth, deployId);
    let isOver = false;
    void end.finally(() => {
      isOver = true;
    });
    await waitFor('it is over', async () => {
      statuses.add((await request(berth, name)).status);
      return isOver;
    });
    expect([...statuses].sort()).toEqual([200, 500]);
    expect(await end).toMatchObject({ status: 'ERROR', code: 'canary_failed' });
    for (let count = 0; count < 10; count++) expect((await request(berth, name)).text).toBe('old');
    // The build is kept, and so is its tag.
    expect((await request(berth, `next---${name}`)).text).toBe('bad');
  });

  it('in mid-upload leaves the old revision serving, and nothing of the upload', async () => {
    verifies('deploy.crash', 'deploy.failure-keeps-old');
    const name = uniqueName('upload');
    await deployed(berth, name, { files: greeter('old') });
    const before = folderBytes(berth.dataFolder);
    using connection = await openRawConnection(berth.port);
    const form = multipart([
      { name: 'function_name', body: name },
      { name: 'volumes', body: '{}' },
      { name: 'source_archive.0', body: packProject(greeter('new')), filename: 'a.tar.gz' },
    ]);
    await connection.send(
      `POST /v1/deploy HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${berth.key}\r\nContent-Length: 90000000\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n\r\n`,
    );
    await connection.send(Buffer.concat([form.subarray(0, form.length - 100), Buffer.alloc(20_000_000, 7)]));
    await waitFor('the upload is on its way', () => folderBytes(berth.dataFolder) > before + 10_000_000);
    await crash(`K_SERVICE=${name}`);
    await waitFor('the upload is gone', () => folderBytes(berth.dataFolder) < before + 10_000_000);
    await expectSound(name, undefined, /old/);
  });

  it('while a deploy waits for another ends or resumes both', async () => {
    verifies('deploy.crash', 'deploy.serial');
    const name = uniqueName('waiting');
    await deployed(berth, name, { files: greeter('old') });
    const marker = uniqueName('marker');
    const first = await openDeploy(berth, name, { files: hangingBuild(marker) });
    await first.until((event) => event.message === 'build runs');
    const second = await openDeploy(berth, name, { files: greeter('new') });
    const { deploy_id } = await second.until(() => true);
    await crash(`K_SERVICE=${name}`, marker);
    const own = await first.finish().catch(() => undefined);
    expect(own?.last.status ?? 'BUILDING').toBe('BUILDING');
    const firstId = first.events[0]?.deploy_id as string;
    // A resumed build hangs again; it must be one that can be canceled.
    await berth.api(`/v1/deploys/${firstId}/cancel`, { method: 'POST' });
    expect(await endOf(berth, firstId)).toMatchObject({ status: 'ERROR', code: expect.any(String) });
    await expectSound(name, deploy_id, /old/);
  });

  it('while it builds leaves the old revision serving, and ends the deploy with a reason', async () => {
    verifies('deploy.crash', 'deploy.failure-keeps-old');
    const name = uniqueName('building');
    await deployed(berth, name, { files: greeter('old') });
    const marker = uniqueName('marker');
    const stream = await openDeploy(berth, name, { files: hangingBuild(marker) });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    await crash(`K_SERVICE=${name}`, marker);
    expect((await request(berth, name)).text).toBe('old');
    await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    await expectSound(name, deploy_id, /old/);
  });

  it('while the new revision starts leaves the old one serving', async () => {
    verifies('deploy.crash', 'deploy.failure-keeps-old', 'deploy.traffic');
    const name = uniqueName('starting');
    await deployed(berth, name, { files: greeter('old') });
    const stream = await openDeploy(berth, name, { files: hangingStart });
    const { deploy_id } = await stream.until((event) => event.status === 'DEPLOYING');
    await waitFor('both revisions run', () => findProcesses(`K_SERVICE=${name}`).length >= 2);
    await crash(`K_SERVICE=${name}`);
    expect((await request(berth, name)).text).toBe('old');
    await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    await expectSound(name, deploy_id, /old/);
  });

  it('during a first deploy leaves a name that can be deployed again', async () => {
    verifies('deploy.crash');
    const name = uniqueName('first');
    const marker = uniqueName('marker');
    const stream = await openDeploy(berth, name, { files: hangingBuild(marker) });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    await crash(marker);
    await berth.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    expect((await endOf(berth, deploy_id)).status).toBe('ERROR');
    await deployed(berth, name, { files: greeter('next') });
    expect((await request(berth, name)).text).toBe('next');
  });

  it.each([0, 30, 80, 150, 250, 400, 600, 900])(
    '%i ms after a deploy was sent leaves one that is whole',
    async (delayMs) => {
      verifies('deploy.crash');
      const name = uniqueName('moment');
      await deployed(berth, name, { files: greeter('old') });
      const answer = postDeploy(berth, name, { files: greeter('new') }).then(readDeployStream, () => undefined);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await crash(`K_SERVICE=${name}`);
      const stream = await answer;
      await stream?.finish().catch(() => undefined);
      const deployId = stream?.events[0]?.deploy_id;
      await expectSound(name, deployId, deployId ? /old/ : /old|new/);
    },
  );

  it('right after DONE keeps the new revision', async () => {
    verifies('deploy.crash');
    const name = uniqueName('done');
    await deployed(berth, name, { files: greeter('old') });
    const { last } = await deployed(berth, name, { files: greeter('new') });
    await crash(`K_SERVICE=${name}`);
    expect((await request(berth, name)).text).toBe('new');
    expect(await (await berth.api(`/v1/deployment/${name}`)).json()).toMatchObject({ revision: last.revision });
  });

  it('right after a delete was answered keeps it deleted', async () => {
    verifies('delete.frees-name');
    const name = uniqueName('deleted');
    await deployed(berth, name, { files: greeter('old') });
    const answer = await berth.post('/v1/deployment/delete', { name });
    expect(answer.status).toBe(200);
    await crash(`K_SERVICE=${name}`);
    expect((await berth.api(`/v1/deployment/${name}`)).status).toBe(404);
    expect((await request(berth, name)).status).toBe(404);
  });

  it('in the middle of a delete finishes it, or leaves it to be done again', async () => {
    verifies('delete.frees-name');
    const name = uniqueName('deleting');
    const stubborn = nodeProject(`import { createServer } from 'node:http'; process.on('SIGTERM', () => {});
      createServer((request, response) => response.end('old')).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(berth, name, { files: stubborn });
    const answer = berth.post('/v1/deployment/delete', { name }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await crash(`K_SERVICE=${name}`);
    await answer;
    await waitFor('the name is free or the service is whole', async () => {
      const row = await berth.api(`/v1/deployment/${name}`);
      return row.status === 404 || ((await row.json()) as { status: string }).status === 'ready';
    });
    const again = await berth.post('/v1/deployment/delete', { name });
    expect([200, 404]).toContain(again.status);
    expect((await berth.api(`/v1/deployment/${name}`)).status).toBe(404);
    await deployed(berth, name, { files: greeter('next') });
  });

  it('loses no log line, variable or key that was answered for', async () => {
    verifies('env.set');
    const name = uniqueName('kept');
    await deployed(berth, name, { files: greeter('old') });
    const set = await berth.post('/v1/env/set', { deployment_name: name, set: { KEPT: 'yes' } });
    expect(set.status).toBe(200);
    await set.text();
    const key = (await (await berth.post('/v1/user/keys', { name: 'kept', scopes: ['read'] })).json()) as {
      secret: string;
    };
    await crash(`K_SERVICE=${name}`);
    const list = await berth.api(`/v1/env/list?name=${name}`, { headers: { 'X-API-Key': key.secret } });
    expect(await list.json()).toEqual([{ key: 'KEPT', updated_at: expect.any(String) }]);
  });
});

// Fails when the instance of a command is adopted, or outlives the server that its client was connected to.
it.skipIf(process.platform !== 'linux')('kill -9 during `berth run` leaves no instance', async () => {
  const name = uniqueName('one-off');
  const mark = uniqueName('mark');
  await deployed(berth, name, { files: greeter('here') });
  const left = cli(berth, ['run', name, '--', 'sh', '-c', `sleep 600; echo ${mark}`]);
  await waitFor('it runs', () => findProcesses(`K_SERVICE=${name}`).some(({ command }) => command.includes(mark)));
  await berth.kill9();
  expect(await left).toMatchObject({ code: 1, stderr: expect.stringContaining('connection was lost') });
  await berth.start();
  await waitFor('nothing of it is left', () => {
    const commands = findProcesses(`K_SERVICE=${name}`).map(({ command }) => command);
    return !commands.some((command) => command.includes(mark) || command.includes('sleep 86400'));
  });
  expect((await request(berth, name)).text).toBe('here');
});
