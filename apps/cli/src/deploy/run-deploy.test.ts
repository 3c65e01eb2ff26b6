import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { answerJson, createScriptedServer, deployEvent, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { readArchive } from '../testing/read-archive.ts';
import { type RunningBerth, startBerth } from '../testing/run-berth.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';

let server: ScriptedServer;
let home: TemporaryFolder;
let form: FormData;

const url = 'http://shop.localhost:8787';
const done = deployEvent(3, 'DONE', '', { url, revision: 'shop-00001' });
const events = [deployEvent(1, 'BUILDING', 'Detected Node'), deployEvent(2, 'DEPLOYING', 'Starting'), done];

/** A server that lets everything through and says `lines`. */
async function createDeployServer(lines: readonly string[] = events): Promise<ScriptedServer> {
  return createScriptedServer({
    'GET /v1/deployment/check-name': answerJson(200, { available: true }),
    'POST /v1/deploy': async (exchange) => {
      form = await exchange.form();
      exchange.response.end(lines.join(''));
    },
  });
}

beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createDeployServer();
  await mkdir(path.join(home.path, 'tmp'));
  await home.write({
    'shop/package.json': '{"name":"shop"}',
    'shop/index.js': 'x',
    'shop/node_modules/a/index.js': '',
  });
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

function start(words: string[]): RunningBerth {
  const env = { BERTH_URL: server.url, BERTH_API_KEY: 'test-key', TMPDIR: path.join(home.path, 'tmp') };
  return startBerth(['deploy', ...words], { cwd: home.path, env });
}
const deploy = (words: string[]) => start(words).result;

const fieldsOf = () => Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'));

/** What the packer has left behind. */
const archivesLeft = async () =>
  (await readdir(path.join(home.path, 'tmp'))).filter((name) => name.startsWith('berth-'));

async function archiveNames(): Promise<string[]> {
  const part = form.get('source_archive.0');
  if (!(part instanceof Blob)) return [];
  const file = path.join(home.path, 'received.tar.gz');
  await writeFile(file, Buffer.from(await part.arrayBuffer()));
  return (await readArchive(file)).map((entry) => entry.name);
}

test('packs, uploads, shows the steps, and prints the address alone on standard output', async () => {
  const { code, stdout, stderr } = await deploy(['shop']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` });
  expect(await archiveNames()).toEqual(['index.js', 'package.json']);
  expect(fieldsOf()).toEqual({ function_name: 'shop', volumes: '{}' });
  expect(stderr).toMatch(
    /Deploying shop[\s\S]*Packed 2 files[\s\S]*Uploaded[\s\S]*Building[\s\S]*Detected Node[\s\S]*Built in 1\.0s/,
  );
  expect(stderr).toContain('berth logs shop -f');
  expect(stderr).not.toContain('\x1b');
  expect(await archivesLeft()).toEqual([]);
});

test('every setting is a flag', async () => {
  const words = ['shop', '--name', 'other', '--port', '3000', '--memory', '2Gi', '--cpu', '2', '--timeout', '30'];
  const more = [
    '--concurrency',
    '5',
    '--max-instances',
    '2',
    '--session-affinity',
    '--http2',
    '--timezone',
    'Asia/Tokyo',
  ];
  await deploy([...words, ...more, '--volume', '/data=v:ro:sub', '--volume', '/b=w', '--schedule', '*/5 * * * *']);
  expect(fieldsOf()).toEqual({
    function_name: 'other',
    port: '3000',
    memory: '2Gi',
    cpu: '2',
    timeout: '30',
    concurrency: '5',
    max_instances: '2',
    session_affinity: 'true',
    use_http2: 'true',
    volumes: '{"/data":{"name":"v","read_only":true,"sub_path":"sub"},"/b":"w"}',
    schedule: '{"cron":"*/5 * * * *","timezone":"Asia/Tokyo"}',
  });
});

test('--json prints the server’s events, one a line, and nothing for people', async () => {
  const { stdout, stderr } = await deploy(['shop', '--json']);
  expect(stdout).toBe(events.join(''));
  expect(stderr).toBe('');
});

test('--quiet prints the address', async () => {
  expect(await deploy(['shop', '-q'])).toEqual({ code: 0, stdout: `${url}\n`, stderr: '' });
});

test('--detach prints the id and leaves', async () => {
  server.on('POST /v1/deploy', async ({ request, response }) => {
    for await (const _ of request);
    response.write(events[0]);
  });
  expect(await deploy(['shop', '--detach'])).toMatchObject({ code: 0, stdout: 'dep_1\n' });
});

test('a deploy that fails says why, what was printed, and what to do', async () => {
  const logs = ['listening on 3000', '\x1b]0;owned\x07bye'];
  const error = deployEvent(2, 'ERROR', 'Nothing listens on port 8080.', { code: 'port_not_open', logs });
  await server.close();
  server = await createDeployServer([deployEvent(1, 'BUILDING', 'x'), error]);
  const { code, stdout, stderr } = await deploy(['shop']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/Nothing listens on port 8080\. \(port_not_open\)\n {2}. listening on 3000\n {2}. bye\n/);
  expect(stderr).toMatch(/0\.0\.0\.0.*\$PORT/);
  const json = await deploy(['shop', '--json']);
  expect(JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    status: 'ERROR',
    code: 'port_not_open',
  });
  expect(json).toMatchObject({ code: 1, stderr: '' });
});

test('a connection that breaks is taken up again', async () => {
  server.on('POST /v1/deploy', async ({ request, response }) => {
    for await (const _ of request);
    response.write(deployEvent(1, 'BUILDING', 'first'), () => response.destroy());
  });
  server.on('GET /v1/deploys/dep_1/events', ({ response }) => {
    response.end(deployEvent(2, 'BUILDING', 'second') + done);
  });
  const { code, stderr } = await deploy(['shop']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/first[\s\S]*second/);
  expect(server.requests.at(-1)).toBe('GET /v1/deploys/dep_1/events?after=1');
});

test('a name that cannot be had is told before anything is packed', async () => {
  server.on('GET /v1/deployment/check-name', answerJson(200, { available: false, reason: 'Another account owns it.' }));
  expect(await deploy(['shop'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Another account owns it\..*--name/),
  });
  expect(server.requests.some((line) => line.startsWith('POST'))).toBe(false);
});

test('fields that the server refuses are listed', async () => {
  const detail = [{ loc: ['body', 'memory'], msg: 'is over the plan', type: 'limit' }];
  server.on('POST /v1/deploy', answerJson(422, { detail }));
  expect(await deploy(['shop'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('memory: is over the plan'),
  });
});

describe('of what is deployed already', () => {
  const before = { revision: 'shop-1', port: 8080, memory: '2Gi', cpu: 1, timeout: 600, concurrency: 80 };
  const rest = { max_instances: 0, min_instances: 0, session_affinity: false, use_http2: false };
  const schedule = { cron: '0 3 * * *', timezone: 'UTC' };
  const volumes = { '/data': { name: 'shop-data', read_only: false, sub_path: '' } };
  const isAsked = () => server.requests.some((line) => line.startsWith('POST /v1/deploy'));

  beforeEach(() => {
    server.on('GET /v1/deployment/shop', answerJson(200, { ...before, ...rest, volumes, schedule, revisions: [] }));
  });

  // Fails when `readDeployForm` leaves out `settingsOf(deployed)`.
  test('every setting that is not named is kept, and said', async () => {
    const { code, stderr } = await deploy(['shop', '--concurrency', '3']);
    expect(code).toBe(0);
    expect(stderr).toContain('Keeping volume shop-data at /data');
    expect(stderr).toContain('Keeping schedule 0 3 * * *');
    expect(stderr).toContain('Changes: concurrency 80 → 3');
    expect(fieldsOf()).toMatchObject({ memory: '2Gi', concurrency: '3', schedule: JSON.stringify(schedule) });
    expect(JSON.parse(String(fieldsOf()['volumes']))).toEqual(volumes);
  });

  // Fails when `confirmLoss` does not call `requireAnswer`.
  test.each<[string, string[], Record<string, string>]>([
    ['--no-volume', ['--no-volume'], {}],
    ['berth.json without the volume', [], { 'shop/berth.json': '{"volumes":{}}' }],
    ['another volume at its path', ['--volume', '/data=other'], {}],
  ])('%s is refused where nobody can be asked, and done with -y', async (_title, flags, files) => {
    await home.write(files);
    const refused = await deploy(['shop', ...flags]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/shop-data[\s\S]*Add -y/);
    expect(isAsked()).toBe(false);
    expect(await deploy(['shop', ...flags, '-y'])).toMatchObject({ code: 0 });
    expect(String(fieldsOf()['volumes'])).not.toContain('shop-data');
  });
});

describe('berth.json', () => {
  test('gives the name and the settings; flags win', async () => {
    const file = {
      name: 'boutique',
      memory: '512Mi',
      cpu: 0.5,
      timeout: 30,
      concurrency: 10,
      port: 3000,
      max_instances: 2,
      volumes: { '/data': { name: 'd', sub_path: 'x' } },
      schedule: { cron: '0 3 * * *', timezone: 'Asia/Tokyo' },
    };
    await home.write({ 'shop/berth.json': JSON.stringify(file) });
    expect((await deploy(['shop', '--memory', '1Gi'])).code).toBe(0);
    expect(fieldsOf()).toEqual({
      function_name: 'boutique',
      memory: '1Gi',
      cpu: '0.5',
      timeout: '30',
      concurrency: '10',
      port: '3000',
      max_instances: '2',
      volumes: JSON.stringify(file.volumes),
      schedule: JSON.stringify(file.schedule),
    });
  });

  test('with a fault is refused before the server is asked', async () => {
    await home.write({ 'shop/berth.json': '{"memroy":"1Gi","port":"x"}' });
    const { code, stderr } = await deploy(['shop']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/port: [\s\S]*memroy/);
    expect(server.requests).toEqual([]);
  });

  // Fails when `checkEnvironment` is not called.
  test('names variables that must be set first', async () => {
    await home.write({ 'shop/berth.json': '{"required_env":["MODEL_KEY","REGION"]}' });
    server.on('GET /v1/env/list', answerJson(200, [{ key: 'REGION', updated_at: '2026-01-01T00:00:00Z' }]));
    const { code, stderr } = await deploy(['shop']);
    expect(code).toBe(1);
    expect(stderr).toContain('berth env set shop MODEL_KEY');
    server.on('GET /v1/env/list', answerJson(200, [{ key: 'MODEL_KEY' }, { key: 'REGION' }]));
    expect(await deploy(['shop'])).toMatchObject({ code: 0 });
  });
});

test('a .env file in the archive is warned of', async () => {
  await home.write({ 'shop/.env': 'TOKEN=1' });
  expect((await deploy(['shop'])).stderr).toMatch(
    /\.env is in the archive.*berth env set shop --from-file shop\/\.env/,
  );
  await home.write({ 'shop/.gitignore': '.env\n' });
  expect((await deploy(['shop'])).stderr).not.toContain('.env is in the archive');
});

test('a ready archive and an object are deployed as they are', async () => {
  await home.write({ 'My-App.tar.gz': 'bytes' });
  await deploy(['--archive', 'My-App.tar.gz']);
  expect(fieldsOf()['function_name']).toBe('my-app');
  expect(await (form.get('source_archive.0') as File).text()).toBe('bytes');
  await deploy(['--source-object', 'releases/shop-v2.tgz']);
  expect(fieldsOf()).toMatchObject({ function_name: 'shop-v2', source_object: 'releases/shop-v2.tgz' });
  expect(form.has('source_archive.0')).toBe(false);
});

describe('Ctrl-C', () => {
  test('after the upload leaves the deploy to itself and says how to come back', async () => {
    server.on('POST /v1/deploy', async ({ request, response }) => {
      for await (const _ of request);
      response.write(events[0]);
    });
    const running = start(['shop']);
    await expect.poll(() => running.stderr).toContain('Detected Node');
    running.process.kill('SIGINT');
    const { code, stderr } = await running.result;
    expect(code).toBe(130);
    expect(stderr).toMatch(/The deploy continues on the server\. `berth follow dep_1`.*`berth cancel dep_1`/);
    expect(await archivesLeft()).toEqual([]);
  });

  test('during the upload ends it, and leaves nothing behind', async () => {
    await home.write({ 'shop/big': randomBytes(30_000_000) });
    const { promise: isUploading, resolve } = Promise.withResolvers<void>();
    const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
    server.on('POST /v1/deploy', ({ request }) => {
      request.once('data', () => resolve());
      request.once('close', () => cut());
    });
    const running = start(['shop']);
    await isUploading;
    running.process.kill('SIGINT');
    const { code, stderr } = await running.result;
    await isCut;
    expect(code).toBe(130);
    expect(stderr).toContain('nothing was deployed');
    expect(await archivesLeft()).toEqual([]);
  });
});
