import { spawn } from 'node:child_process';

/** The result of {@link runProbe}. */
export interface ProbeResult {
  readonly isOk: boolean;
  /** Null when the program was ended by a signal or the time limit, or didn't start. */
  readonly exitCode: number | null;
  /** The first 2,000 characters of both output streams, trimmed. */
  readonly output: string;
}

const OUTPUT_CHARACTERS = 2_000;

/** Options of {@link runProbe}. */
export interface ProbeOptions {
  /** Default 5,000. */
  readonly timeoutMs?: number;
  /** Standard input. Default: empty. */
  readonly input?: string;
  /** Open descriptors that the program inherits, from number 3 on. */
  readonly descriptors?: readonly number[];
}

/** Runs one of the machine's own programs, such as `ip`, with an empty environment. Never rejects. */
export function runProbe(
  [program = '', ...rest]: readonly string[],
  { timeoutMs = 5_000, input = '', descriptors = [] }: ProbeOptions = {},
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, rest, {
      ...{ env: {}, cwd: '/', detached: true, timeout: timeoutMs, killSignal: 'SIGKILL' },
      stdio: [input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe', ...descriptors],
    });
    // The exit code reports when a program ends before it has read its input.
    child.stdin?.on('error', () => {}).end(input);
    const append = (chunk: Buffer): void => {
      if (output.length < OUTPUT_CHARACTERS) output += chunk.toString();
    };
    const finish = (exitCode: number | null): void =>
      resolve({ isOk: exitCode === 0, exitCode, output: output.slice(0, OUTPUT_CHARACTERS).trim() });
    child.stdout?.on('data', append);
    child.stderr?.on('data', append);
    child.once('error', (error) => {
      output += error.message;
      finish(null);
    });
    child.once('close', finish);
  });
}
