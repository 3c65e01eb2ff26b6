import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A store of secrets answers within seconds; this allows for one that is starting. */
const TIMEOUT_MS = 30_000;
/** Room for hundreds of keys. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/** The output of a command, or the way in which it failed, such as `ended with code 1`. */
export type SecretCommandResult =
  | { readonly output: string }
  | { readonly failure: string; readonly exitCode: number | undefined };

/**
 * Runs a command of the operator's that prints a secret, without a shell. It gets the server's variables except for
 * `BERTH_` ones. No failure has its output, which may be the secret.
 * @param more variables besides those
 */
export async function runSecretCommand(
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  more: Readonly<Record<string, string>> = {},
): Promise<SecretCommandResult> {
  const own = Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_'));
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...Object.fromEntries(own), ...more },
    });
    return { output: stdout };
  } catch (error) {
    const { code, killed } = error as { readonly code?: number | string | null; readonly killed?: boolean };
    if (killed) return { failure: `didn't end within ${TIMEOUT_MS / 1_000} s`, exitCode: undefined };
    if (typeof code === 'number') return { failure: `ended with code ${code}`, exitCode: code };
    return { failure: `failed${code ? ` (${code})` : ''}`, exitCode: undefined };
  }
}
