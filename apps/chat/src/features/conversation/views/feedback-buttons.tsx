import { Button, Dialog, ErrorNote, IconButton } from '@berth/ui';
import { MessageSquareText, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../api/message-of.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import type { AnswerFeedback } from '../state/items.ts';

const NO_FEEDBACK: AnswerFeedback = { rating: null, note: '' };

export interface FeedbackButtonsProps {
  readonly feedback: AnswerFeedback | undefined;
  onRate(feedback: AnswerFeedback): Promise<void>;
}

/** Rates an answer; a second press takes the rating back. A note can be added. */
export function FeedbackButtons({ feedback = NO_FEEDBACK, onRate }: FeedbackButtonsProps) {
  const { t } = useChatTexts();
  const [isWriting, setWriting] = useState(false);
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const store = async (next: AnswerFeedback) => {
    setProblem(undefined);
    try {
      await onRate(next);
      setWriting(false);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const rate = (rating: 'up' | 'down') =>
    void store({ ...feedback, rating: feedback.rating === rating ? null : rating });
  return (
    <>
      {[['up', ThumbsUp] as const, ['down', ThumbsDown] as const].map(([rating, icon]) => (
        <IconButton
          key={rating}
          icon={icon}
          label={t(`feedback.${rating}`)}
          aria-pressed={feedback.rating === rating}
          className={feedback.rating === rating ? 'text-accent!' : ''}
          onClick={() => rate(rating)}
        />
      ))}
      <IconButton
        icon={MessageSquareText}
        label={t('feedback.note')}
        className={feedback.note === '' ? '' : 'text-accent!'}
        onClick={() => {
          setNote(feedback.note);
          setWriting(true);
        }}
      />
      {problem !== undefined && !isWriting && <ErrorNote error={problem} />}
      <Dialog title={t('feedback.note')} isOpen={isWriting} onClose={() => setWriting(false)}>
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void store({ ...feedback, note: note.trim() });
          }}
        >
          <textarea
            aria-label={t('feedback.note')}
            dir="auto"
            rows={4}
            maxLength={2_000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
            className="rounded-lg border border-line-strong bg-raised px-3 py-2"
          />
          <p className="text-xs text-ink-soft">{t('feedback.text')}</p>
          {problem !== undefined && <ErrorNote error={problem} />}
          <Button type="submit" look="primary" className="self-end">
            {t('chats.save')}
          </Button>
        </form>
      </Dialog>
    </>
  );
}
