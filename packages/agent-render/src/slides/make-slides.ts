import { spawn } from 'node:child_process';
import { RenderError } from '../renderer/renderer.ts';
import { REFUSED } from './refused.ts';

export interface MakeSlidesOptions {
  /** Absolute path of the program that draws, `slides/main.ts`. */
  readonly program: string;
  /** Absolute; of this job alone. */
  readonly folder: string;
  /** Absolute paths: a PDF, and the answer to be made in the folder. */
  readonly pdf: string;
  readonly target: string;
  readonly signal: AbortSignal;
}

/** What a process that outlives the agent may still use. */
const LIMITED = 'ulimit -t 120; ulimit -c 0; exec "$@"';
const HEAP_MIB = 1_024;
const KEPT_OUTPUT = 2_000;

/**
 * Makes the answer of `as=slides` of a PDF, in a process of its own: what drawing a page takes is of the page's choosing.
 * It reads files and writes into the folder, and starts nothing.
 * @throws RenderError, and the signal's reason
 */
export function makeSlides({ program, folder, pdf, target, signal }: MakeSlidesOptions): Promise<void> {
  const node = [
    ...[process.execPath, '--permission', '--allow-fs-read=*', `--allow-fs-write=${folder}`, '--allow-addons'],
    ...[`--max-old-space-size=${HEAP_MIB}`, '--no-warnings', program, pdf, target],
  ];
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', ...node], {
      // The canvas looks for fonts of its user, whom the machine need not know.
      env: { HOME: folder },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] = (output[name] + text).slice(-KEPT_OUTPUT);
      });
    }
    // The shell has become it.
    const onAbort = () => child.kill('SIGKILL');
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', reject);
    child.on('close', (code, name) => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) return reject(signal.reason);
      if (code === 0) return resolve();
      const isRefused = code === REFUSED.lasting || code === REFUSED.forNow;
      const message = isRefused ? output.stdout : 'Its slides can not be drawn: they are damaged or too large.';
      const cause = new Error(`drawing slides ended with ${code ?? name}: ${output.stderr}`);
      reject(new RenderError(message, { isLasting: code !== REFUSED.forNow, cause }));
    });
  });
}
