import type { Feedback } from '@berth/contract/agent';

/** Characters of an earlier answer in a case's criteria. */
const ANSWER = 4_000;

/** A case as a file of `berth eval` has it. */
interface FeedbackCase {
  readonly name: string;
  readonly input: string;
  readonly expect: { readonly graded: string };
}

/**
 * Returns the evaluation case of a person's feedback: the question again, graded by the answer that they rated and their note.
 * Undefined for an answer without a question.
 */
export function toEvalCase({
  rating,
  note,
  question,
  answer,
  chat_id,
  seq,
  user_id,
}: Feedback): FeedbackCase | undefined {
  if (question.trim() === '') return undefined;
  const shortened = answer.slice(0, ANSWER).toWellFormed();
  const said = note === '' ? '' : ` Their note: "${note}".`;
  const criteria = {
    up: `A person rated the answer below as good.${said} The new answer is at least as good: it says the same in substance.`,
    down: `A person rated the answer below as bad.${said} The new answer is correct, helpful and avoids that fault.`,
    none: `A person wrote a note about the answer below.${said} The new answer does what the note asks.`,
  }[rating ?? 'none'];
  const name = `${rating ?? 'note'} ${chat_id} ${seq} ${user_id}`.slice(0, 200).toWellFormed();
  return { name, input: question, expect: { graded: `${criteria}\n\nRated answer:\n${shortened}` } };
}
