import type { Token, Tokens } from 'marked';
import { lex } from './block-reader.ts';

/** A block quote that starts with its kind: `> [!NOTE]`. Source: GitHub, basic writing and formatting syntax, alerts. */
export interface Alert {
  readonly style: 'info' | 'warning' | 'error' | 'success';
  /** The content below the kind. */
  readonly tokens: readonly Token[];
}

const STYLES: Readonly<Record<string, Alert['style']>> = {
  ...{ note: 'info', info: 'info', important: 'info', tip: 'success', success: 'success' },
  ...{ warning: 'warning', caution: 'error', error: 'error', danger: 'error' },
};

const KIND = /^\[!([a-z]+)\][ \t]*(?:\n|$)/i;

/** Returns the alert in a block quote, or undefined for an ordinary quote. */
export function readAlert({ text }: Pick<Tokens.Blockquote, 'text'>): Alert | undefined {
  const [mark, kind] = KIND.exec(text) ?? [];
  const style = kind === undefined ? undefined : STYLES[kind.toLowerCase()];
  return mark === undefined || style === undefined ? undefined : { style, tokens: lex(text.slice(mark.length)) };
}
