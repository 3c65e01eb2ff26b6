import type { Client } from '@berth/client';
import { BerthError } from '@berth/kit';
import { cleanText } from '../output/clean-text.ts';
import { type CommandSpec, defineCommand, type OptionSpec } from './command.ts';
import { confirmLoss, requireAnswer } from './confirm-loss.ts';

/** `-y`, of every command that asks before it takes something away. */
export const YES_OPTION: OptionSpec = { flags: '-y, --yes', description: 'Do not ask' };

/** A command that removes things by their names or ids. */
export interface RemovalSpec {
  readonly name: string;
  readonly summary: string;
  readonly word: { readonly name: string; readonly description: string };
  readonly examples: CommandSpec['examples'];
  /** In the question, such as `Delete` or `Revoke`. */
  readonly verb: string;
  /** What goes with it, and what stays, as a sentence. Asked for every name before anything is removed. */
  effect(client: Client, name: string): Promise<string> | string;
  /** Removes it and answers what is shown: the sentence, and the value under `--json`. */
  remove(client: Client, name: string): Promise<{ readonly detail: string; readonly json?: object }>;
}

/** Defines a removal: several names, the effects of all of them, one question, `-y`; the first failure ends it. */
export function defineRemoval(spec: RemovalSpec): CommandSpec {
  return defineCommand<{ readonly yes?: boolean }>({
    name: spec.name,
    summary: spec.summary,
    description: `${spec.summary}. Says what goes with it, and asks first.`,
    words: [{ ...spec.word, isVariadic: true }],
    options: [YES_OPTION],
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
          // A key of a script may be allowed to remove and not to look: the removal itself says what is wrong.
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
