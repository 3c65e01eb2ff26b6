import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputSink } from '@berth/runtime';
import { findExecutable, SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { describe, expect, test } from 'vitest';
import { clock, logger } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createPrivateFolder } from './private-folder.ts';
import { openProgramOutput } from './program-output.ts';

const mkfifo = findExecutable('mkfifo', SYSTEM_PROGRAM_FOLDERS);

describe.each([
  { kind: 'named pipes', tool: mkfifo },
  { kind: "Node's own pipes", tool: undefined },
])('program output over $kind', ({ kind, tool }) => {
  async function run(script: string, sink: OutputSink, timeoutMs = 5_000) {
    const folder = await createTemporaryFolder();
    const path = join(folder.path, 'private');
    await createPrivateFolder(path, undefined, tool);
    const output = openProgramOutput(path, clock, logger);
    const child = spawn('/bin/sh', ['-c', script], { stdio: [...output.stdio] });
    output.attach(child);
    output.read(sink);
    await once(child, 'exit');
    await output.finish(timeoutMs);
    const names = await readdir(path);
    await folder[Symbol.asyncDispose]();
    return { output, names };
  }

  test.skipIf(kind === 'named pipes' && !mkfifo)('all of it, and the beginning of the errors', async () => {
    const chunks = { stdout: '', stderr: '' };
    const { output, names } = await run('echo out; echo err >&2', (stream, chunk) => {
      chunks[stream] += Buffer.from(chunk).toString();
    });
    expect(chunks).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(output.errorText()).toBe('err');
    expect(names.filter((name) => name.startsWith('std'))).toEqual([]);
  });

  test.skipIf(kind === 'named pipes' && !mkfifo)('does not wait for ever for who holds it open', async () => {
    const begun = performance.now();
    const { output } = await run('sleep 3 & echo $! >&2', () => {}, 100);
    expect(performance.now() - begun).toBeLessThan(2_000);
    const left = Number(output.errorText());
    // 0 would be this test's own process group.
    expect(left).toBeGreaterThan(1);
    process.kill(left, 'SIGKILL');
  });

  test.skipIf(kind === 'named pipes' && !mkfifo)('does not wait for ever for a sink that never settles', async () => {
    const begun = performance.now();
    await run('echo out', () => new Promise(() => {}), 100);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
