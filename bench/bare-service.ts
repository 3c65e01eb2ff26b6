import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../tests/harness/free-port.ts';
import { type FirstAnswer, untilAnswer } from './until-answer.ts';

/** The floor under every start: `argv` in `folder`, with nothing of Berth around it, until its port answers a request. */
export async function startBare(folder: string, argv: readonly string[]): Promise<FirstAnswer> {
  const port = await freePort();
  const [program, ...words] = argv as [string, ...string[]];
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  try {
    return await untilAnswer(port, '127.0.0.1', () =>
      child.exitCode === null ? undefined : `${argv.join(' ')} ended with ${child.exitCode}`,
    );
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
