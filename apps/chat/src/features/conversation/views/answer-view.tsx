import { ErrorNote, IconButton } from '@berth/ui';
import { RotateCcw } from 'lucide-react';
import { memo } from 'react';
import { createLateView } from '../../../components/late-view.ts';
import { useCopyButton } from '../../../components/use-copy.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import type { PartViewProps } from '../../message-parts/part-view.tsx';
import { UiCard } from '../cards/ui-card.tsx';
import { type AnswerFeedback, type AnswerItem, answerText, failureOf, isDecided } from '../state/items.ts';
import { FeedbackButtons } from './feedback-buttons.tsx';

export interface AnswerViewProps {
  readonly item: AnswerItem;
  readonly isLost?: boolean;
  /** Requests another answer; given for the last answer only. */
  readonly onAgain?: (() => void) | undefined;
  readonly onContinue?: (() => void) | undefined;
  /** Stores feedback on the answer. */
  readonly onRate?: ((seq: number, feedback: AnswerFeedback) => Promise<void>) | undefined;
  /** Follows the answer again after its connection was lost for good. */
  readonly onResume?: (() => void) | undefined;
}

/** An answer of the agent, streaming or complete. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { t } = useChatTexts();
  const { item, isLost = false, onAgain, onContinue, onResume, onRate } = props;
  const { parts, cards, isLive, problem } = item;
  const ending = onContinue && isDecided(item) ? 'decided' : item.ending;
  const copy = useCopyButton(() => answerText(item));
  const act = { lost: onResume, failed: onAgain }[String(ending)] ?? onContinue;
  const isFailure = ending === 'lost' || ending === 'failed';
  // The agent has already said what failed.
  const isTold = ending === 'failed' && failureOf(item) !== undefined;
  return (
    <article aria-label={t('message.answer')} aria-busy={isLive} className="flex flex-col [&>.markdown]:my-2">
      {parts.map((part, index) => (
        <LatePartView
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ID and never change places
          key={index}
          part={part}
          isLive={isLive && index === parts.length - 1}
          isAnswerLive={isLive}
        />
      ))}
      {isLive && parts.length === 0 && <Writing />}
      {isLost && (
        <p role="status" className="mt-2 text-warn">
          {t('message.lost')}
        </p>
      )}
      {cards.map((frame, index) => (
        <UiCard key={typeof frame['key'] === 'string' ? frame['key'] : index} frame={frame} />
      ))}
      {problem !== undefined && <ErrorNote error={problem} onRetry={onAgain} />}
      {ending !== undefined && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-ink-soft">
          {!isTold && t(`ending.${ending}`)}
          {act && (
            <button type="button" className="min-h-8 font-medium text-accent hover:underline" onClick={act}>
              {isFailure ? t('parts.retry') : t('message.continue')}
            </button>
          )}
        </p>
      )}
      {/* The row keeps its height while the answer streams, so that nothing moves when the buttons appear. */}
      <div className="-ms-2 flex h-8 max-sm:h-10">
        {!isLive && parts.length > 0 && <IconButton {...copy} />}
        {!isLive && onAgain && <IconButton icon={RotateCcw} label={t('message.again')} onClick={onAgain} />}
        {/* Last, because they appear later: the number of the message comes with the end of the turn. */}
        {!isLive && parts.length > 0 && item.seq !== undefined && onRate && (
          <FeedbackButtons feedback={item.feedback} onRate={(feedback) => onRate(item.seq as number, feedback)} />
        )}
      </div>
    </article>
  );
});

/** The indicator of an answer without content yet. Hidden from screen readers: the announcer already tells them. */
function Writing() {
  return (
    <p aria-hidden className="flex h-6 items-center gap-1">
      {['', '[animation-delay:150ms]', '[animation-delay:300ms]'].map((delay) => (
        <span key={delay} className={`size-1.5 animate-pulse rounded-full bg-ink-soft ${delay}`} />
      ))}
    </p>
  );
}

const partView = createLateView(async () => (await import('../../message-parts/part-view.tsx')).PartView);

/** Starts to load the component that renders answers, which is not part of the first load. */
export const preparePartView = partView.prepare;

/** Renders one part of an answer, or nothing until {@link preparePartView} has loaded the component. */
function LatePartView(props: PartViewProps) {
  const View = partView.useView();
  return View && <View {...props} />;
}
