import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createCutOffEngine } from '../testing/cut-off-engine.ts';
import { createImageBuilderFixture } from '../testing/image-builder-fixture.ts';
import { findTestEngine, skipWithoutEngine } from '../testing/test-engine.ts';

const engine = await findTestEngine();

if (engine === undefined) {
  skipWithoutEngine('builds while the engine is away');
} else {
  const files = () => ({
    Dockerfile: `FROM berth-base/node\nRUN : ${crypto.randomUUID()}; echo up; sleep 2; echo over\nCMD ["node"]`,
  });

  test('an engine that comes back builds again', async () => {
    await using away = await createCutOffEngine(engine);
    await using fixture = await createImageBuilderFixture(away.engine);
    let left: Promise<void> | undefined;
    const built = await fixture.build(files(), {
      onLine(line) {
        if (line === 'up') left ??= away.leave();
        if (line.startsWith('The container engine stopped')) void left?.then(() => away.return());
      },
    });
    expect(built.said).toContain('The container engine stopped: waiting for it to rebuild');
    expect(built.output).toContain('over');
    expect(await fixture.run(built.artifact, 'echo', 'runs')).toBe('runs\n');
  });

  test('one that does not is the end of the build, and says what to do', async () => {
    await using away = await createCutOffEngine(engine);
    await using fixture = await createImageBuilderFixture(away.engine, { limits: { timeoutMs: 6_000 } });
    let left: Promise<void> | undefined;
    const build = fixture.build(files(), {
      onLine(line) {
        if (line === 'up') left ??= away.leave();
      },
    });
    await expect(build).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/engine at .* stopped during the build. Deploy again once it runs/),
    });
    await left;
    await away.return();
  });

  // Fails when a lost layer ends the build, and when the build begins again and again.
  test('a layer that goes with the image of another build is built again, once', async () => {
    const lost = { errorDetail: { message: `unable to find image "sha256:${'0'.repeat(64)}"` } };
    const buildWith = async (losses: number) => {
      const docker = new Proxy(engine.docker, {
        get(target, name) {
          if (name === 'buildImage' && losses-- > 0) return async () => Readable.from([`${JSON.stringify(lost)}\n`]);
          return Reflect.get(target, name, target);
        },
      });
      await using fixture = await createImageBuilderFixture({
        ...engine,
        call: (work) => engine.call(() => work(docker)),
      });
      return await fixture.build(files());
    };
    const { said, output } = await buildWith(1);
    expect(said).toContain('The container engine removed a layer of this build: rebuilding');
    expect(output).toContain('over');
    await expect(buildWith(2)).rejects.toMatchObject({ message: expect.stringContaining('removed a layer') });
  });
}
