import { spawn } from 'node:child_process';
import type { Clock } from '@berth/kit';

export interface ProbeResult {
  readonly isOk: boolean;
  /** The exit code; null when it was ended by a signal, by the time limit, or did not start. */
  readonly exitCode: number | null;
  /** The start of what it printed, both streams, trimmed. */
  readonly output: string;
}

const OUTPUT_CHARACTERS = 2_000;

export interface ProbeOptions {
  /** Default 5,000. */
  readonly timeoutMs?: number;
  /** What it reads from standard input, which is empty otherwise. */
  readonly input?: string;
  /** Open descriptors that it gets, from number 3 on. */
  readonly descriptors?: readonly number[];
}

/** Runs one of the machine's own programs, such as `ip`. Never rejects. The environment is empty. */
export function runProbe(
  argv: readonly string[],
  clock: Clock,
  { timeoutMs = 5_000, input = '', descriptors = [] }: ProbeOptions = {},
): Promise<ProbeResult> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve) => {
    let output = '';
    const stdin = input === '' ? 'ignore' : 'pipe';
    const child = spawn(program, rest, {
      stdio: [stdin, 'pipe', 'pipe', ...descriptors],
      env: {},
      cwd: '/',
      detached: true,
    });
    child.stdin?.on('error', () => {}).end(input);
    const timer = clock.setTimer(timeoutMs, () => child.kill('SIGKILL'));
    const append = (chunk: Buffer): void => {
      if (output.length < OUTPUT_CHARACTERS) output += chunk.toString();
    };
    const finish = (exitCode: number | null): void => {
      timer.cancel();
      resolve({ isOk: exitCode === 0, exitCode, output: output.slice(0, OUTPUT_CHARACTERS).trim() });
    };
    child.stdout?.on('data', append);
    child.stderr?.on('data', append);
    child.once('error', (error) => {
      output += error.message;
      finish(null);
    });
    child.once('close', finish);
  });
}
