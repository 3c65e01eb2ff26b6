import type { Context } from './context.ts';

/** A word after the command's name. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** Takes all remaining arguments; only the last argument may. */
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

/** The arguments in order, and the flags under their camel-case names. */
export interface CommandInput<Options> {
  readonly words: readonly string[];
  readonly options: Options;
}

/**
 * A command: its help and its action. `run` returns the exit code, or undefined for 0. {@link runCli} prints its errors.
 */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, for the command's own help. */
  readonly description?: string;
  readonly words?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Command lines and what they do. */
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
 * Defines a command whose handler has typed options. The type repeats `options`; the command's tests run through Commander and keep
 * the two equal.
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
