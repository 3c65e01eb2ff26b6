import type { ReactNode } from 'react';
import type { Item } from '../state/items.ts';
import { AnswerView } from './answer-view.tsx';
import { QuestionView } from './question-view.tsx';

/** Renders a message without actions such as edit or retry. */
export function drawMessage(item: Item, index: number): ReactNode {
  return item.kind === 'question' ? <QuestionView key={index} item={item} /> : <AnswerView key={index} item={item} />;
}
