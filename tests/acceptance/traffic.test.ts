import type { DeploymentDetail } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { cli } from '../harness/cli.ts';
import { deployed, openDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

/** A service that answers `status` with its word and the cookies that it was sent, and tries to set the gateway's. */
const says = (word: string, status = 200) =>
  nodeProject(
    `import { createServer } from 'node:http';
createServer((request, response) => {
  response.writeHead(${status}, { 'set-cookie': 'berth_revision=forged' });
  response.end('${word} ' + (request.headers.cookie ?? ''));
}).listen(process.env.PORT);`,
  );

const detail = async (name: string) => (await (await berth.api(`/v1/deployment/${name}`)).json()) as DeploymentDetail;
const setTraffic = async (json: Readonly<Record<string, unknown>>) =>
  (await berth.post('/v1/deployment/traffic', json)).status;
const deploy = async (name: string, word: string, fields: Readonly<Record<string, string>> = {}) =>
  (await deployed(berth, name, { files: says(word), fields })).last;

/** Sends requests until the returned function is called. */
function load(name: string): () => Promise<void> {
  let isRunning = true;
  const work = (async () => {
    while (isRunning) await request(berth, name);
  })();
  return async () => {
    isRunning = false;
    await work;
  };
}

describe('a split', () => {
  it('spreads requests by weight, keeps a browser on its revision, and ends with the next deploy', async () => {
    verifies('traffic.split', 'traffic.cookie', 'traffic.ends', 'traffic.records');
    const name = uniqueName('split');
    const first = (await deploy(name, 'one')).revision ?? '';
    const second = (await deploy(name, 'two')).revision ?? '';
    expect(await setTraffic({ name, split: { [first]: 40 } })).toBe(200);
    const answers = await Promise.all(Array.from({ length: 60 }, () => request(berth, name)));
    const words = Map.groupBy(answers, ({ text }) => text.split(' ')[0]);
    expect([...words.keys()].sort()).toEqual(['one', 'two']);
    const [kept] = words.get('one')?.[0]?.headers['set-cookie'] ?? [];
    expect(kept).toMatch(/^berth_revision=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    // The cookie decides, and no service sees or sets it.
    const cookie = `mine=1; ${kept?.split(';')[0]}`;
    for (let count = 0; count < 20; count++) {
      const { text, headers } = await request(berth, name, '/', { headers: { cookie } });
      expect([text, headers['set-cookie']]).toEqual(['one mine=1', undefined]);
    }
    for (const revision of [first, second]) {
      const query = `httpRequest:* AND resource.labels.revision_name="${revision}"`;
      await waitFor('it is recorded', async () => (await readLogs(berth, name, { query })).logs.length > 0);
    }
    await deploy(name, 'three');
    for (let count = 0; count < 10; count++) {
      const { text, headers } = await request(berth, name, '/', { headers: { cookie } });
      expect([text, headers['set-cookie']]).toEqual(['three mine=1', undefined]);
    }
    expect((await detail(name)).traffic?.split).toHaveLength(1);
  });
});

describe('a tag', () => {
  it('serves a revision at its own address, without traffic and after it lost it, until it is removed', async () => {
    verifies('traffic.tag', 'traffic.no-traffic');
    const name = uniqueName('tag');
    await deploy(name, 'one');
    const beta = await deploy(name, 'two', { no_traffic: 'true', tag: 'beta' });
    expect(beta.url).toBe(`http://beta---${name}.localhost:${berth.port}`);
    expect((await request(berth, name)).text).toBe('one ');
    const answer = await request(berth, `beta---${name}`);
    expect([answer.text, answer.headers['set-cookie']]).toEqual(['two ', undefined]);
    const shown = await cli(berth, ['traffic', name]);
    expect(shown.stdout).toContain(`http://beta---${name}.localhost`);
    const promoted = await cli(berth, ['traffic', name, '--to', 'latest', '-y']);
    expect([promoted.code, promoted.stderr]).toEqual([0, expect.any(String)]);
    expect((await request(berth, name)).text).toBe('two ');
    await deploy(name, 'three');
    expect((await request(berth, `beta---${name}`)).text).toBe('two ');
    expect((await cli(berth, ['traffic', name, '--untag', 'beta'])).code).toBe(0);
    expect((await request(berth, `beta---${name}`)).status).toBe(404);
  });
});

describe('a canary', () => {
  it('that fails loses its traffic, and its deploy fails', async () => {
    verifies('traffic.canary-fails');
    const name = uniqueName('canary');
    const first = (await deploy(name, 'good')).revision;
    const fields = { canary: '50', canary_for: '300' };
    const stream = await openDeploy(berth, name, { files: says('bad', 500), fields });
    await stream.until(({ message }) => message.includes('gets 50 % of the traffic'));
    const stop = load(name);
    const { last, deployId } = await stream.finish();
    await stop();
    expect(last).toMatchObject({ status: 'ERROR', code: 'canary_failed' });
    for (let count = 0; count < 10; count++) expect((await request(berth, name)).status).toBe(200);
    const { revision, traffic } = await detail(name);
    expect([revision, traffic?.split, traffic?.canary]).toEqual([first, [{ revision: first, percent: 100 }], null]);
    const audit = await (await berth.api('/v1/user/audit?action=deployment.traffic')).text();
    expect(audit).toContain(deployId);
  });

  it('that does well gets all traffic', async () => {
    verifies('traffic.canary-serves');
    const name = uniqueName('canary');
    await deploy(name, 'one');
    const fields = { canary: '50', canary_for: '4' };
    const stream = await openDeploy(berth, name, { files: says('two'), fields });
    await stream.until(({ message }) => message.includes('gets 50 % of the traffic'));
    const stop = load(name);
    const { last, events } = await stream.finish();
    await stop();
    expect(events.some(({ message }) => message.startsWith('The canary did well: 0 of '))).toBe(true);
    expect([last.status, (await detail(name)).revision]).toEqual(['DONE', last.revision]);
    for (let count = 0; count < 10; count++) expect((await request(berth, name)).text).toBe('two ');
  });
});
