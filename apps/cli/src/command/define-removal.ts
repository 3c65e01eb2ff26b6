import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';
import { cleanText } from '../output/clean-text.ts';
import { type CommandSpec, defineCommand } from './command.ts';
import { confirmLoss, requireAnswer } from './confirm-loss.ts';

/** `-y`, for every command that asks before it removes something. */
export const YES_OPTION = { '-y, --yes': 'Skip the confirmation' } as const;

/** A command that removes things by their names or ids. */
export interface RemovalSpec {
  readonly name: string;
  readonly summary: string;
  readonly word: { readonly name: string; readonly description: string };
  readonly examples: CommandSpec['examples'];
  /** The verb of the question, such as `Delete` or `Revoke`. */
  readonly verb: string;
  /** Returns what is removed and what is kept, as a sentence. Called for every name before anything is removed. */
  effect(client: Client, name: string): Promise<string> | string;
  /** Removes it and returns what is printed: a sentence, and the value for `--json`. */
  remove(client: Client, name: string): Promise<{ readonly detail: string; readonly json?: object }>;
}

/** Defines a command that removes several names: it prints all effects, asks once unless `-y` is given, and stops at the first failure. */
export function defineRemoval(spec: RemovalSpec): CommandSpec {
  return defineCommand({
    name: spec.name,
    summary: spec.summary,
    description: 'Lists what is removed and asks for confirmation.',
    words: { [`<${spec.word.name}...>`]: spec.word.description },
    options: YES_OPTION,
    examples: spec.examples,
    async run({ words, options }, context) {
      requireAnswer(options, context);
      const client = await context.connect();
      const names = [...new Set(words)];
      const effects: string[] = [];
      for (const name of names) {
        try {
          effects.push(cleanText(await spec.effect(client, name)));
        } catch (error) {
          // A script's key may be allowed to remove but not to read. The removal reports other errors.
          if (!options.yes || !BerthError.is(error, 'forbidden')) throw error;
        }
      }
      if (!(await confirmLoss({ effects, question: `${spec.verb} ${names.join(', ')}?` }, options, context))) return 1;
      for (const name of names) {
        const { detail, json } = await spec.remove(client, name);
        context.output.json(json ?? { [spec.word.name]: name, detail });
        context.output.print(cleanText(detail));
      }
      return 0;
    },
  });
}
