import { defineCommand } from '../../command/command.ts';
import { runAttached } from '../../exec/run-attached.ts';

/** `berth exec`. */
export const exec = defineCommand({
  name: 'exec',
  summary: 'Run a command in a running deployment',
  description:
    'Without a command, opens a shell. The command has the files, variables, network and limits of the service, and its exit code becomes ' +
    'that of this command. A deployment at rest is started first.',
  words: { '<name>': 'Name of the deployment', '[command...]': 'Program and arguments, after --' },
  options: {
    '--instance <id>': 'ID of the instance; any by default',
    '--no-terminal': 'Use pipes even in a terminal, so that output and errors stay apart',
  },
  examples: [
    ['berth exec my-app', 'a shell'],
    ['berth exec my-app -- node -e "console.log(process.version)"', 'one command'],
    ['berth exec my-app -- cat /tmp/report.csv > report.csv', 'copies a file'],
    ['berth exec my-app --json -- ls', 'the result as JSON'],
  ],
  run({ words: [name = '', ...command], options }, context) {
    const query = options.instance === undefined ? '' : `?instance=${encodeURIComponent(options.instance)}`;
    const path = `/v1/deployment/${encodeURIComponent(name)}/exec${query}`;
    return runAttached({ path, command, wantsTerminal: options.terminal !== false }, context);
  },
});
