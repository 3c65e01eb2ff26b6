/** What can be written at a place. */
export interface Completion {
  /** What is replaced: from here to the caret, UTF-16 units. */
  readonly from: number;
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly text: string;
  readonly kind: 'field' | 'operator' | 'value' | 'word';
  /** In how many entries it was seen. */
  readonly count?: number;
  /** A word on what it is. */
  readonly about?: string;
}

/** Completes `text` at the caret; undefined where there is nothing to say. */
export type Complete = (text: string, caret: number) => Completion | undefined;

const OPTIONS_MOST = 50;

/** Of `options` those that begin with what is written, then those that hold it; none when it is written whole. */
export function matching(options: readonly CompletionOption[], written: string, from: number): Completion | undefined {
  const wanted = written.toLowerCase();
  // Where a quote is not written yet, it is not looked for.
  const plain = (text: string) => (wanted.startsWith('"') ? text : text.replace(/^"/, '')).toLowerCase();
  const begin = options.filter(({ text }) => plain(text).startsWith(wanted));
  const hold = options.filter(({ text }) => plain(text).indexOf(wanted) > 0);
  const fit = [...begin, ...hold].slice(0, OPTIONS_MOST);
  return fit.length === 0 || (fit.length === 1 && fit[0]?.text === written) ? undefined : { from, options: fit };
}

/** `text` with an option in place of what it completes, and the caret behind it. */
export function applyCompletion(text: string, caret: number, from: number, option: CompletionOption) {
  // A word of a language is followed by something; a field by its operator, a value by whatever comes.
  const written = option.kind === 'word' ? `${option.text} ` : option.text;
  return { text: text.slice(0, from) + written + text.slice(caret), caret: from + written.length };
}
