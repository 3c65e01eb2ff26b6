import { PassThrough } from 'node:stream';
import type { ScriptedServer } from '@berth/client/testing';
import { createSystemClock } from '@berth/kit';
import type { Prompts } from '../command/prompts.ts';
import { berthCommands } from '../commands/index.ts';
import { createStreamOutput } from '../output/stream-output.ts';
import { createContext } from '../program/create-context.ts';
import { runCli } from '../program/run-cli.ts';

/** Answers to the questions of a command. Without them there is no terminal, and input is `input`. */
export interface InProcessOptions {
  readonly input?: string;
  readonly prompts?: Partial<Prompts>;
  /** The home, for the config file. */
  readonly home?: string;
}

/** Runs a command line in this process against a scripted server, with a key. Far cheaper than a process of its own. */
export async function runInProcess(server: ScriptedServer, words: readonly string[], options: InProcessOptions = {}) {
  const printed = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  const [out, err] = [sink('stdout'), sink('stderr')];
  const { signal } = new AbortController();
  const refuse = async () => Promise.reject(new Error('nobody answers'));
  const home = options.home ?? '/nonexistent';
  const prompts = { text: refuse, line: refuse, secret: refuse, confirm: refuse, ...options.prompts };
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
        settings: { url: server.url, key: 'test-key', dataFolders: [], configFile: `${home}/config.json` },
        globals,
        output,
        prompts: { isInteractive: options.prompts !== undefined, ...prompts },
        clock: { ...createSystemClock(), nowMs: () => Date.parse('2026-01-01T00:00:00Z') },
        workingFolder: home,
        environment: {},
        machine: { nodeVersion: '26.0.0', platform: 'linux', hostName: 'here', temporaryFolder: home },
        signal,
        onInterrupt: () => ({ [Symbol.dispose]: () => {} }),
        version: '0.0.0',
        standardOutput: new PassThrough(),
        standardInput: new PassThrough(),
        readInput: async () => options.input ?? '',
        packAgent: refuse,
        openBrowser: async () => false,
      }),
  });
  return { code, ...printed };
}
