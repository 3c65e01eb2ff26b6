import { answerText, type Item, questionText } from '../state/items.ts';

/** A message that is not drawn: its words, for who searches the page, and about how high it is. */
export interface ItemOutline {
  readonly text: string;
  readonly heightPx: number;
}

/** Measured on pages of 768 pixels: a line of text, and what stands around a message. */
const LINE_PX = 25;
const AROUND_PX = 80;
const MAX_CHARACTERS_OF_LINE = 90;
const PIXELS_OF_CHARACTER = 8;

/** @param widthPx of the column that messages stand in */
export function outlineItem(item: Item, widthPx: number): ItemOutline {
  const text = item.kind === 'question' ? questionText(item) : answerText(item);
  const ofLine = Math.max(10, Math.min(MAX_CHARACTERS_OF_LINE, widthPx / PIXELS_OF_CHARACTER));
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil(Math.max(1, line.length) / ofLine), 0);
  return { text, heightPx: AROUND_PX + lines * LINE_PX };
}
