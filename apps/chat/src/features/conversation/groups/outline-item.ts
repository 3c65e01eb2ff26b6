import { answerText, type Item, questionText } from '../state/items.ts';

/** The placeholder of a message that is not rendered: its text, for find in page, and its estimated height. */
export interface ItemOutline {
  readonly text: string;
  readonly heightPx: number;
}

/** Height of a line of text and of the space around a message, measured on a page 768 pixels wide. */
const LINE_PX = 25;
const AROUND_PX = 80;
const MAX_CHARACTERS_OF_LINE = 90;
const PIXELS_OF_CHARACTER = 8;

/** Returns the placeholder of a message. @param widthPx width of the message column */
export function outlineItem(item: Item, widthPx: number): ItemOutline {
  const text = item.kind === 'question' ? questionText(item) : answerText(item);
  const ofLine = Math.max(10, Math.min(MAX_CHARACTERS_OF_LINE, widthPx / PIXELS_OF_CHARACTER));
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil(Math.max(1, line.length) / ofLine), 0);
  return { text, heightPx: AROUND_PX + lines * LINE_PX };
}
