import { type CommandGroup, defineCommand } from '../../command/command.ts';
import { SCRIPTS } from '../../completion/scripts.ts';
import { SHELLS, suggest } from '../../completion/suggest.ts';
import { UsageError } from '../../errors/usage-error.ts';

/** A person waits for the answer with a half-typed line. */
const NAMES_TIMEOUT_MS = 1_000;

/** Creates `berth completion suggest`. */
const createSuggest = (commands: () => CommandGroup) =>
  defineCommand({
    name: 'suggest',
    summary: 'Print completions of a command line; the scripts call this',
    words: { '[word...]': 'The words after `berth`; the last one is being typed' },
    examples: [['berth completion suggest -- deploy --m', 'prints --memory and others']],
    async run({ words: line }, { target, clientOf, output, clock }) {
      const { words, wantsDeployment } = suggest(commands(), line);
      const typed = line.at(-1) ?? '';
      const found = words.filter((word) => word.startsWith(typed));
      if (wantsDeployment) {
        const late = new AbortController();
        const timer = clock.setTimer(NAMES_TIMEOUT_MS, () => late.abort());
        try {
          const client = clientOf(await target());
          const names = await client.get('/v1/deployment/list', { signal: late.signal });
          // Names from the server go into the shell's line, so only valid ones do.
          found.push(
            ...names.map(({ name }) => name).filter((name) => /^[a-z0-9-]+$/.test(name) && name.startsWith(typed)),
          );
        } catch {
          // Without a server, the words of the command table are all there is.
        } finally {
          timer.cancel();
        }
      }
      output.json(found);
      for (const word of found) output.print(word);
    },
  });

/** Creates `berth completion` for the table of all commands, which contains it. */
export const createCompletion = (commands: () => CommandGroup) =>
  defineCommand({
    name: 'completion',
    summary: 'Print a script that completes commands, options and names of deployments at Tab',
    description:
      'Names come from the server; when it does not answer within a second, commands and options are completed without them.\n\n' +
      'bash: eval "$(berth completion bash)" in ~/.bashrc\n' +
      'zsh:  eval "$(berth completion zsh)" in ~/.zshrc, after compinit\n' +
      'fish: berth completion fish > ~/.config/fish/completions/berth.fish',
    words: { '<shell>': SHELLS.join(', ') },
    subcommands: [createSuggest(commands)],
    examples: [
      ['eval "$(berth completion bash)"', 'in this shell'],
      ['berth completion fish > ~/.config/fish/completions/berth.fish', 'in every new shell'],
    ],
    async run({ words: [wanted = ''] }, { output }) {
      const shell = SHELLS.find((one) => one === wanted);
      if (!shell) throw new UsageError(`No completion for "${wanted}". Available: ${SHELLS.join(', ')}.`);
      output.json({ shell, script: SCRIPTS[shell] });
      output.print(SCRIPTS[shell].trimEnd());
    },
  });
