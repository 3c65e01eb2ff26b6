import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { RuntimeContract } from './runtime-contract.ts';
import { OWNER, script, server, start } from './runtime-harness.ts';

/** Source of a program that prints `ready` and runs until it is stopped. */
const PATIENT = `setInterval(() => {}, 1000); console.log('ready');`;

/** Defines the contract tests of stopping, suspending and closing. */
export function describeStopping({ contractTest, open, run }: RuntimeContract): void {
  contractTest('stop sends SIGTERM and tells how the program took it', async () => {
    const program = script(`process.on('SIGTERM', () => { console.log('bye'); process.exit(7); }); ${PATIENT}`);
    const { instance, output } = await run(program);
    await eventually('ready', () => output.stdout.includes('ready'));
    const exit = { exitCode: 7, signal: null, isOutOfMemory: false, isRequested: true };
    expect(await instance.stop()).toEqual(exit);
    expect(output.stdout).toBe('ready\nbye\n');
    expect(await instance.exited).toEqual(exit);
    expect(await instance.stop()).toEqual(exit);
  });

  contractTest('a program without a handler ends by the signal', async () => {
    const { instance, output } = await run(script(PATIENT));
    await eventually('ready', () => output.stdout.includes('ready'));
    const exits = await Promise.all([instance.stop(), instance.stop()]);
    expect(exits[0]).toEqual({ exitCode: null, signal: 'SIGTERM', isOutOfMemory: false, isRequested: true });
    expect(exits[1]).toEqual(exits[0]);
  });

  contractTest('a program that ignores SIGTERM is killed after its grace', async () => {
    const { instance, output } = await run(script(`process.on('SIGTERM', () => {}); ${PATIENT}`));
    await eventually('ready', () => output.stdout.includes('ready'));
    const begun = performance.now();
    expect(await instance.stop({ graceMs: 300 })).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      isRequested: true,
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(290);
  });

  contractTest('one that is killed by somebody else while it is being stopped has crashed', async () => {
    const { instance, output } = await run(
      script(`process.on('SIGTERM', () => process.kill(process.pid, 'SIGKILL')); ${PATIENT}`),
    );
    await eventually('ready', () => output.stdout.includes('ready'));
    expect(await instance.stop({ graceMs: 60_000 })).toMatchObject({ signal: 'SIGKILL', isRequested: false });
  });

  contractTest('SIGTERM reaches children too, and what stays is killed', async () => {
    const child = `process.on('SIGTERM', () => console.log('child told')); setInterval(() => console.log('beat'), 20);`;
    const { instance, output } = await run(
      script(`
        require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' });
        process.on('SIGTERM', () => setTimeout(() => process.exit(0), 100));
        ${PATIENT}`),
    );
    await eventually('a beat', () => output.stdout.includes('beat'));
    expect(await instance.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 0, isRequested: true });
    expect(output.stdout).toContain('child told');
    expect(await isSilent(() => output.stdout)).toBe(true);
  });

  contractTest('a daemon that left its session ends with its instance', async () => {
    const daemon = `setInterval(() => console.log('beat'), 20);`;
    const middle = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}], { stdio: 'inherit', detached: true }).unref();`;
    const { instance, output } = await run(
      script(`
        require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(middle)}], { stdio: 'inherit', detached: true }).unref();
        ${PATIENT}`),
    );
    await eventually('a beat', () => output.stdout.includes('beat'));
    expect(await instance.stop()).toMatchObject({ isRequested: true });
    expect(await isSilent(() => output.stdout)).toBe(true);
  });

  contractTest('a child that holds the output open does not keep the exit back', async () => {
    const child = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('child'); process.send('up');`;
    const { instance, output } = await run(
      script(`
        const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
        const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio, detached: true });
        child.on('message', () => process.exit(5));`),
    );
    expect(await instance.exited).toMatchObject({ exitCode: 5, isRequested: false });
    expect(output.stdout).toBe('child\n');
  });

  contractTest('an instance that was suspended stands still until it is resumed', async () => {
    const harness = await open();
    const { instance, output } = await start(harness, script(`setInterval(() => console.log('beat'), 20);`));
    if (!harness.runtime.canSuspend) {
      expect(instance.suspend).toBeUndefined();
      return;
    }
    await eventually('a beat', () => output.stdout.includes('beat'));
    await instance.suspend?.();
    await eventually('silence', () => isSilent(() => output.stdout));
    const before = output.stdout.length;
    await instance.resume?.();
    await eventually('more beats', () => output.stdout.length > before);
    await instance.suspend?.();
    expect(await instance.stop()).toMatchObject({ signal: 'SIGTERM', isRequested: true });
  });

  contractTest('one that is resumed before it was suspended goes on', async () => {
    const harness = await open();
    const { instance, output } = await start(harness, script(`setInterval(() => console.log('beat'), 20);`));
    if (!harness.runtime.canSuspend) return;
    await eventually('a beat', () => output.stdout.includes('beat'));
    for (let round = 0; round < 5; round++) {
      await Promise.all([instance.suspend?.(), instance.resume?.()]);
      const before = output.stdout.length;
      await eventually('more beats', () => output.stdout.length > before);
    }
  });

  contractTest('close stops every instance, and nothing starts after it', async () => {
    const harness = await open();
    const artifact = await harness.makeArtifact(server({ '/': 'return 1' }), OWNER);
    const all = await Promise.all([start(harness, artifact), start(harness, artifact)]);
    await harness.runtime.close({ graceMs: 2_000 });
    for (const { instance } of all) expect(await instance.exited).toMatchObject({ isRequested: true });
    await harness.runtime.close();
    await expect(start(harness, artifact)).rejects.toThrow();
  });
}

/** Resolves with true when no output arrives for ten beats (200 ms). */
async function isSilent(read: () => string): Promise<boolean> {
  const before = read();
  await new Promise((resolve) => setTimeout(resolve, 200));
  return read() === before;
}
