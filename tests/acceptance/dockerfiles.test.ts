import path from 'node:path';
import type { DoctorReport } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBerth, REPO } from '../harness/berth.ts';
import { deploy, deployed, openDeploy } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { request } from '../harness/request.ts';
import { dockerSettings, RUNTIME } from '../harness/runtime.ts';
import { waitFor } from '../harness/wait-for.ts';

const SERVER = `require('node:http').createServer((q, r) => r.end('from ' + process.env.WHO)).listen(process.env.PORT);`;
const APP = {
  'package.json': '{"scripts": {"start": "node server.js"}}',
  'server.js': SERVER.replace('process.env.WHO', '"a plan"'),
};
const NODE = RUNTIME === 'kubernetes' ? `${process.env['BERTH_TEST_REGISTRY']}/node:24-slim` : 'berth-base/node';
const dockerfile = (...lines: readonly string[]) => [`FROM ${NODE}`, ...lines].join('\n');

describe.skipIf(RUNTIME === 'process')('a Dockerfile', () => {
  const env: Record<string, string> = {
    BERTH_ALLOWED_IMAGES: 'official,berth.invalid/nothing',
    BERTH_BUILD_ARGS: `NODE_IMAGE=${NODE},PYTHON_IMAGE=berth-base/python`,
  };
  const berth = createBerth({ env });
  beforeAll(() => berth.start());
  afterAll(() => berth.close());
  const example = (name: string) => deployed(berth, name, { folder: path.join(REPO, 'examples', name) });

  it('of the example dockerfile-node is built in two stages; what built it is not in it', async () => {
    const { events } = await example('dockerfile-node');
    expect(events.some(({ message }) => /^Step \d+\/\d+: RUN npm run build/.test(message))).toBe(true);
    expect((await request(berth, 'dockerfile-node')).json()).toEqual({
      message: 'Hello from a Dockerfile',
      commit: 'unknown',
      user: 'node',
    });
  });

  it('of the example dockerfile-python answers', async (context) => {
    await needs(context, 'pypi');
    if (RUNTIME === 'kubernetes') context.skip('by design: the registry for tests has no image with Python');
    await example('dockerfile-python');
    expect((await request(berth, 'dockerfile-python', '/fib/50')).json()).toEqual({ n: 50, fib: '12586269025' });
    expect((await request(berth, 'dockerfile-python')).json()).toMatchObject({ user: 1000 });
  });

  it('comes before a package.json; its environment is the image’s', async () => {
    const name = uniqueName('own');
    const files = {
      ...APP,
      'own.js': SERVER,
      Dockerfile: dockerfile('ENV WHO=a-dockerfile', 'COPY . .', 'CMD ["node", "own.js"]'),
    };
    await deployed(berth, name, { files });
    expect((await request(berth, name)).text).toBe('from a-dockerfile');
  });

  // Fails when `prepareOwn` gives the engine the Dockerfile as it is.
  it('with mounts, heredocs and modes is built, and what differs from BuildKit is said', async () => {
    const name = uniqueName('buildkit');
    const text = [
      '# syntax=docker/dockerfile:1',
      `FROM --platform=$BUILDPLATFORM ${NODE} AS build`,
      'ARG TARGETARCH',
      'WORKDIR /app',
      'RUN --mount=type=bind,source=made.js,target=made.js --mount=type=cache,target=/root/.npm \\',
      '  node made.js "$TARGETARCH" > who',
      `FROM ${NODE}`,
      'WORKDIR /app',
      'RUN <<EOF',
      'set -e',
      'echo "by a heredoc" > how',
      'EOF',
      'COPY --link --from=build /app/who .',
      "COPY --chmod=755 <<'EOF' /start.sh",
      '#!/bin/sh',
      'exec node server.js "$(cat who) $(cat how)"',
      'EOF',
      'COPY server.js .',
      'CMD ["/start.sh"]',
    ].join('\n');
    const files = {
      Dockerfile: text,
      'made.js': 'console.log("made for " + process.argv[2])',
      'server.js': SERVER.replace('process.env.WHO', 'process.argv[2]'),
    };
    const { events } = await deployed(berth, name, { files });
    expect((await request(berth, name)).text).toMatch(/^from made for (amd64|arm64) by a heredoc$/);
    expect(events.some(({ message }) => message.startsWith('RUN --mount=type=cache is an ordinary folder'))).toBe(true);
  });

  const WRITER = `const fs = require('node:fs');
    fs.appendFileSync('visits.txt', 'x'); fs.writeFileSync('data/new.txt', ''); fs.writeFileSync('node_modules/.cache', '');
    require('node:http').createServer((q, r) => r.end(process.getuid() + ' wrote')).listen(process.env.PORT);`;

  // Fails when `ownWorkFolder` isn't called.
  it('without a USER may write to its WORKDIR', async () => {
    const name = uniqueName('workdir');
    const files = {
      Dockerfile: dockerfile('WORKDIR /srv/app', 'COPY . .', 'CMD ["node", "server.js"]'),
      'server.js': WRITER,
      'visits.txt': '',
      'data/old.txt': '',
      'node_modules/a/index.js': '',
    };
    const { events } = await deployed(berth, name, { files });
    expect((await request(berth, name)).text).toBe('10001 wrote');
    expect(events.map(({ message }) => message)).toContain(
      'The image has no USER: /srv/app is given to user 10001, which it runs as',
    );
  });

  it('without a USER and a shell is told that it will not write to its WORKDIR', async () => {
    const name = uniqueName('noshell');
    const text = dockerfile(
      'WORKDIR /srv/app',
      'COPY server.js .',
      'RUN rm /usr/bin/find',
      'CMD ["node", "server.js"]',
    );
    const { events } = await deployed(berth, name, { files: { Dockerfile: text, 'server.js': SERVER } });
    expect(events.some(({ message }) => message.includes("/srv/app can't be given to user 10001"))).toBe(true);
  });

  it.each([
    [
      'that fails',
      dockerfile('RUN echo the reason >&2; exit 7'),
      'build_failed',
      /^RUN echo the reason .* \(step 2\/2\) exited with 7/,
    ],
    ['with a syntax error', dockerfile('COPPY . .'), 'build_failed', /unknown instruction: "?COPPY/i],
    [
      'on an image that is nowhere',
      'FROM berth.invalid/nothing:1',
      'build_failed',
      /berth.invalid\/nothing:1 is neither/,
    ],
    [
      'on an image that the operator does not list',
      'FROM berth.invalid/other:1',
      'build_failed',
      /doesn't allow the image berth.invalid\/other:1.*--allowed-images/,
    ],
    ['that copies from outside', dockerfile('COPY ../x /'), 'build_failed', /COPY \.\.\/x/],
    ['without a command', 'FROM scratch\nCOPY Dockerfile /', 'build_failed', /neither CMD nor ENTRYPOINT/],
    ['whose command is not there', dockerfile('CMD ["/nowhere"]'), 'start_failed', /nowhere/],
    ['whose command ends at once', dockerfile('CMD ["true"]'), 'start_failed', /exited with code 0 before it listened/],
  ] as const)('%s ends in an error that says why', async (_what, text, code, message) => {
    const name = uniqueName('wrong');
    const { last } = await deploy(berth, name, { files: { Dockerfile: text } });
    expect(last).toMatchObject({ status: 'ERROR', code, message: expect.stringMatching(message) });
    if (message.source.includes('reason')) expect(last.logs).toEqual(['the reason']);
  });

  it('that is canceled stops, and the service that runs goes on', async () => {
    const name = uniqueName('cancel');
    await deployed(berth, name, { files: APP });
    const files = { Dockerfile: dockerfile('RUN echo up; sleep 600') };
    const stream = await openDeploy(berth, name, { files });
    const { deploy_id } = await stream.until(({ message }) => message === 'up');
    expect((await berth.post(`/v1/deploys/${deploy_id}/cancel`, {})).status).toBeLessThan(300);
    expect((await stream.finish()).last).toMatchObject({ status: 'ERROR', code: 'cancelled' });
    expect((await request(berth, name)).text).toBe('from a plan');
  });

  it('is what a deployment of the process runtime takes to move here, and back', {
    timeout: 300_000,
  }, async (context) => {
    if (RUNTIME === 'kubernetes') context.skip('by design: a platform moves to a cluster with berth admin migrate');
    const name = uniqueName('moving');
    const settings = { process: { BERTH_RUNTIME: 'process' }, docker: dockerSettings() };
    const own: Record<string, string> = { ...settings.process };
    const moving = createBerth({ env: own });
    const answer = () => request(moving, name);
    const doctor = async () => {
      const { checks } = (await (await moving.api('/v1/doctor')).json()) as DoctorReport;
      return checks.find(({ id }) => id === 'foreign-revisions')?.detail;
    };
    const restart = async (to: Record<string, string>) => {
      await moving.stop();
      Object.assign(own, to);
      await moving.start();
    };
    try {
      await moving.start();
      await deployed(moving, name, { files: APP });
      for (const [to, from] of [
        ['docker', 'process'],
        ['process', 'docker'],
      ] as const) {
        await restart(settings[to]);
        expect(await answer()).toMatchObject({ status: 503, text: expect.stringMatching(/deploy again/i) });
        expect(await doctor()).toContain(`built for the ${from} runtime`);
        expect(moving.output).toContain(`--runtime ${from}`);
        await deployed(moving, name, { files: APP });
        expect(await doctor()).toBeUndefined();
        await waitFor('the service answers', async () => (await answer()).text === 'from a plan');
      }
    } finally {
      await moving.close();
    }
  });
});
