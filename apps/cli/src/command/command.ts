import type { Context } from './context.ts';

/** A word after the command's name. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Takes all that follow; only the last one may. */
  readonly isVariadic?: boolean;
}

/** An option of a command. */
export interface OptionSpec {
  /** As Commander writes them: `-f, --follow`, `--port <number>`. */
  readonly flags: string;
  readonly description: string;
  /** May be given more than once; its value is then a list, in which a `--no-` flag of the same name is `false`. */
  readonly isRepeatable?: boolean;
}

/** What was typed: the words in order, the flags under their camel-case names. */
export interface CommandInput<Options> {
  readonly words: readonly string[];
  readonly options: Options;
}

/**
 * One command: what its help says and what it does.
 * `run` answers the exit code, 0 when it answers nothing; what it throws is shown by {@link runCli}.
 */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, for the command's own help. */
  readonly description?: string;
  readonly words?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  run(input: CommandInput<unknown>, context: Context): Promise<number | undefined>;
}

/** Commands under one noun. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (CommandSpec | CommandGroup)[];
}

interface TypedCommand<Options> extends Omit<CommandSpec, 'run'> {
  run(input: CommandInput<Options>, context: Context): Promise<number | undefined> | Promise<void>;
}

/**
 * A command whose handler knows its options by type. The type restates `options`; a command's tests run it through
 * Commander, which is what keeps the two the same.
 */
export function defineCommand<Options = object>(command: TypedCommand<Options>): CommandSpec {
  return {
    ...command,
    run: async (input, context) => {
      const code = await command.run(input as CommandInput<Options>, context);
      return typeof code === 'number' ? code : undefined;
    },
  };
}
