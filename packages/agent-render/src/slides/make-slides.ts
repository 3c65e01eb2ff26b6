import { spawn } from 'node:child_process';
import { RenderError } from '../renderer/renderer.ts';
import { REFUSED } from './draw-pages.ts';

/** Options of {@link makeSlides}. */
export interface MakeSlidesOptions {
  /** Absolute path of the program that draws, `slides/main.ts`. */
  readonly program: string;
  /** Absolute path of the job's own folder. */
  readonly folder: string;
  /** Absolute paths: the PDF, and the JSON to write in the folder. */
  readonly pdf: string;
  readonly target: string;
  readonly signal: AbortSignal;
}

/** Limits that also apply if the process outlives the agent. */
const LIMITED = 'ulimit -t 120; ulimit -c 0; exec "$@"';
const HEAP_MIB = 1_024;
const KEPT_OUTPUT = 2_000;

/**
 * Writes the JSON of `as=slides` for a PDF, in a separate process, since a page determines how much memory and time it
 * takes. The process may read files and write to the folder, and can't start other processes.
 * @throws RenderError; the signal's reason.
 */
export function makeSlides({ program, folder, pdf, target, signal }: MakeSlidesOptions): Promise<void> {
  const node = [
    process.execPath,
    '--permission',
    '--allow-fs-read=*',
    `--allow-fs-write=${folder}`,
    '--allow-addons',
    `--max-old-space-size=${HEAP_MIB}`,
    '--no-warnings',
    program,
    pdf,
    target,
  ];
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', ...node], {
      // The canvas looks for fonts in the user's home, which may not exist.
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
    // The shell was replaced by the program, so this kills the program.
    const onAbort = () => child.kill('SIGKILL');
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', reject);
    child.on('close', (code, name) => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) return reject(signal.reason);
      if (code === 0) return resolve();
      const isRefused = code === REFUSED.lasting || code === REFUSED.forNow;
      const message = isRefused ? output.stdout : "The slides can't be rendered: they are damaged or too large.";
      const cause = new Error(`drawing slides ended with ${code ?? name}: ${output.stderr}`);
      reject(new RenderError(message, { isLasting: code !== REFUSED.forNow, cause }));
    });
  });
}
