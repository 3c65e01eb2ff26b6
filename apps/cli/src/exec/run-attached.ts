import { PassThrough, type Writable } from 'node:stream';
import type { Context } from '../command/context.ts';
import { runSession, toExitCode } from './run-session.ts';

/** A command of a service, and how it is attached to this program's streams. */
export interface Attached {
  /** Path and query of the WebSocket. */
  readonly path: string;
  readonly command: readonly string[];
  /** False for pipes even in a terminal. */
  readonly wantsTerminal: boolean;
}

/** Runs a command in a service to its end, on a terminal where this program has one. Returns its exit code. */
export async function runAttached({ path, command, wantsTerminal }: Attached, context: Context): Promise<number> {
  await context.connect();
  const { output, standardInput, standardOutput, standardError, environment } = context;
  const hasTerminal = isTerminal(standardInput) && isTerminal(standardOutput) && wantsTerminal;
  const collected = output.isJson ? { stdout: collect(), stderr: collect() } : undefined;
  const end = await runSession({
    target: await context.target(),
    path,
    command,
    input: standardInput,
    output: collected?.stdout.stream ?? standardOutput,
    errors: collected?.stderr.stream ?? standardError,
    terminal: hasTerminal && !output.isJson ? environment['TERM'] || 'xterm-256color' : undefined,
    signal: context.signal,
    onInterrupt: context.onInterrupt,
  });
  if (collected) output.json({ ...end, stdout: collected.stdout.text(), stderr: collected.stderr.text() });
  return toExitCode(end);
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

function collect(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new PassThrough().on('data', (chunk: Buffer) => void chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
