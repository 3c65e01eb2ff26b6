import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Berth } from '../harness/berth.ts';
import { deployed, openDeploy, readDeployStream } from '../harness/deploy.ts';
import { createClone, remoteOf } from '../harness/git.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { lacksServers, type Servers, startServers } from '../harness/servers.ts';
import { volumeClient } from '../harness/volumes.ts';
import { waitFor } from '../harness/wait-for.ts';

const lacking = lacksServers();
if (lacking !== undefined && process.env['CI'] === 'true')
  throw new Error(`CI must have everything, and this ${lacking}`);

describe.skipIf(lacking !== undefined)(lacking ? `several servers: ${lacking}` : 'several servers', () => {
  let servers: Servers;
  let one: Berth;
  let other: Berth;

  beforeAll(async () => {
    servers = await startServers({ count: 2, env: { BERTH_LEASE: '3' } });
    [one, other] = servers.all as [Berth, Berth];
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());

  it('serve one account: what one deploys, the other serves, lists, logs and deletes', async () => {
    const name = uniqueName('both');
    await deployed(one, name, { files: greeter('first') });
    // Fails when the other server learns of it only at its next start.
    await waitFor('the other serves it', async () => (await request(other, name)).text === 'first');
    expect(await (await other.api(`/v1/deployment/${name}`)).json()).toMatchObject({ status: 'ready' });
    // Fails when a server goes on with the revision that it knows: the next one is built by the other.
    await deployed(other, name, { files: greeter('second') });
    await waitFor('the first serves the next revision', async () => (await request(one, name)).text === 'second');
    const answer = await one.post('/v1/deployment/delete', { name });
    expect(answer.status).toBe(200);
    await waitFor('it is gone', async () => (await request(other, name)).status === 404);
  });

  it('show one log: lines of instances on both, in order and once, and a tail within a second', async () => {
    const name = uniqueName('log');
    const files = nodeProject(`import { createServer } from 'node:http';
      createServer((request, response) => {
        console.log(request.url);
        response.end();
      }).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(one, name, { files });
    for (const berth of servers.all)
      await waitFor('it serves', async () => (await request(berth, name)).status === 200);
    for (let index = 0; index < 20; index++) await request(index % 2 ? one : other, name, `/line-${index}`);
    const wanted = Array.from({ length: 20 }, (_, index) => `/line-${index}`);
    for (const berth of servers.all) {
      await waitFor('all lines are there', async () => {
        const { logs } = await readLogs(berth, name, { query: 'textPayload:"line"' });
        return logs.length >= wanted.length;
      });
      const { logs } = await readLogs(berth, name, { query: 'textPayload:"line"' });
      expect(logs.map(({ message }) => message).sort()).toEqual(wanted.toSorted());
    }
    const query = `SELECT COUNT(*) AS n FROM logs WHERE resource.labels.service_name = '${name}' AND text_payload LIKE '/line%'`;
    for (const berth of servers.all) {
      expect(await (await berth.post('/v1/sql', { query })).json()).toEqual([{ n: 20 }]);
    }
  });

  it('share the repositories of git push', async () => {
    const name = uniqueName('push');
    await using clone = await createClone();
    await clone.commit(greeter('first'));
    expect(await clone.git('push', remoteOf(one, name), 'main')).toMatchObject({ code: 0 });
    const second = await clone.commit(greeter('second'));
    // Fails when the second server doesn't have the history that the first commit is part of.
    expect(await clone.git('push', remoteOf(other, name), 'main')).toMatchObject({ code: 0 });
    for (const berth of servers.all) {
      await waitFor('it serves the second', async () => (await request(berth, name)).text === 'second');
      expect((await clone.git('ls-remote', remoteOf(berth, name))).output).toContain(second);
    }
    const both = [createClone(), createClone()].map(async (made, at) => {
      await using own = await made;
      await own.commit(greeter(`own ${at}`));
      return await own.git('push', '--force', remoteOf(at === 0 ? one : other, name), 'main');
    });
    expect((await Promise.all(both)).map(({ code }) => code).sort()).toEqual([0, 1]);
  });

  it('share files, variables, keys and cancellations', async () => {
    const volume = uniqueName('files');
    await volumeClient(one, volume).create();
    await volumeClient(one, volume).put('a/b.txt', 'written through one');
    expect(await volumeClient(other, volume).get('a/b.txt')).toBe('written through one');
    const { secret } = (await (await one.post('/v1/user/keys', { name: 'x', scopes: ['read'] })).json()) as {
      secret: string;
    };
    expect((await other.api('/v1/user', { headers: { 'X-API-Key': secret } })).status).toBe(200);

    const name = uniqueName('cancelled');
    const hanging = { ...greeter('never'), 'b.js': `console.log('build runs'); setInterval(() => {}, 1e6);` };
    const files = { ...hanging, 'berth.json': JSON.stringify({ build: ['node b.js'] }) };
    const stream = await openDeploy(one, name, { files });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    // Fails when only the server that drives a deploy can cancel it.
    await other.api(`/v1/deploys/${deploy_id}/cancel`, { method: 'POST' });
    expect((await stream.finish()).last).toMatchObject({ status: 'ERROR', code: 'cancelled' });
  });

  it('split requests alike, and judge a canary by the requests to both', async () => {
    const name = uniqueName('canary');
    const files = nodeProject(`import { createServer } from 'node:http';
      createServer((_, response) => response.writeHead(500).end('bad')).listen(process.env.PORT, '0.0.0.0');`);
    await deployed(one, name, { files: greeter('good') });
    const stream = await openDeploy(one, name, { files, fields: { canary: '50', canary_for: '600', tag: 'next' } });
    await stream.until(({ message }) => message.includes('gets 50 % of the traffic'));
    await waitFor('the other serves the tag', async () => (await request(other, `next---${name}`)).text === 'bad');
    const end = stream.finish();
    let isOver = false;
    void end.finally(() => {
      isOver = true;
    });
    // All errors come from the other server: the one that watches must hear of them.
    await waitFor('it is over', async () => {
      await request(other, name);
      return isOver;
    });
    expect((await end).last).toMatchObject({ status: 'ERROR', code: 'canary_failed' });
    await waitFor('the other serves the current revision alone', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => request(other, name)));
      return answers.every(({ text }) => text === 'good');
    });
  });

  it('go on when one is killed: the other ends its deploy, serves, and has its log and its files', async () => {
    const name = uniqueName('taken-over');
    const volume = uniqueName('kept');
    await deployed(one, name, { files: greeter('before') });
    await request(one, name, '/seen-by-one');
    await volumeClient(one, volume).create();
    await volumeClient(one, volume).put('kept.txt', 'kept');
    const slow = {
      ...greeter('after'),
      'b.js': `console.log('build runs'); setTimeout(() => {}, 2000);`,
      'berth.json': JSON.stringify({ build: ['node b.js'] }),
    };
    const stream = await openDeploy(one, name, { files: slow });
    const { deploy_id } = await stream.until((event) => event.message === 'build runs');
    const followed = readDeployStream(await other.api(`/v1/deploys/${deploy_id}/events`));
    await followed.until((event) => event.message === 'build runs');
    await one.kill9();
    await stream.finish().catch(() => undefined);
    // The same stream, on the other server, tells of the end.
    const { last, events } = await followed.finish();
    expect(last).toMatchObject({ status: 'DONE' });
    expect(events.map(({ message }) => message)).toContain('Rebuilding after a platform restart');
    expect((await request(other, name)).text).toBe('after');
    await waitFor('the log has what one served', async () => {
      const { logs } = await readLogs(other, name, { query: 'httpRequest.requestUrl:"seen-by-one"' });
      return logs.length === 1;
    });
    expect(await volumeClient(other, volume).get('kept.txt')).toBe('kept');
    await one.start();
    expect((await request(one, name)).text).toBe('after');
  });
});
