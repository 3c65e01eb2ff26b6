import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConnectedRepository, Repository } from '@berth/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Berth, REPO, startBerth } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { type Gitea, giteaProblem, startGitea } from '../harness/gitea.ts';
import { guideBlocks, openGuideShell } from '../harness/guide-shell.ts';
import { skipOrFail } from '../harness/needs.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

let berth: Berth;
let gitea: Gitea;

beforeAll(async () => {
  if (giteaProblem() !== undefined) return;
  gitea = await startGitea();
  berth = await startBerth({ env: { BERTH_WEBHOOK_NETWORKS: '127.0.0.1/32' } });
}, 120_000);

beforeEach((context) => {
  const problem = giteaProblem();
  if (problem !== undefined) skipOrFail(context, problem);
});

afterAll(async () => {
  await berth?.close();
  await gitea?.[Symbol.asyncDispose]();
});

const show = async (name: string): Promise<Repository> =>
  (await berth.api(`/v1/repositories?deployment_name=${name}`)).json() as Promise<Repository>;

const runOf = async (name: string, commit: string) => (await show(name)).runs.find((run) => run.commit === commit);

/** Waits until the deploy of a commit has ended. */
const settled = (name: string, commit: string) =>
  waitFor(
    `${commit} of ${name} is deployed`,
    async () => {
      const run = await runOf(name, commit);
      return run?.status === 'succeeded' || run?.status === 'failed' ? run : undefined;
    },
    { timeoutMs: 120_000, everyMs: 250 },
  );

const statusesOf = (repository: string, commit: string) =>
  gitea.api<{ status: string; context: string; target_url: string }[]>(
    'GET',
    `/repos/${gitea.user}/${repository}/commits/${commit}/statuses`,
  );

const body = async (name: string) => (await request(berth, name, '/').catch(() => undefined))?.text;

it('pushes deploy and pull requests have previews, with a real Gitea', { timeout: 300_000 }, async () => {
  const { url, clone } = await gitea.createRepository('shop', greeter('first'));
  const words = ['repo', 'connect', 'shop', url, '--forge', 'gitea', '--previews', '--json'];
  const connected = await cli(berth, words, { env: { BERTH_FORGE_TOKEN: gitea.token } });
  expect(connected.stderr + connected.stdout).not.toContain(gitea.token);
  expect(JSON.parse(connected.stdout) as ConnectedRepository).toMatchObject({ hook_secret: null, has_token: true });
  await berth.post('/v1/env/set', { deployment_name: 'shop', set: { PASSWORD: 'hunter2' } });

  const second = await gitea.push(clone, 'main', greeter('second'), 'Say second\n\nwith a body');
  expect(await settled('shop', second)).toMatchObject({ status: 'succeeded', title: 'Say second', error: null });
  expect(await body('shop')).toContain('second');
  const status = await waitFor('Gitea shows the success', async () =>
    (await statusesOf('shop', second)).find((one) => one.status === 'success'),
  );
  expect(status).toMatchObject({ context: 'berth/shop', target_url: expect.stringContaining('/deployments/shop') });

  // A push that arrives while the server is killed is deployed after its start.
  const third = await gitea.push(clone, 'main', greeter('third'), 'Say third');
  await waitFor('the push is recorded', () => runOf('shop', third));
  await berth.kill9();
  await berth.start();
  expect(await settled('shop', third)).toMatchObject({ status: 'succeeded' });

  const change = await gitea.push(clone, 'change', greeter('changed'), 'Change');
  const { number } = await gitea.api<{ number: number }>('POST', `/repos/${gitea.user}/shop/pulls`, {
    ...{ title: 'Change the greeting', head: 'change', base: 'main' },
  });
  const preview = `shop-pr-${number}`;
  expect(await settled('shop', change)).toMatchObject({ status: 'succeeded', pull_request: number });
  expect(await body(preview)).toContain('changed');
  const comments = () => gitea.api<{ body: string }[]>('GET', `/repos/${gitea.user}/shop/issues/${number}/comments`);
  await waitFor('the comment has the address', async () =>
    (await comments())[0]?.body.includes(`${preview}.localhost`),
  );
  const keys = (await (await berth.api(`/v1/env/list?name=${preview}`)).json()) as { key: string }[];
  expect(keys.map(({ key }) => key)).not.toContain('PASSWORD');

  const again = await gitea.push(clone, 'change', greeter('changed again'), 'Change again');
  expect(await settled('shop', again)).toMatchObject({ status: 'succeeded', pull_request: number });
  expect(await body(preview)).toContain('changed again');
  await waitFor('the comment names the commit', async () => (await comments())[0]?.body.includes(again.slice(0, 10)));
  expect(await comments()).toHaveLength(1);

  await gitea.api('PATCH', `/repos/${gitea.user}/shop/pulls/${number}`, { state: 'closed' });
  await waitFor('the preview is deleted', async () => (await berth.api(`/v1/deployment/${preview}`)).status === 404);
  await waitFor('the comment says so', async () => (await comments())[0]?.body.includes('deleted'));
  expect(await body('shop')).toContain('third');

  const hooks = () => gitea.api<object[]>('GET', `/repos/${gitea.user}/shop/hooks`);
  expect(await hooks()).toHaveLength(1);
  expect((await cli(berth, ['repo', 'disconnect', 'shop', '-y'])).code).toBe(0);
  await waitFor('the webhook is removed', async () => (await hooks()).length === 0);
  expect(berth.output).not.toContain(gitea.token);
});

it('private code is fetched by SSH with a deploy key, which goes with the connection', {
  timeout: 200_000,
}, async () => {
  const { url, clone } = await gitea.createRepository('keyed', greeter('first'));
  const keys = () => gitea.api<{ read_only: boolean }[]>('GET', `/repos/${gitea.user}/keyed/keys`);
  const ssh = ['--deploy-key', '--ssh-url', `${gitea.sshUrl}/${gitea.user}/keyed.git`];
  const connect = ['repo', 'connect', 'keyed', url, '--forge', 'gitea', ...ssh];
  expect(await cli(berth, connect, { env: { BERTH_FORGE_TOKEN: gitea.token } })).toMatchObject({ code: 0 });
  expect(await keys()).toMatchObject([{ read_only: true }]);
  const first = await gitea.push(clone, 'main', greeter('by key'), 'By key');
  expect(await settled('keyed', first)).toMatchObject({ status: 'succeeded', error: null });
  expect(await body('keyed')).toContain('by key');
  expect((await cli(berth, ['repo', 'disconnect', 'keyed', '-y'])).code).toBe(0);
  await waitFor('the key is removed', async () => (await keys()).length === 0);

  // Without a token, the key and the webhook are entered by hand.
  const printed = await cli(berth, connect, { env: { BERTH_FORGE_TOKEN: '' } });
  const key = /^ssh-ed25519 .+$/m.exec(printed.stdout)?.[0] ?? '';
  const secret = /^Secret: (.+)$/m.exec(printed.stdout)?.[1] ?? '';
  const hook = { content_type: 'json', secret, url: /^Payload URL: (.+)$/m.exec(printed.stdout)?.[1] ?? '' };
  const route = `/repos/${gitea.user}/keyed`;
  await gitea.api('POST', `${route}/hooks`, { type: 'gitea', active: true, events: ['push'], config: hook });
  const refused = await gitea.push(clone, 'main', greeter('too early'), 'Too early');
  expect(await settled('keyed', refused)).toMatchObject({ error: expect.stringContaining('refused the deploy key') });
  await gitea.api('POST', `${route}/keys`, { title: 'Berth', key, read_only: true });
  const second = await gitea.push(clone, 'main', greeter('by hand'), 'By hand');
  expect(await settled('keyed', second)).toMatchObject({ status: 'succeeded' });
  expect(await body('keyed')).toContain('by hand');
});

it('a folder of a monorepo deploys only when it changes, with the settings of its berth.json', {
  timeout: 200_000,
}, async () => {
  const project = (text: string) =>
    Object.fromEntries(
      Object.entries(greeter(text)).map(([name, content]) => [`services/api/${name}`, String(content)]),
    );
  const { url, clone } = await gitea.createRepository('mono', { 'README.md': 'x' });
  const input = {
    deployment_name: 'mono',
    url,
    forge: 'gitea',
    folder: 'services/api',
    token: gitea.token,
    previews: true,
  };
  expect((await berth.post('/v1/repositories', input)).status).toBe(200);
  const settings = { 'services/api/berth.json': '{"memory":"1Gi"}' };
  const first = await gitea.push(clone, 'main', { ...project('of the folder'), ...settings }, 'Add the service');
  expect(await settled('mono', first)).toMatchObject({ status: 'succeeded' });
  expect(await body('mono')).toContain('of the folder');
  expect(await (await berth.api('/v1/deployment/mono')).json()).toMatchObject({ memory: '1Gi' });
  const other = await gitea.push(clone, 'main', { 'README.md': 'y' }, 'Only words');
  const last = await gitea.push(clone, 'main', project('changed'), 'Change the service');
  expect(await settled('mono', last)).toMatchObject({ status: 'succeeded' });
  expect(await runOf('mono', other)).toBeUndefined();

  const words = await gitea.push(clone, 'words', { 'README.md': 'z' }, 'More words');
  await gitea.api('POST', `/repos/${gitea.user}/mono/pulls`, { title: 'More words', head: 'words', base: 'main' });
  await waitFor('the pull request is skipped', async () => (await runOf('mono', words))?.status === 'skipped');

  // Deleting the deployment disconnects it.
  await berth.post('/v1/deployment/delete', { name: 'mono' });
  const hooks = () => gitea.api<object[]>('GET', `/repos/${gitea.user}/mono/hooks`);
  await waitFor('the webhook is removed', async () => (await hooks()).length === 0);
});

it('the commands of docs/guides/repositories.md work as they stand', { timeout: 200_000 }, async () => {
  const project = Object.entries(greeter('of the folder')).map(([name, content]) => [`services/api/${name}`, content]);
  const files = { ...greeter('of the guide'), ...Object.fromEntries(project) };
  const { url, clone } = await gitea.createRepository('my-app', files);
  const shell = openGuideShell(berth, clone, {
    ...{ BERTH_FORGE_TOKEN: gitea.token, GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
  });
  const printed: string[] = [];
  for (const block of guideBlocks('repositories', 'sh')) {
    printed.push(await shell.run(block.replaceAll('https://gitea.example.com/me/my-app', url)));
    if (block.includes('git push')) {
      await settled('my-app', await gitea.git(clone, 'rev-parse', 'HEAD'));
      expect(await body('my-app')).toContain('of the guide');
    }
  }
  expect(printed[0]).toBe(`Connected. A push to main of ${url} deploys my-app.\n`);
  expect(printed.join()).toMatch(/succeeded +dpl_\w+ +Say hello/);
});

const parseFile = (name: string) => parse(readFileSync(path.join(REPO, 'integrations', name), 'utf8'));

interface ActionStep {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

it('the GitHub Action and the GitLab template deploy a folder', { timeout: 120_000 }, async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-ci-'));
  for (const [name, content] of Object.entries(greeter('from a pipeline'))) {
    writeFileSync(path.join(folder.path, name), content);
  }
  const action = parseFile('github-action/action.yml');
  // Source: docs.github.com, "Metadata syntax for GitHub Actions".
  expect(action).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  expect(action.runs.using).toBe('composite');
  const inputs: Record<string, string> = {
    name: 'from-action',
    url: berth.url,
    'api-key': berth.key,
    cli: 'berth-cli',
  };
  for (const [name, { required, default: value }] of Object.entries<{ required: boolean; default?: string }>(
    action.inputs,
  )) {
    expect(required).toBe(value === undefined);
    inputs[name] ??= value ?? '';
  }
  const steps = (action.runs.steps as ActionStep[]).filter(({ run }) => run !== undefined);
  // An input in a script would be a command of the one who sets it.
  for (const { run } of steps) expect(run).not.toContain('${{');
  const env = Object.entries(steps.at(-1)?.env ?? {}).map(([key, text]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1] ?? '';
    expect(Object.keys(inputs)).toContain(input);
    return [key, inputs[input] ?? ''];
  });
  await openGuideShell(berth, folder.path, Object.fromEntries(env)).run(steps.at(-1)?.run ?? '');
  expect(await body('from-action')).toContain('from a pipeline');

  const { '.berth-deploy': job } = parseFile('gitlab-ci/berth.gitlab-ci.yml');
  const variables = { ...job.variables, BERTH_NAME: 'from-gitlab' };
  await openGuideShell(berth, folder.path, variables).run(job.script.at(-1));
  expect(await body('from-gitlab')).toContain('from a pipeline');
});
