import type { Context } from './context.ts';

/** The words after a command's name as Commander writes them (`<name>`, `[dir]`, `<id...>`), in order, and what they are. */
export type WordTable = Readonly<Record<string, string>>;

/** Options as Commander writes them (`-f, --follow`, `--port <number>`, `--no-wait`), and what they do. */
export type OptionTable = Readonly<Record<string, string | OptionText>>;

/** Description of an option that may be given more than once. */
export interface OptionText {
  readonly description: string;
  /** The value is a list, in which a `--no-` flag of the same name is `false`. */
  readonly isRepeatable?: boolean;
}

/** The name under which Commander gives a flag's value: `max-instances` → `maxInstances`. */
export type OptionKey<Flag extends string> = Flag extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<OptionKey<Rest>>}`
  : Flag;

type LongFlag<Flags extends string> = Flags extends `${string}--no-${infer Name}`
  ? Name
  : Flags extends `${string}--${infer Name} ${string}`
    ? Name
    : Flags extends `${string}--${infer Name}`
      ? Name
      : never;

type OptionValue<Flags extends string, Text> = Text extends { readonly isRepeatable: true }
  ? readonly string[]
  : Flags extends `${string}<${string}`
    ? string
    : boolean;

/** Result of Commander for the options of a table: a string for a flag with a value, else a boolean. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Flags in keyof Table & string as OptionKey<LongFlag<Flags>>]?: OptionValue<Flags, Table[Flags]>;
};

/** The arguments in order, and the values of options under their camel-case names. */
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
  /** The heading of the help under which a top-level command is listed. */
  readonly heading?: string;
  /** Printed below the summary in the command's own help. */
  readonly description?: string;
  readonly words?: WordTable;
  readonly options?: OptionTable;
  /** True when options that it doesn't know are words, in the order in which they were typed. */
  readonly passesOptions?: boolean;
  /** Commands under this one's name, e.g. `berth chat export`. They win over its arguments. */
  readonly subcommands?: readonly CommandSpec[];
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  run(input: CommandInput<unknown>, context: Context): Promise<number | undefined>;
}

/** Commands under one noun. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  /** The heading of the help under which a top-level group is listed. */
  readonly heading?: string;
  readonly commands: readonly (CommandSpec | CommandGroup)[];
}

interface TypedCommand<Table extends OptionTable> extends Omit<CommandSpec, 'options' | 'run'> {
  readonly options?: Table;
  run(input: CommandInput<OptionsOf<Table>>, context: Context): Promise<number | undefined> | Promise<void>;
}

/** Defines a command whose handler gets the options of its table, typed. */
export function defineCommand<const Table extends OptionTable = Record<never, string>>(
  command: TypedCommand<Table>,
): CommandSpec {
  return {
    ...command,
    run: async (input, context) => {
      const code = await command.run(input as CommandInput<OptionsOf<Table>>, context);
      return typeof code === 'number' ? code : undefined;
    },
  };
}
