import { readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { createSystemClock } from '@berth/kit';
import { findHome } from '@berth/kit/node';
import { berthCommands } from './commands/index.ts';
import { packAgentLibrary } from './init/pack-agent-library.ts';
import { createStreamOutput } from './output/stream-output.ts';
import { hasColor } from './output/style.ts';
import { createContext } from './program/create-context.ts';
import { createInterrupts, END_SIGNALS } from './program/interrupts.ts';
import { openBrowser } from './program/open-browser.ts';
import { runCli } from './program/run-cli.ts';
import { createTerminalPrompts } from './program/terminal-prompts.ts';

const { env, stdin, stdout, stderr } = process;
const packageFolder = path.resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8')) as { version: string };
const workingFolder = process.cwd();
// An explicit data folder is the only one searched, because another folder's key would be wrong.
const dataFolders = env['BERTH_DATA']
  ? [path.resolve(env['BERTH_DATA'])]
  : [path.join(workingFolder, '.berth'), path.resolve(packageFolder, '../../.berth')];
const configFolder = env['XDG_CONFIG_HOME'] || path.join(findHome(), '.config');

const interrupts = createInterrupts({ exit: (code) => process.exit(code), monotonicMs: () => performance.now() });
for (const signal of END_SIGNALS) process.on(signal, () => interrupts.onSignal(signal));
stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The terminal is gone (EIO): the command ends in order, e.g. it stops what it started.
  if (error.code === 'EIO') interrupts.onSignal('SIGHUP');
  // `berth logs NAME | head` closes the pipe when it has enough; that is not a failure.
  else process.exit(error.code === 'EPIPE' ? 0 : 1);
});
stderr.on('error', () => {});

const exitCode = await runCli({
  words: process.argv.slice(2),
  commands: berthCommands,
  version,
  write: { out: (chunk) => stdout.write(chunk), err: (chunk) => stderr.write(chunk) },
  columns: stdout.columns ?? 100,
  signal: interrupts.signal,
  createOutput: (globals) => {
    const colorOf = (stream: NodeJS.WriteStream) =>
      hasColor({
        isRefused: globals.color === false,
        noColor: env['NO_COLOR'],
        forceColor: env['FORCE_COLOR'],
        terminal: env['TERM'],
        isTty: stream.isTTY === true,
      });
    return createStreamOutput({
      stdout,
      stderr,
      isJson: globals.json === true,
      isQuiet: globals.quiet === true,
      hasColor: { stdout: colorOf(stdout), stderr: colorOf(stderr) },
      hasUnicode:
        process.platform === 'darwin' || /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''),
    });
  },
  createContext: (globals, output) =>
    createContext({
      settings: {
        url: env['BERTH_URL'],
        key: env['BERTH_API_KEY'],
        dataFolders,
        configFile: path.join(configFolder, 'berth', 'config.json'),
      },
      globals,
      output,
      prompts: createTerminalPrompts({
        isInteractive: stdin.isTTY === true && stderr.isTTY === true && !output.isJson,
        input: stdin,
        output: stderr,
        signal: interrupts.signal,
      }),
      clock: createSystemClock(),
      workingFolder,
      environment: env,
      machine: {
        nodeVersion: process.versions.node,
        platform: process.platform,
        hostName: hostname(),
        temporaryFolder: tmpdir(),
        programPath: path.join(packageFolder, 'bin/berth.js'),
      },
      signal: interrupts.signal,
      onInterrupt: interrupts.take,
      version,
      standardOutput: stdout,
      standardError: stderr,
      standardInput: stdin,
      readInput: () => text(stdin),
      packAgent: (folder) => packAgentLibrary(folder, interrupts.signal),
      openBrowser: (url) =>
        openBrowser(url, { platform: process.platform, hasDisplay: Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']) }),
    }),
});
// Not process.exit(), which would cut off output that is still being written to a pipe.
process.exitCode = exitCode;
