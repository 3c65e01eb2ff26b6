import { describe, expect, test } from 'vitest';
import { buildImage } from '../testing/build-image.ts';
import { createImageBuilderFixture, OWNER } from '../testing/image-builder-fixture.ts';
import { findTestEngine, skipWithoutEngine } from '../testing/test-engine.ts';

const engine = await findTestEngine();
const NODE = 'FROM berth-base/node\n';
const SERVER = `require('node:http').createServer((q, r) => r.end('ok')).listen(process.env.PORT);`;
const APP = { 'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }), 'server.js': SERVER };

if (engine === undefined) {
  skipWithoutEngine('the image builder');
} else {
  const open = (options: Parameters<typeof createImageBuilderFixture>[1] = {}) =>
    createImageBuilderFixture(engine, options);
  const inspect = (reference: string) => engine.docker.getImage(reference).inspect();
  const names = async (part: string) =>
    (await engine.docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(part));
  const historyOf = async (reference: string) => JSON.stringify(await engine.docker.getImage(reference).history());

  describe('a Dockerfile', () => {
    test('is built as it is: stages, arguments, a syntax line, a .dockerignore', async () => {
      await using fixture = await open();
      const { artifact, said, output } = await fixture.build({
        Dockerfile: `# syntax=docker/dockerfile:1\nARG BASE=berth-base/node\nFROM $BASE AS build\nARG WORD=hello\nWORKDIR /x\nCOPY . .\nRUN echo "$WORD" > word && ls -a\nFROM $BASE\nCOPY --from=build /x /x\nUSER 1000\nCMD ["node", "-v"]\n`,
        '.dockerignore': 'secret*\n!secret-but-needed\n',
        'secret.txt': 'x',
        'secret-but-needed': 'x',
        Procfile: 'web: not used',
      });
      expect(said).toContain('Detected a Dockerfile');
      expect(said).toContain('Step 6/10: RUN echo "$WORD" > word && ls -a');
      expect(output).toEqual(expect.arrayContaining(['secret-but-needed']));
      expect(output).not.toContain('secret.txt');
      expect(await fixture.run(artifact, 'cat', '/x/word')).toBe('hello\n');
      expect(artifact).toMatchObject({ kind: 'image', reference: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    });

    test('that fails names its step and shows its last lines', async () => {
      await using fixture = await open();
      const build = fixture.build({ Dockerfile: `${NODE}RUN echo before; echo why >&2; exit 3\nCMD ["node"]` });
      await expect(build).rejects.toMatchObject({
        code: 'build_failed',
        message: 'RUN echo before; echo why >&2; exit 3 (step 2/3) exited with 3',
        details: { logs: expect.arrayContaining(['before', 'why']) },
      });
    });

    test.each([
      ['a syntax error', { Dockerfile: `${NODE}\nRUNN x` }, /error in line 3: unknown instruction: RUNN/i],
      ['no instruction', { Dockerfile: '# nothing' }, /no instructions|no build stage/i],
      [
        'a base image that is nowhere',
        { Dockerfile: 'FROM berth.invalid/nobody/nothing:1\nCMD x' },
        /base image berth.invalid\/nobody\/nothing:1 is neither .* mirror/,
      ],
      [
        'a copy out of its context',
        { Dockerfile: `${NODE}COPY ../../etc/passwd /x` },
        /COPY .* failed: .*in the archive and not in .dockerignore/,
      ],
      ['a copy of nothing', { Dockerfile: `${NODE}COPY nothing.txt /x` }, /COPY nothing.txt \/x \(step 2\/2\) failed/],
      ['a network', { Dockerfile: `${NODE}RUN --network=host true` }, /--network=host is not supported/],
      ['no start command', { Dockerfile: 'FROM scratch\nCOPY Dockerfile /x' }, /neither CMD nor ENTRYPOINT/],
      ["another tenant's image", { Dockerfile: 'FROM abc123' }, /use the image's tag/],
    ])('with %s is told so', async (_what, files, message) => {
      await using fixture = await open();
      await expect(fixture.build(files)).rejects.toMatchObject({
        code: 'build_failed',
        message: expect.stringMatching(message),
      });
      expect(await names('/shop:')).toEqual([]);
    });

    test('that exposes another port gets a hint', async () => {
      await using fixture = await open();
      const files = { Dockerfile: `${NODE}EXPOSE 3000\nCMD ["node"]` };
      const { said } = await fixture.build(files, { port: 8080 });
      expect(said.at(-1)).toBe(
        'The image exposes 3000, but requests are sent to 8080: listen on $PORT, or deploy with port 3000',
      );
      expect((await fixture.build(files, { port: 3000 })).said.join()).not.toContain('exposes');
    });
  });

  describe('a project without a Dockerfile', () => {
    test('runs as a user that owns its files, with its command and environment', async () => {
      await using fixture = await open();
      const { artifact, said } = await fixture.build(APP);
      expect(said).toContain('Detected Node.js (npm): node server.js');
      const { Config } = await inspect(artifact.reference);
      expect(Config).toMatchObject({ Cmd: ['node', 'server.js'], User: '10001:10001', WorkingDir: '/app' });
      expect(Config.Env).toEqual(expect.arrayContaining(['NODE_ENV=production', 'HOME=/home/app']));
      expect(await fixture.run(artifact, 'sh', '-c', 'id -un; touch made && stat -c %U made server.js')).toBe(
        'app\napp\napp\n',
      );
    });

    test('is the same image for the same source, however it is named; another for another', async () => {
      await using fixture = await open();
      const one = await fixture.build(APP);
      const two = await fixture.build(Object.fromEntries(Object.entries(APP).reverse()));
      expect(two.artifact.reference).toBe(one.artifact.reference);
      expect(two.digest).toBe(one.digest);
      const three = await fixture.build({ ...APP, 'server.js': SERVER.replace('ok', 'no') });
      expect(three.artifact.reference).not.toBe(one.artifact.reference);
      expect(three.digest).not.toBe(one.digest);
      const time = (artifact: typeof one.artifact) => fixture.run(artifact, 'stat', '-c', '%Y', 'server.js');
      // Of the same size: only its time tells a file server that it changed.
      expect(await time(three.artifact)).not.toBe(await time(one.artifact));
    });

    test('installs again only when its lock file changed, not its source', { timeout: 240_000 }, async () => {
      await using fixture = await open();
      const project = {
        Procfile: 'web: python3 -m http.server',
        'main.py': '',
        'requirements.txt': 'six==1.17.0',
      };
      const first = await fixture.build(project);
      expect(first.said).toContain('$ pip install -r requirements.txt');
      const second = await fixture.build({ ...project, 'main.py': '# changed' });
      expect(second.said).toContain('$ pip install -r requirements.txt (unchanged: from the cache)');
      expect(second.output.join()).not.toContain('Successfully installed');
      const third = await fixture.build({ ...project, 'requirements.txt': 'six==1.16.0' });
      expect(third.said).toContain('$ pip install -r requirements.txt');
      expect(await fixture.run(third.artifact, 'python3', '-c', 'import six; print(six.__version__)')).toBe('1.16.0\n');
    });

    test('nothing of the operator ends in the image', async () => {
      await using fixture = await open({
        buildArgs: {
          npm_config_canary: 'https://canary.example',
          HTTPS_PROXY: '',
          MY_REGISTRY: 'https://canary.example',
        },
        bundle: '# canary certificate\n',
      });
      const built = await fixture.build({
        ...APP,
        'package.json': JSON.stringify({ scripts: { start: 'node server.js', build: 'node build.js' } }),
        'build.js': `console.log(process.env.npm_config_canary, require('fs').readFileSync(process.env.NODE_EXTRA_CA_CERTS, 'utf8'))`,
      });
      expect(built.output.join('\n')).toContain('https://canary.example # canary certificate');
      const own = await fixture.build({
        Dockerfile: `FROM berth-base/node AS build\nARG MY_REGISTRY\nRUN echo "with $MY_REGISTRY" && touch /made\n${NODE}ARG npm_config_canary\nRUN echo "then $npm_config_canary"\nCOPY --from=build /made /made\nCMD ["node"]`,
      });
      expect(own.output).toEqual(expect.arrayContaining(['with https://canary.example', 'then ']));
      expect(own.said.join('\n')).toContain('ARG npm_config_canary is declared in a stage that is part of the image');
      for (const { artifact } of [built, own]) {
        expect(JSON.stringify(await inspect(artifact.reference))).not.toContain('canary.example');
        expect(await historyOf(artifact.reference)).not.toContain('canary.example');
        const found = await fixture.run(
          artifact,
          'sh',
          '-c',
          'grep -rl "canary" /app /berth /tmp 2>/dev/null | grep -v build.js',
        );
        expect(found).toBe('');
      }
    });

    test('without a base image says how to set one', async () => {
      await using fixture = await open({ images: { node: 'berth.invalid/node:1' } });
      await expect(fixture.build(APP)).rejects.toMatchObject({
        message: expect.stringMatching(/berth.invalid\/node:1 .*--base-image/),
      });
      await expect(fixture.build({ 'deno.json': '{}', 'main.ts': '' })).rejects.toMatchObject({
        message: expect.stringContaining('--base-images deno=IMAGE'),
      });
    });
  });

  describe('images', () => {
    test('of two deployments are one with two names; each goes with its own', async () => {
      await using fixture = await open();
      const one = await fixture.build(APP);
      const two = await fixture.build(APP, { owner: { ...OWNER, deployment: 'other' } });
      expect(two.artifact.reference).toBe(one.artifact.reference);
      await fixture.builder.remove(one.artifact);
      expect(await inspect(two.artifact.reference)).toMatchObject({ RepoTags: [two.artifact.name] });
      await fixture.builder.remove(two.artifact);
      await fixture.builder.remove(two.artifact);
      await expect(inspect(two.artifact.reference)).rejects.toMatchObject({ statusCode: 404 });
    });

    test('leave nothing behind once they are removed, stages of builds included', async () => {
      await using fixture = await open();
      const mark = crypto.randomUUID();
      const project = (text: string) => ({
        Dockerfile: `FROM berth-base/node AS build\nRUN echo ${text}-${mark} > /made\nFROM berth-base/node\nRUN : ${mark}\nCOPY --from=build /made /made\nCMD ["cat", "/made"]`,
      });
      const one = await fixture.build(project('one'));
      const two = await fixture.build(project('two'));
      const failed = fixture.build({ Dockerfile: `${NODE}RUN echo ${mark}\nRUN false` });
      await expect(failed).rejects.toThrow('exited with 1');
      const marked = async () => {
        const ids = (await engine.docker.listImages({ all: true })).map(({ Id }) => Id);
        const histories = await Promise.all(ids.map((id) => historyOf(id).catch(() => '')));
        return histories.filter((text) => text.includes(mark)).length;
      };
      expect(await marked()).toBeGreaterThan(0);
      await fixture.builder.remove(one.artifact);
      expect(await fixture.run(two.artifact, 'cat', '/made')).toContain('two');
      await fixture.builder.remove(two.artifact);
      expect(await marked()).toBe(0);
    });

    test('that no record has are collected; those that one has stay', async () => {
      await using fixture = await open();
      const kept = await fixture.build(APP);
      const lost = await fixture.build(APP, { owner: { ...OWNER, deployment: 'lost' } });
      await fixture.builder.collect({ artifacts: [kept.artifact], archives: [] });
      expect(await names(kept.artifact.name)).toHaveLength(1);
      expect(await names(lost.artifact.name)).toEqual([]);
    });

    // Fails when a prune leaves out `deploying`, or removes what a dry run finds.
    test('that no revision has are pruned, with the stages of builds, but not while their deploy is under way', async () => {
      await using fixture = await open();
      const stages = `FROM berth-base/node AS build\nRUN echo ${crypto.randomUUID()} > /made\n${NODE}COPY --from=build /made /made\nCMD ["node"]`;
      const kept = await fixture.build({ Dockerfile: stages });
      const lost = await fixture.build(APP, { owner: { ...OWNER, deployment: 'lost' } });
      const deploying = { ...OWNER, deployment: 'deploying' };
      const fresh = await fixture.build(APP, { owner: deploying });
      const prune = (isDryRun: boolean) =>
        fixture.builder.prune({
          isDryRun,
          readNeeded: async () => ({ artifacts: [kept.artifact], archives: [], deploying: [deploying] }),
        });
      const cache = kept.artifact.name.replace(/:.*/, '/cache');
      expect(await prune(true)).toMatchObject([{ what: 'images', sizeBytes: null }, { what: 'archives' }]);
      expect([await names(lost.artifact.name), (await names(cache)).length]).toMatchObject([{ length: 1 }, 1]);
      expect(await prune(false)).toMatchObject([{ what: 'images', count: 2 }, { what: 'archives' }]);
      const left = [kept.artifact.name, lost.artifact.name, fresh.artifact.name, cache].map(async (one) => names(one));
      expect((await Promise.all(left)).map(({ length }) => length)).toEqual([1, 0, 1, 0]);
      expect(await fixture.run(kept.artifact, 'cat', '/made')).not.toBe('');
    });
  });

  test('a build is not fooled by a program that speaks as the engine does', async () => {
    await using fixture = await open();
    const other = await fixture.build(APP, { owner: { account: 'account_two', deployment: 'other' } });
    const id = other.artifact.reference.slice(7, 19);
    const files = {
      Dockerfile: `FROM berth-base/node AS build\nRUN echo ' ---> ${id}'; echo 'Step 9/9 : FROM x'; echo ${crypto.randomUUID()}\n${NODE}CMD ["node"]`,
    };
    await fixture.build(files);
    await fixture.build(files);
    await fixture.builder.collect({ artifacts: [other.artifact], archives: [] });
    expect(await inspect(other.artifact.reference)).toMatchObject({ RepoTags: [other.artifact.name] });
  });

  describe("another tenant's image", () => {
    const SECRET = 'victim-secret';
    const victim = { account: 'account_two', deployment: 'other' };
    /** The image that each attack is after. It is public how Berth names and the engine numbers images. */
    const attack = async (textOf: (image: { name: string; id: string; evil: string }) => string, base = '') => {
      await using fixture = await open({ allowedImages: ['*'] });
      const { artifact } = await fixture.build({ ...APP, secret: SECRET }, { owner: victim });
      const id = artifact.reference.slice(7, 19);
      const evil = `evil.example/x:${crypto.randomUUID().slice(0, 8)}`;
      const made = await buildImage(engine, { Dockerfile: `${NODE}${base.replaceAll('ID', id)}` });
      const [repo = '', tag = ''] = evil.split(':');
      await engine.docker.getImage(made).tag({ repo, tag });
      try {
        const built = await fixture.build({ Dockerfile: textOf({ name: artifact.name, id, evil }) });
        return await fixture.run(built.artifact, 'cat', '/stolen/secret', '/app/secret');
      } catch (error) {
        return String(error);
      } finally {
        await engine.docker.getImage(evil).remove();
      }
    };

    test.each<[string, Parameters<typeof attack>[0], string, RegExp]>([
      ['its name', ({ name }) => `FROM ${name}\nCMD ["x"]`, '', /can't be base images/],
      ['its id', ({ id }) => `FROM ${id}\nCMD ["x"]`, '', /use the image's tag/],
      ['a copy from it', ({ id }) => `${NODE}COPY --from=${id} /app /stolen\nCMD ["x"]`, '', /use the image's tag/],
      ['an argument', ({ id }) => `ARG B=${id}\nFROM $B\nCMD ["x"]`, '', /use the image's tag/],
      // Fails when the triggers of base images are not read: the engine obeys them, and the copy is in the image.
      [
        "a registry image's trigger",
        ({ evil }) => `FROM ${evil}\nCMD ["x"]`,
        'ONBUILD COPY --from=ID /app /stolen',
        /ONBUILD COPY/,
      ],
      [
        'a trigger of a second stage',
        ({ evil }) => `${NODE}FROM ${evil}\nCMD ["x"]`,
        'ONBUILD COPY --from=ID /app /stolen',
        /ONBUILD COPY/,
      ],
    ])('is out of reach by %s, even where the operator allows every image', async (_what, textOf, base, message) => {
      const said = await attack(textOf, base);
      expect(said).not.toContain(SECRET);
      expect(said).toMatch(message);
    });
  });

  test('an image that the operator does not list is not fetched, and the error says what to set', async () => {
    await using fixture = await open();
    const build = fixture.build({ Dockerfile: 'FROM berth-base/debian AS a\nFROM evil.example/x:1\nCMD ["x"]' });
    await expect(build).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringContaining(
        "doesn't allow the image evil.example/x:1. The operator can allow it with --allowed-images",
      ),
    });
  });

  test('a stage for another platform would bring another image, and is refused', async () => {
    await using fixture = await open();
    const build = fixture.build({ Dockerfile: 'FROM --platform=linux/s390x berth-base/node\nCMD ["node"]' });
    await expect(build).rejects.toMatchObject({ message: expect.stringContaining('leave --platform out') });
    const { os, arch } = { os: 'linux', arch: engine.facts.platform.split('/')[1] };
    await fixture.build({ Dockerfile: `FROM --platform=${os}/${arch} berth-base/node\nCMD ["node"]` });
  });

  test('says what it can build here, and how much disk is free', async () => {
    await using fixture = await open();
    const found = await fixture.builder.capabilities();
    expect(found.find(({ id }) => id === 'build-node')).toMatchObject({ status: 'enforced' });
    expect(found.find(({ id }) => id === 'build-deno')).toMatchObject({ status: 'missing' });
    expect(found.find(({ id }) => id === 'build-disk')?.detail).toMatch(/are free; builds are refused below 1 GiB/);
  });
}
