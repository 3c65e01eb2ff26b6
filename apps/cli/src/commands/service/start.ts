import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { defineCommand } from '../../command/command.ts';
import type { Interrupted } from '../../errors/interrupted.ts';
import { findServer, SERVER_NODE_OPTIONS } from '../../server-program/find-server.ts';

/** The exit code for Ctrl-C. */
const INTERRUPTED = 130;

/** `berth start`. */
export const start = defineCommand({
  name: 'start',
  summary: 'Run a server on this machine until Ctrl-C',
  description:
    'The server is the npm package berth-server. Its data is in ./.berth unless --data names another folder.\nEach of its settings is an option of this command; --settings lists them.',
  words: { '[options...]': 'Settings of the server, such as --port 9000' },
  options: { '--settings': 'List the settings of the server' },
  passesOptions: true,
  examples: [
    ['berth start', 'at http://localhost:8787'],
    ['berth start --host 0.0.0.0 --domain apps.example.com', 'for others'],
    ['berth start --settings', 'every setting, and the variable that sets it'],
  ],
  async run({ words, options }, { environment, signal, standardOutput }) {
    const server = findServer();
    const settings = options.settings ? ['--help'] : words;
    const child = spawn(server.node, [...SERVER_NODE_OPTIONS, server.main, ...settings], {
      env: { ...environment },
      stdio: 'inherit',
    });
    // A terminal sends Ctrl-C to both processes; passing it on would make it two.
    const hasTerminal = 'isTTY' in standardOutput && standardOutput.isTTY === true;
    const stop = () => {
      if (!hasTerminal || (signal.reason as Interrupted).exitCode !== INTERRUPTED) child.kill('SIGTERM');
    };
    signal.addEventListener('abort', stop);
    try {
      const [code, ended] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return ended === null ? (code ?? 1) : 128 + constants.signals[ended];
    } finally {
      signal.removeEventListener('abort', stop);
    }
  },
});
