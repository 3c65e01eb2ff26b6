import { PassThrough, type Writable } from 'node:stream';
import { defineCommand } from '../../command/command.ts';
import { runSession, toExitCode } from '../../exec/run-session.ts';

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
  async run({ words: [name = '', ...command], options }, context) {
    await context.connect();
    const { output, standardInput, standardOutput, standardError, environment } = context;
    const hasTerminal = isTerminal(standardInput) && isTerminal(standardOutput) && options.terminal !== false;
    const query = options.instance === undefined ? '' : `?instance=${encodeURIComponent(options.instance)}`;
    const collected = output.isJson ? { stdout: collect(), stderr: collect() } : undefined;
    const end = await runSession({
      target: await context.target(),
      path: `/v1/deployment/${encodeURIComponent(name)}/exec${query}`,
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
  },
});

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

function collect(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new PassThrough().on('data', (chunk: Buffer) => void chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
