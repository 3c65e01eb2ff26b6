import { defineCommand } from '../../command/command.ts';
import { runAttached } from '../../exec/run-attached.ts';

/** `berth run`. */
export const run = defineCommand({
  name: 'run',
  summary: 'Run a command in a new instance of its own',
  description:
    'Starts an instance of the live revision that takes no requests, with its variables, volumes and limits, and runs the command in it. ' +
    'The instance ends with the command or with this program, and is billed meanwhile. Without a command, opens a shell.',
  words: { '<name>': 'Name of the deployment', '[command...]': 'Program and arguments, after --' },
  options: {
    '--revision <name>': 'Another ready revision',
    '--no-terminal': 'Use pipes even in a terminal, so that output and errors stay apart',
  },
  examples: [
    ['berth run my-app -- npm run migrate', 'one command, whose exit code becomes that of berth'],
    ['berth run my-app', 'a shell'],
    ['berth run my-app --revision my-app-00001-kqz -- node --version', 'in an earlier revision'],
    ['berth run my-app --json -- ls', 'the result as JSON'],
  ],
  run({ words: [name = '', ...command], options }, context) {
    const query = options.revision === undefined ? '' : `?revision=${encodeURIComponent(options.revision)}`;
    const path = `/v1/deployment/${encodeURIComponent(name)}/run${query}`;
    return runAttached({ path, command, wantsTerminal: options.terminal !== false }, context);
  },
});
