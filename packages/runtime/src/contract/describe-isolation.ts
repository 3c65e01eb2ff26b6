import { expect } from 'vitest';
import type { RuntimeContract } from './runtime-contract.ts';
import { OWNER, server, start } from './runtime-harness.ts';

/** Defines the contract tests of the isolation between instances. */
export function describeIsolation({ contractTest, open, run }: RuntimeContract): void {
  contractTest('never runs a program as root', async () => {
    const { get } = await run(
      server({
        '/': `return { uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), status: fs.readFileSync('/proc/self/status', 'utf8') }`,
      }),
    );
    const { uid, gid, groups, status } = (await get('/')) as {
      uid: number;
      gid: number;
      groups: number[];
      status: string;
    };
    expect(uid).toBeGreaterThan(0);
    expect([gid, ...groups]).not.toContain(0);
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^CapEff:\s0+$/m);
  });

  contractTest('an instance may write beside its code, and no other sees it', async () => {
    const harness = await open();
    const routes = {
      '/write': `fs.writeFileSync('data.txt', 'mine'); fs.mkdirSync('sub/deep', { recursive: true }); fs.appendFileSync('seed.txt', '!'); return 1`,
      '/read': `return [fs.existsSync('data.txt'), fs.readFileSync('seed.txt', 'utf8'), fs.existsSync(process.env.HOME + '/x')]`,
      '/home': `fs.writeFileSync(process.env.HOME + '/x', ''); fs.writeFileSync(require('node:os').tmpdir() + '/x', ''); return 1`,
    };
    const program = server(routes);
    const artifact = await harness.makeArtifact({ ...program, files: { ...program.files, 'seed.txt': 'seed' } }, OWNER);
    const first = await start(harness, artifact);
    const second = await start(harness, artifact);
    expect([await first.get('/write'), await first.get('/home')]).toEqual([1, 1]);
    expect(await first.get('/read')).toEqual([true, 'seed!', true]);
    expect(await second.get('/read')).toEqual([false, 'seed', false]);
    await first.instance.stop();
    const third = await start(harness, artifact);
    expect(await third.get('/read')).toEqual([false, 'seed', false]);
  });

  contractTest('a volume is there, for all instances, and outlives them', async () => {
    const harness = await open();
    const { path, ...volume } = await harness.makeVolume();
    const routes = {
      '/write': `fs.writeFileSync('${path}/greeting', 'hello'); return 1`,
      '/read': `return fs.readFileSync('${path}/greeting', 'utf8')`,
    };
    const mounts = [{ ...volume, isReadOnly: false }];
    const artifact = await harness.makeArtifact(server(routes), OWNER);
    const first = await start(harness, artifact, { mounts });
    expect(await first.get('/write')).toBe(1);
    await first.instance.stop();
    expect(await harness.readVolumeFile(volume.volume, 'greeting')).toBe('hello');
    const second = await start(harness, artifact, { mounts });
    expect(await second.get('/read')).toBe('hello');
  });

  contractTest('a read-only volume cannot be written', async () => {
    const harness = await open();
    const { path, ...volume } = await harness.makeVolume();
    const { get } = await start(harness, server({ '/': `fs.writeFileSync('${path}/x', ''); return 1` }), {
      mounts: [{ ...volume, isReadOnly: true }],
    });
    expect(await get('/')).toEqual({ error: 'EROFS' });
  });

  contractTest('two deployments of an account can share a volume', async () => {
    const harness = await open();
    const { path, ...volume } = await harness.makeVolume();
    const mounts = [{ ...volume, isReadOnly: false }];
    const append = server({
      '/': `fs.appendFileSync('${path}/log', 'x'); fs.mkdirSync('${path}/d', { recursive: true }); fs.appendFileSync('${path}/d/log', 'x'); return 1`,
    });
    const one = await start(harness, append, { mounts });
    expect(await one.get('/')).toBe(1);
    const other = await start(harness, append, { mounts, owner: { account: OWNER.account, deployment: 'other' } });
    expect(await other.get('/')).toBe(1);
    expect(await harness.readVolumeFile(volume.volume, 'd/log')).toBe('xx');
  });
}
