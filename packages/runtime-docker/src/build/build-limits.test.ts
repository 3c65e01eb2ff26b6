import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createImageBuilderFixture, OWNER } from '../testing/image-builder-fixture.ts';
import { findTestEngine, skipWithoutEngine } from '../testing/test-engine.ts';

const engine = await findTestEngine();
const NODE = 'FROM berth-base/node\n';
const APP = { 'package.json': '{"scripts": {"start": "node server.js"}}', 'server.js': '' };

if (engine === undefined) {
  skipWithoutEngine('the limits of image builds');
} else {
  const open = (options: Parameters<typeof createImageBuilderFixture>[1] = {}) =>
    createImageBuilderFixture(engine, options);
  const names = async (part: string) =>
    (await engine.docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(part));
  const hang = { Dockerfile: `${NODE}RUN echo up; sleep 1000\nCMD ["node"]` };
  const running = async () =>
    (await engine.docker.listContainers()).filter(({ Command }) => Command.includes('sleep 1000'));

  test('a step that hangs is ended in time, in the engine too', async () => {
    await using fixture = await open({ limits: { timeoutMs: 8_000 } });
    await expect(fixture.build(hang)).rejects.toMatchObject({
      code: 'build_timeout',
      message: 'The build took longer than 8 seconds and was stopped in RUN echo up; sleep 1000 (step 2/3)',
    });
    expect(await running()).toEqual([]);
  });

  test('a canceled build stops in the engine', async () => {
    await using fixture = await open();
    const cancelling = new AbortController();
    const onLine = (line: string) => line === 'up' && cancelling.abort();
    await expect(fixture.build(hang, { signal: cancelling.signal, onLine })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await running()).toEqual([]);
  });

  test('memory: the step that needs more is named', async () => {
    await using fixture = await open({ limits: { memoryBytes: 128 * 2 ** 20 } });
    const build = fixture.build({
      Dockerfile: `${NODE}RUN node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"\nCMD ["node"]`,
    });
    await expect(build).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/exceeded the 128.* memory limit/),
    });
  });

  test('processes: a fork bomb stops at its limit, and the build goes on', async () => {
    await using fixture = await open({ limits: { processes: 40 } });
    const { output } = await fixture
      .build({
        Dockerfile: `${NODE}RUN sleep 2; for i in $(seq 100); do sleep 3 & done; ls /proc | grep -c '^[0-9]' || true\nCMD ["node"]`,
      })
      .catch((error) => ({ output: error.details.logs as string[] }));
    expect(output.join('\n')).toMatch(/Cannot fork|Resource temporarily unavailable/i);
  });

  test('output and disk', async () => {
    await using fixture = await open({ limits: { outputBytes: 10_000, diskBytes: 20 * 2 ** 20 } });
    await expect(fixture.build({ Dockerfile: `${NODE}RUN yes` })).rejects.toMatchObject({
      message: expect.stringContaining('printed more than'),
    });
    const fill = fixture.build({ Dockerfile: `${NODE}RUN head -c 50000000 /dev/zero > /x; sleep 60\nCMD ["node"]` });
    await expect(fill).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining('wrote more than'),
    });
  });

  test('a full disk refuses builds, and says by how much', async () => {
    await using fixture = await open({ limits: { freeDiskBytes: 2 ** 50 } });
    await expect(fixture.build(APP)).rejects.toMatchObject({
      code: 'out_of_capacity',
      message: expect.stringContaining('free'),
    });
  });

  test('a disk that fills up costs the caches first', async () => {
    const serverId = crypto.randomUUID();
    await using fixture = await open({ serverId });
    const built = await fixture.build({
      Dockerfile: `FROM berth-base/node AS build\nRUN echo ${serverId} > /made\n${NODE}COPY --from=build /made /\nCMD ["node"]`,
    });
    const cached = built.artifact.name.replace(/:.*/, '/cache:');
    expect(await names(cached)).toHaveLength(1);
    await using low = await open({ serverId, limits: { freeDiskBytes: 2 ** 50 } });
    const lines: string[] = [];
    const build = low.build(APP, { owner: { ...OWNER, deployment: 'other' }, onLine: (line) => lines.push(line) });
    await expect(build).rejects.toMatchObject({ code: 'out_of_capacity' });
    expect(lines.at(-1)).toContain('other build caches were removed');
    expect(await names(cached)).toEqual([]);
  });

  test('no step reaches what listens on this machine, nor link-local addresses', async (context) => {
    await using fixture = await open();
    if (fixture.networks.firewallProblem !== undefined) context.skip(fixture.networks.firewallProblem);
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end('reached');
    }).listen(0, '0.0.0.0');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (host: string) =>
      `fetch('http://${host}/', {signal: AbortSignal.timeout(2000)}).then(() => console.log('reached'), (error) => console.log('${host}', error.name))`;
    const gateway = `require('fs').readFileSync('/proc/net/route','utf8').split('\\\\n')[1].split('\\\\t')[2].match(/../g).reverse().map((x) => parseInt(x, 16)).join('.')`;
    const { output } = await fixture.build({
      Dockerfile: `${NODE}COPY ask.js .\nRUN node ask.js\nCMD ["node"]`,
      'ask.js': `const gateway = ${gateway.replaceAll('\\\\', '\\')};\n${ask(`'+gateway+':${port}`)}\n${ask('169.254.169.254')}`,
    });
    expect(output).toHaveLength(2);
    expect(output.join()).not.toContain('reached');
    expect(requests).toBe(0);
  });
}
