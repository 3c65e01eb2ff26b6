import { PassThrough, Readable, Writable } from 'node:stream';
import type { ScriptedServer } from '@berth/client/testing';
import { type Clock, createSystemClock } from '@berth/kit';
import type { Context } from '../command/context.ts';
import type { Prompts } from '../command/prompts.ts';
import { berthCommands } from '../commands/index.ts';
import { createStreamOutput } from '../output/stream-output.ts';
import { createContext } from '../program/create-context.ts';
import { runCli } from '../program/run-cli.ts';

/** Answers to the questions of a command. Without them there is no terminal, and input is `input`. */
export interface InProcessOptions {
  readonly input?: string;
  readonly prompts?: Partial<Prompts>;
  /** The home and working folder: config file and temporary files are there. */
  readonly home?: string;
  /** The bytes on standard input, for commands that read it as a stream. */
  readonly inputBytes?: Uint8Array;
  /** The key of the environment; `test-key` by default, none for null. */
  readonly key?: string | null;
  readonly environment?: Readonly<Record<string, string>>;
  /** Data folders of servers on this machine; none by default. */
  readonly dataFolders?: readonly string[];
  /** True when standard output and standard error are terminals. */
  readonly isTerminal?: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Takes the handler of Ctrl-C; see {@link Context.onInterrupt}. */
  readonly onInterrupt?: Context['onInterrupt'];
  readonly openBrowser?: Context['openBrowser'];
}

/** Runs a command line in this process against a scripted server, with a key. Far cheaper than a process of its own. */
export async function runInProcess(
  server: Pick<ScriptedServer, 'url'>,
  words: readonly string[],
  options: InProcessOptions = {},
) {
  const printed = { stdout: '', stderr: '' };
  const isTTY = options.isTerminal ?? false;
  const sink = (name: keyof typeof printed) => ({
    isTTY,
    columns: 100,
    write(text: string) {
      printed[name] += text;
    },
  });
  const [out, err] = [sink('stdout'), sink('stderr')];
  const binary: Buffer[] = [];
  const standardOutput = new Writable({
    write(chunk: Buffer, _encoding, done) {
      binary.push(chunk);
      done();
    },
  });
  const { signal = new AbortController().signal } = options;
  const refuse = async () => Promise.reject(new Error('nobody answers'));
  const home = options.home ?? '/nonexistent';
  const prompts = { text: refuse, line: refuse, secret: refuse, confirm: refuse, ...options.prompts };
  const key = options.key === undefined ? 'test-key' : (options.key ?? undefined);
  const code = await runCli({
    words,
    commands: berthCommands,
    version: '0.0.0',
    write: { out: out.write, err: err.write },
    columns: 100,
    signal,
    createOutput: ({ json = false, quiet = false }) =>
      createStreamOutput({
        stdout: out,
        stderr: err,
        isJson: json,
        isQuiet: quiet,
        hasColor: { stdout: false, stderr: false },
        hasUnicode: true,
      }),
    createContext: (globals, output) =>
      createContext({
        settings: {
          url: server.url,
          key,
          dataFolders: options.dataFolders ?? [],
          configFile: `${home}/config.json`,
        },
        globals,
        output,
        prompts: { isInteractive: options.prompts !== undefined, ...prompts },
        clock: options.clock ?? { ...createSystemClock(), nowMs: () => Date.parse('2026-01-01T00:00:00Z') },
        workingFolder: home,
        environment: options.environment ?? {},
        machine: {
          nodeVersion: '26.0.0',
          platform: 'linux',
          hostName: 'here',
          temporaryFolder: home,
          programPath: '/bin/berth',
        },
        signal,
        onInterrupt: options.onInterrupt ?? (() => ({ [Symbol.dispose]: () => {} })),
        version: '0.0.0',
        standardOutput,
        standardError: new Writable({
          write(chunk: Buffer, _encoding, done) {
            err.write(chunk.toString());
            done();
          },
        }),
        standardInput: options.inputBytes === undefined ? new PassThrough() : Readable.from([options.inputBytes]),
        readInput: async () => options.input ?? '',
        packAgent: refuse,
        openBrowser: options.openBrowser ?? (async () => false),
      }),
  });
  return { code, ...printed, binary: Buffer.concat(binary) };
}
