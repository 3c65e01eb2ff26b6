import { Command, type CommanderError, Option } from 'commander';
import type { CommandGroup, CommandInput, CommandSpec, OptionTable } from '../command/command.ts';
import type { Failure } from '../output/output.ts';
import { GLOBAL_OPTIONS, type GlobalOptions } from './global-options.ts';
import { findSynonym } from './synonyms.ts';

/** Options of {@link buildProgram}. */
export interface ProgramOptions {
  readonly commands: CommandGroup;
  readonly version: string;
  /** Called with the command that was typed. */
  dispatch(command: CommandSpec, input: CommandInput<unknown>, globals: GlobalOptions): Promise<void>;
  readonly write: { out(text: string): void; err(text: string): void };
  /** Prints an error of the command line. */
  fail(failure: Failure): void;
  /** Columns that the help is wrapped to. */
  readonly columns: number;
}

/**
 * Builds the Commander program of a tree of commands. It never ends the process: help, version and usage errors are thrown.
 * @throws CommanderError from `parseAsync`
 */
export function buildProgram(options: ProgramOptions): Command {
  const program = new Command(options.commands.name)
    .description(options.commands.summary)
    .version(options.version, '-V, --version', 'Print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => options.write.out(text),
      writeErr: (text) => options.write.err(text),
      getOutHelpWidth: () => options.columns,
      getErrHelpWidth: () => options.columns,
    })
    .helpOption('-h, --help', 'Show help')
    .configureHelp({ showGlobalOptions: true });
  describeUsageErrors(program, options);
  addOptions(program, GLOBAL_OPTIONS);
  for (const child of options.commands.commands) addNode(program, child, options);
  return program;
}

/** Returns true for the error that Commander throws after printing help or version. */
export function isHelpShown(error: CommanderError): boolean {
  return error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
}

function addNode(parent: Command, node: CommandGroup | CommandSpec, options: ProgramOptions): void {
  const command = parent.command(node.name).summary(node.summary);
  if (node.heading) command.helpGroup(`${node.heading}:`);
  describeUsageErrors(command, options);
  if ('commands' in node) {
    command.description(`${node.summary}.`);
    for (const child of node.commands) addNode(command, child, options);
    return;
  }
  command.description(node.description ? `${node.summary}.\n\n${node.description}` : `${node.summary}.`);
  for (const [word, description] of Object.entries(node.words ?? {})) command.argument(word, description);
  addOptions(command, node.options ?? {});
  if (node.passesOptions) command.allowUnknownOption();
  // `-q` can't be global: for `berth logs` it is the query.
  const isTaken = Object.keys(node.options ?? {}).some((flags) => flags.startsWith('-q,'));
  if (!isTaken) command.addOption(new Option('-q, --quiet').hideHelp());
  if (node.subcommands) {
    command.helpCommand(false);
    for (const child of node.subcommands) addNode(command, child, options);
  }
  command.addHelpText('after', examplesText(node));
  command.action(async () => {
    const words = command.processedArgs.flat().filter((word): word is string => typeof word === 'string');
    // Commander gives options that a command and its subcommand share to the command.
    const shared = parent.parent ? parent.opts() : {};
    await options.dispatch(node, { words, options: { ...shared, ...command.opts() } }, command.optsWithGlobals());
  });
}

/** Prints errors of a command line with the `--help` of the command that was typed, and words the entry for `help`. */
function describeUsageErrors(command: Command, options: ProgramOptions): void {
  command.helpCommand('help [command]', 'Show help for a command');
  command.configureOutput({
    outputError: (text) => {
      const path = [command.name()];
      for (let above = command.parent; above; above = above.parent) path.unshift(above.name());
      const said = text.trim().replace(/^error: ./, (start) => start.slice(-1).toUpperCase());
      const [, word] = /^Unknown command '(.+)'/.exec(said) ?? [];
      const names = command.commands.map((child) => child.name());
      const synonym = word === undefined ? undefined : findSynonym(word, names);
      // Commander suggests names that look alike: `deploy` for `destroy`.
      const message = synonym === undefined ? said : `Unknown command '${word}'\n(Did you mean ${synonym}?)`;
      options.fail({ code: 'usage', message, hints: [`Run \`${path.join(' ')} --help\` for usage.`] });
    },
  });
}

/** The value of a flag without one, such as `--no-volume`. */
const NEGATED = '';

function addOptions(command: Command, table: OptionTable) {
  for (const [flags, text] of Object.entries(table)) {
    const { description, isRepeatable } = typeof text === 'string' ? { description: text } : text;
    if (isRepeatable) {
      const option = new Option(flags, description);
      // Commander would replace the list by `false` at a negated flag; as an entry it keeps the order of flags.
      if (option.negate) option.preset(NEGATED);
      option.argParser((value: string, before: readonly (string | false)[] = []): readonly (string | false)[] => [
        ...before,
        option.negate ? false : value,
      ]);
      command.addOption(option);
    } else command.option(flags, description);
  }
}

/** Characters of the longest example that has its meaning on the same line, so that both fit in 120 columns. */
const WIDEST_BESIDE = 64;

function examplesText({ examples }: CommandSpec): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) =>
    width > WIDEST_BESIDE ? `  # ${meaning}\n  $ ${line}` : `  $ ${line.padEnd(width)}  # ${meaning}`,
  );
  return `\nExamples:\n${lines.join('\n')}`;
}
