import { cleanText } from '../output/clean-text.ts';
import type { Output } from '../output/output.ts';
import type { Attention } from './list-attention.ts';

/** Prints what needs attention, with the command that helps below each line. */
export function printAttention(attention: readonly Attention[], output: Output): void {
  const { style } = output;
  output.print('');
  if (attention.length === 0) output.print(style.green(`${style.signs.done} Nothing needs attention.`));
  for (const { message, action } of attention) {
    output.print(`${style.yellow(style.signs.warning)} ${cleanText(message)}`);
    output.print(`  ${style.dim(cleanText(action))}`);
  }
}
